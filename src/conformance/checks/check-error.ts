/**
 * A check cannot run, because a pointer leads to no schema or a schema cannot be compiled. The message is one
 * sentence.
 */
export class CheckError extends Error {
  override readonly name = 'CheckError'
}
