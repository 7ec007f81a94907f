import type { RpcError } from '../../rpc/index.js'
import type { EdgeResponse } from '../../server/index.js'
import type { AcceptedKey } from '../keys/accepted-key.js'
import type { NodeTrace } from '../nodes/node-call.js'
import type { Place } from '../quota/request-queue.js'

/** The trace of a request. */
export interface RequestTrace extends NodeTrace {
  /** Called when one response of the request is ready. */
  responded(method: string | undefined, code: number | undefined): void
  /** Called when the whole answer is ready. */
  end(httpStatus: number): void
}

/** The caller of a request: the accepted key, and the state of the request. */
export interface Caller extends AcceptedKey {
  /** The `Origin` of the page, when the key has an origin list. The answer carries it in its CORS headers. */
  readonly origin: string | undefined
  /** The response being written. */
  readonly response: EdgeResponse
  /** Time at which the body was complete, in milliseconds of `performance.now()`; 0 before that. */
  startedAt: number
  /** Adjusts the memory reserved for a large body to the size that was read, in bytes; undefined for a small body. */
  bodyRead?: ((bytes: number) => void) | undefined
  /** The trace of the request, when tracing is on. */
  trace?: RequestTrace | undefined
  /** The slot of the request in its user's queue; undefined until it has one. */
  place?: Place | undefined
  /** The error with which the queue refused the request. */
  refusal?: RpcError | undefined
  /** True when the caller has disconnected before the answer. Computed when it is read. */
  readonly hasLeft?: boolean | undefined
  /** Returns a signal that aborts when the caller disconnects before the answer. */
  readonly left?: (() => AbortSignal) | undefined
  /** True when the request is a batch. */
  inBatch: boolean
  /** Bytes of logs that the request holds. */
  heldBytes: number
  /** Bytes of responses that wait for the rest of a batch, or for the caller to read them. */
  answerBytes: number
  /** Changes the reservation for these bytes; undefined while there is none. */
  resizeAnswer?: ((bytes: number) => boolean) | undefined
}
