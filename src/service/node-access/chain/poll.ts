import { exponentialDelay, isCallError, isTransportError } from '@concordat/client'
import { sleep } from './sleep.js'
import { answerOf, untilReset } from './until-reset.js'

/** Options of functions that poll the service. */
export interface PollOptions {
  /** Time between two polls, in milliseconds. Each poll is charged as at least one request. */
  readonly intervalMilliseconds?: number | undefined
  /** Ends the function, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Receives every temporary error. The poll is repeated afterwards, unless the function throws. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** Defaults of the functions that poll. */
export const pollDefaults = {
  /** Interval of `watchBlocks` and `watchLogs`. */
  watchMilliseconds: 10_000,
  /** Interval of `waitForReceipt`. */
  receiptMilliseconds: 2_000,
  /** Longest delay after temporary errors, which starts at the interval and doubles. */
  longestDelayMilliseconds: 60_000,
} as const

/** What a poll has seen so far. */
export interface PollState {
  /** Number of consecutive errors. */
  failures: number
  /** True once the service has answered. Until then, a refused key is a permanent error. */
  hasAnswer: boolean
}

/** The state of a poll before its first request. */
export const newPoll = (): PollState => ({ failures: 0, hasAnswer: false })

/**
 * Returns the delay after a temporary error: a network error, a timeout, an unavailable service, a spent limit, or a
 * refused key that worked before.
 * @param interval interval of the poll, in milliseconds
 * @returns milliseconds
 * @throws every other error, and the reason of the signal
 */
export function delayAfter(
  error: unknown,
  state: PollState,
  interval: number,
  { signal, onError }: PollOptions,
): number {
  signal?.throwIfAborted()
  if (!isTemporary(error, state)) throw error
  state.failures += 1
  onError?.(error)
  const longest = pollDefaults.longestDelayMilliseconds
  return Math.max(exponentialDelay(state.failures, interval, longest), untilReset(error))
}

/**
 * Returns the interval of a poll, in milliseconds.
 * @throws RangeError unless it is greater than 0
 */
export function intervalOf({ intervalMilliseconds }: PollOptions, otherwise: number): number {
  const interval = intervalMilliseconds ?? otherwise
  if (interval > 0) return interval
  throw new RangeError(`intervalMilliseconds is ${String(interval)}: use a number greater than 0`)
}

/** Repeats a pass until the signal aborts or an error is not temporary. */
export async function* poll<Item>(
  pass: () => AsyncIterable<Item>,
  options: PollOptions,
): AsyncGenerator<Item, never, undefined> {
  const interval = intervalOf(options, pollDefaults.watchMilliseconds)
  const state = newPoll()
  for (;;) {
    let delay = interval
    try {
      for await (const item of pass()) {
        state.hasAnswer = true
        yield item
      }
      Object.assign(state, { failures: 0, hasAnswer: true })
    } catch (error) {
      delay = delayAfter(error, state, interval, options)
    }
    await sleep(delay, options.signal)
  }
}

function isTemporary(error: unknown, { hasAnswer }: PollState): boolean {
  const { httpStatus = 0, retryAfterSeconds } = answerOf(error)
  return (
    isTransportError(error, 'network') ||
    isTransportError(error, 'timeout') ||
    // In a batch these errors come with HTTP status 200.
    isCallError(error, 'unavailable') ||
    isCallError(error, 'internalError') ||
    isCallError(error, 'limitExceeded') ||
    (hasAnswer && isCallError(error, 'unauthorized')) ||
    httpStatus >= 500 ||
    (httpStatus === 429 && retryAfterSeconds !== undefined)
  )
}
