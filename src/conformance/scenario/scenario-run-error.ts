/** A scenario cannot go on: the message says in one sentence which value it lacks or cannot use. */
export class ScenarioRunError extends Error {
  override readonly name = 'ScenarioRunError'
}
