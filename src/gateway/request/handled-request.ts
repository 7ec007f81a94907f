import type { RpcError } from '@concordat/rpc'
import type { Answer, EdgeRequest, ItemAnswer, RequestProblem } from '@concordat/server'
import type { AcceptedKey } from '../keys/index.js'
import type { NodeTrace } from '../nodes/index.js'
import type { RequestNetwork } from './find-network.js'

/** The caller of a request: an accepted key, used from an allowed client. */
export interface Caller {
  readonly key: AcceptedKey
  readonly network: RequestNetwork
  /** The `Origin` of the page, when the key has a list of origins. */
  readonly origin: string | undefined
}

/** The outcome of one call of a request. */
export interface Outcome {
  /** Undefined when the call names no method of the contract. */
  readonly method: string | undefined
  readonly error: RpcError | undefined
  /** Time since the body was complete, in milliseconds; 0 when the body was not read. */
  readonly milliseconds: number
  /** Number of calls that were sent to nodes for it, including repeated attempts. */
  readonly nodeCalls: number
}

/** The response to one call, and its outcome. */
export interface CallAnswer extends Outcome, ItemAnswer {
  /** The end of a response that is streamed. Never rejects. */
  readonly ended?: Promise<Outcome> | undefined
}

/** A request that was handled, for the log, metrics and traces. */
export interface HandledRequest {
  /** Undefined when the caller disconnected before there was an answer. */
  readonly answer: Answer | undefined
  /** The key of an accepted request. */
  readonly key?: AcceptedKey | undefined
  /** Why the request was refused before it was accepted. */
  readonly refusal?: RpcError | undefined
  /** The calls of an accepted request, in order. */
  readonly calls: readonly CallAnswer[]
}

/**
 * Handles a request. Never rejects. Wrappers for the log, metrics and traces have the same type.
 * @param problem the reason for which the transport refuses the request
 * @param trace records the calls to nodes
 */
export type Handle = (
  request: EdgeRequest,
  problem?: RequestProblem,
  trace?: NodeTrace,
) => Promise<HandledRequest>
