/** A scenario cannot continue. The message is one sentence that names the missing or unusable value. */
export class ScenarioRunError extends Error {
  override readonly name: string = 'ScenarioRunError'
}

/**
 * Arithmetic in a scenario fell below zero. The target has nothing there, such as a block before the first
 * one.
 */
export class BelowZero extends ScenarioRunError {
  override readonly name = 'BelowZero'
}
