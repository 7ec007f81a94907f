/** The URL or network of a target cannot be used: one sentence that says what to do, without any secret. */
export class TargetError extends Error {
  override readonly name = 'TargetError'
}
