import type { RpcError } from '@concordat/rpc'
import { checkHeaders } from '../protocol/encode-answer.js'
import { checkStatus } from '../protocol/failures.js'
import { isPromiseLike } from '../protocol/promises.js'
import type { Admission } from '../protocol/protocol-options.js'
import type { Exchange } from './exchange.js'

/** A message that was received, before its calls are validated. */
export interface AdmissionRequest<Context> {
  readonly context: Context
  /**
   * Number of calls: those of a batch, and 1 for everything else, such as a body that cannot be parsed. 0 for a message
   * that the service refuses itself: only headers are taken from its admission.
   */
  readonly calls: number
  /** The error with which the service refuses the message. */
  readonly refusal: RpcError | undefined
  /** Aborted when the caller disconnects, or at the deadline. */
  readonly signal: AbortSignal
}

/**
 * Decides how many calls of a message run. A thrown RpcError refuses all of them; anything else is reported and answered
 * with `handlerFailed`.
 */
export type Admit<Context> = (request: AdmissionRequest<Context>) => Admission | PromiseLike<Admission>

/** Asks for the admission of a message; a promise only if `admit` returns one. Never throws or rejects. */
export type AdmitMessage<Context> = (
  exchange: Exchange<Context>,
  calls: number,
  refusal: RpcError | undefined,
) => Admission | Promise<Admission>

/**
 * Creates the step that asks for admissions.
 * @param thrown turns a thrown value into the error of the calls
 */
export function createAdmitMessage<Context>(
  admit: Admit<Context>,
  thrown: (cause: unknown, exchange: Exchange<Context>) => RpcError,
): AdmitMessage<Context> {
  return (exchange, calls, refusal) => {
    const refused = (cause: unknown): Admission => ({
      admitted: 0,
      error: refusal ?? thrown(cause, exchange),
    })
    const decided = (admission: Admission): Admission => {
      try {
        checkAdmission(admission)
        return refusal === undefined ? admission : { headers: admission.headers, admitted: 0, error: refusal }
      } catch (cause) {
        return refused(cause)
      }
    }
    try {
      const admission = admit(new Arrival(exchange, refusal === undefined ? calls : 0, refusal))
      if (!isPromiseLike(admission)) return decided(admission)
      return Promise.resolve(admission).then(decided, refused)
    } catch (cause) {
      return refused(cause)
    }
  }
}

/**
 * Checks the values that `admit` returned: the number of admitted calls, the headers and the HTTP status.
 * @throws TypeError if `admitted` is not a number or a header is invalid; RangeError for an invalid status
 */
export function checkAdmission({ admitted, headers, status }: Admission): void {
  if (!(admitted <= Number.POSITIVE_INFINITY))
    throw new TypeError(`The number of admitted calls is ${admitted}`)
  checkHeaders(headers)
  if (status !== undefined) checkStatus(status, false)
}

/** The signal is created when `admit` reads it. */
class Arrival<Context> implements AdmissionRequest<Context> {
  readonly calls: number
  readonly refusal: RpcError | undefined
  readonly #exchange: Exchange<Context>

  constructor(exchange: Exchange<Context>, calls: number, refusal: RpcError | undefined) {
    this.calls = calls
    this.refusal = refusal
    this.#exchange = exchange
  }

  get context(): Context {
    return this.#exchange.context
  }

  get signal(): AbortSignal {
    return this.#exchange.signal
  }
}
