/**
 * A target's URL or network is invalid. The message is one sentence with the remedy and contains no secret.
 */
export class TargetError extends Error {
  override readonly name = 'TargetError'
}
