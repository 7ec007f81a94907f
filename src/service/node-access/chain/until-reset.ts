import { isCallError, isTransportError } from '@concordat/client'
import { isRpcError } from '@concordat/node-access-contract/client'

/** Longest wait for a spent limit, in milliseconds. The limit may be raised before it resets. */
const longestMilliseconds = 900_000

/**
 * Returns the milliseconds until a retry may succeed: `Retry-After`, or the time to the reset of a spent limit. The
 * service sends `Retry-After` only for limits that reset soon, and never in a batch.
 * @returns 0 if the error states no time
 */
export function untilReset(error: unknown): number {
  const { retryAfterSeconds } = answerOf(error)
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1_000
  const reset = isRpcError(error, 'limitExceeded') ? Date.parse(error.data?.resetAt ?? '') : Number.NaN
  return Number.isNaN(reset) ? 0 : Math.min(reset - Date.now(), longestMilliseconds)
}

/** The parts of the HTTP answer that an error of the client has. */
export function answerOf(error: unknown): {
  readonly httpStatus?: number | undefined
  readonly retryAfterSeconds?: number | undefined
} {
  return isCallError(error) || isTransportError(error) ? error : {}
}
