import { type Failures, failureError } from '../protocol/failures.js'
import type { Recipient } from '../protocol/http-source.js'
import type { FairLimiter, Holder, LeaveSignal } from './fair-limiter.js'

const millisecondsPerSecond = 1_000

/**
 * Waits until a request starts.
 * @param response response of the request; when the caller disconnects, it closes and the request leaves
 * @returns false if the caller has disconnected. Rejects with RpcError `queuedTooLong` after the maximum time
 */
export async function waitToStart<H extends Holder>(
  limiter: FairLimiter<H>,
  holder: H,
  response: Recipient,
  { queueSeconds }: { readonly queueSeconds: number },
  { queuedTooLong }: Pick<Failures, 'queuedTooLong'>,
  needs: { readonly units?: number; readonly bytes?: number } = {},
): Promise<boolean> {
  const milliseconds = queueSeconds * millisecondsPerSecond
  const end = await limiter.wait(holder, { ...needs, milliseconds, signal: signalOf(response) })
  if (end === 'late') throw failureError(queuedTooLong)
  return end === 'taken'
}

/** Returns a signal that fires when a response closes, without an AbortController for each request that waits. */
export const signalOf = (response: Recipient): LeaveSignal => ({
  get aborted() {
    return response.destroyed
  },
  addEventListener(_type, listener) {
    response.once('close', listener)
  },
  removeEventListener(_type, listener) {
    response.off('close', listener)
  },
})
