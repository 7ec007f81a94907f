/** The contract does not allow a check: a pointer leads to no schema, or a schema cannot be used. One sentence. */
export class CheckError extends Error {
  override readonly name = 'CheckError'
}
