/** No value was found that fits a schema. */
export class NoValueError extends Error {
  override readonly name = 'NoValueError'
  /** The narrowest schema that nothing was found for. */
  readonly pointer: string

  constructor(pointer: string) {
    super(`no value was found for the schema at ${pointer}`)
    this.pointer = pointer
  }
}

/** So much was tried for one value that the search ends: unlike a {@link NoValueError}, nothing else is tried. */
export class EffortSpentError extends Error {
  override readonly name = 'EffortSpentError'
  /** The schema that the search was at. */
  readonly pointer: string

  constructor(pointer: string) {
    super(`the search for a value ended at the schema at ${pointer}`)
    this.pointer = pointer
  }
}
