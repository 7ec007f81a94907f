import { type Headers, type MiddlewareCall, positive, type RetryOptions } from '../client-options.js'
import { transportFault } from '../fault.js'
import type { Core } from './core.js'
import type { PendingCall } from './pending-call.js'

/** A call that may be sent several times. */
export interface AttemptedCall extends PendingCall {
  /** Milliseconds for each attempt. */
  readonly timeoutMilliseconds: number
  /** Time at which the budget ends, in milliseconds of `performance.now`. */
  readonly deadline: number
  readonly retry: false | RetryOptions | undefined
  /** HTTP headers of the call. All calls of a batch share them. */
  readonly headers: Headers | undefined
  /** HTTP requests that were sent for the call. */
  attempts: number
}

/** What a call takes from its client. */
export interface CallSettings {
  readonly core: Core
  readonly budgetMilliseconds: number
  readonly retry: false | RetryOptions | undefined
}

/**
 * Encodes a call and starts its budget.
 * @throws TypeError that names the parameter that JSON does not support, such as a BigInt or NaN
 * @throws RangeError when a time is not greater than 0
 * @throws the reason of an aborted signal
 */
export function startAttempts(call: MiddlewareCall, settings: CallSettings): AttemptedCall {
  const { core } = settings
  const {
    timeoutMilliseconds = core.timeoutMilliseconds,
    budgetMilliseconds = settings.budgetMilliseconds,
    retry = settings.retry,
    headers,
  } = call.options
  positive({ timeoutMilliseconds, budgetMilliseconds })
  // Engines copy the members of a literal faster than those of an object that was made with a spread.
  return Object.assign(core.start(call, { milliseconds: budgetMilliseconds, fault: budgetFault }), {
    timeoutMilliseconds,
    deadline: performance.now() + budgetMilliseconds,
    retry,
    headers,
    attempts: 0,
  })
}

const budgetFault = (milliseconds: number) =>
  transportFault({ kind: 'timeout', message: `no result within the budget of ${milliseconds} ms.` })
