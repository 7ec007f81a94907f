import { isCallError, isTransportError } from '@concordat/client'
import { sleep } from './sleep.js'

/** Options of functions that poll the service. */
export interface PollOptions {
  /** Time between two polls, in milliseconds. Each poll is charged as at least one request. */
  readonly intervalMilliseconds?: number | undefined
  /** Ends the function, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Receives every temporary error. The poll is repeated afterwards. */
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

/**
 * Returns the delay after a temporary error: a network error, a timeout, an unavailable service, or a limit
 * with a time to wait. Rejects with every other error, and with the reason of the signal.
 * @param failures number of consecutive errors, at least 1
 * @returns milliseconds
 */
export function delayAfter(
  error: unknown,
  failures: number,
  interval: number,
  { signal, onError }: PollOptions,
): number {
  signal?.throwIfAborted()
  if (!isTemporary(error)) throw error
  onError?.(error)
  const backoff = Math.min(interval * 2 ** (failures - 1), pollDefaults.longestDelayMilliseconds)
  return Math.max(backoff, (answerOf(error).retryAfterSeconds ?? 0) * 1_000)
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
  for (let failures = 0; ; ) {
    let delay = interval
    try {
      yield* pass()
      failures = 0
    } catch (error) {
      failures += 1
      delay = delayAfter(error, failures, interval, options)
    }
    await sleep(delay, options.signal)
  }
}

function isTemporary(error: unknown): boolean {
  const { httpStatus = 0, retryAfterSeconds } = answerOf(error)
  return (
    isTransportError(error, 'network') ||
    isTransportError(error, 'timeout') ||
    // In a batch these errors come with HTTP status 200.
    isCallError(error, 'unavailable') ||
    isCallError(error, 'internalError') ||
    httpStatus >= 500 ||
    (httpStatus === 429 && retryAfterSeconds !== undefined)
  )
}

/** The parts of the HTTP answer that an error of the client has. */
function answerOf(error: unknown): {
  readonly httpStatus?: number | undefined
  readonly retryAfterSeconds?: number | undefined
} {
  return isCallError(error) || isTransportError(error) ? error : {}
}
