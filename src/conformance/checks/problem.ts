/** A violation of a schema: a JSON pointer into the checked value, and the expectation. */
export interface Problem {
  readonly path: string
  /** `must be …`: what was expected. */
  readonly message: string
}
