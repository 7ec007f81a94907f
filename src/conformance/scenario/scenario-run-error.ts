/** A scenario cannot go on: the message says in one sentence which value it lacks or cannot use. */
export class ScenarioRunError extends Error {
  override readonly name: string = 'ScenarioRunError'
}

/** A scenario moves a number below zero: the target has nothing there, such as a block before its first one. */
export class BelowZero extends ScenarioRunError {
  override readonly name = 'BelowZero'
}
