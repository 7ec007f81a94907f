/** What breaks a schema: where, as a JSON pointer into the value that was checked, and what should be there. */
export interface Problem {
  readonly path: string
  /** `must be …`: what was expected. */
  readonly message: string
}
