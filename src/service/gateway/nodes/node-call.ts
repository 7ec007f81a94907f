import type { JsonValue } from '@concordat/rpc'

/**
 * A JSON-RPC error object in a node's own dialect (JSON-RPC 2.0, section 5.1); nodes differ in codes and
 * wording.
 */
export interface NodeError {
  readonly code: number
  readonly message: string
  readonly data?: JsonValue
}

/** A node's answer to one call. An error in the node's dialect is an answer, too. */
export type NodeAnswer =
  | { readonly result: JsonValue; readonly error?: undefined }
  | {
      readonly error: NodeError
      readonly result?: undefined
      /**
       * True when an earlier attempt may have reached a node, so that the error may be a consequence of that
       * attempt.
       */
      readonly isRepeated?: boolean
    }

/** The trace span of one call to a node. */
export interface NodeSpan {
  /** The `traceparent` header of the call (W3C Trace Context). */
  readonly traceparent: string
  /** Ends the span: with a result, an error from the node, or no usable answer. */
  end(outcome: 'result' | 'error' | 'failed'): void
}

/** Adds the node calls of a request to its trace. */
export interface NodeTrace {
  /** Starts the span of a call to a node. */
  nodeCall(node: string, method: string): NodeSpan
}

/** An event log of an answer, in the contract's form. */
export interface LogText {
  /** Its JSON text, in UTF-8. */
  readonly text: Uint8Array
  /** Number of its block. */
  readonly block: number
  /** Its position in the block. */
  readonly index: number
}

/**
 * How to proceed after some logs of an answer: read more, stop with enough logs, or reject the answer as
 * invalid. A promise means backpressure: reading continues when it resolves.
 */
export type LogFlow = 'more' | 'enough' | 'rubbish' | Promise<void>

/** Receives the logs of an answer in a stream, because answers of eth_getLogs may not fit in memory. */
export interface LogReceiver {
  /** Receives the next logs, in the node's order. */
  take(logs: readonly LogText[]): LogFlow
  /**
   * Discards the received logs: the answer failed, and the call is retried.
   * @returns false when the logs have been sent already and cannot be discarded
   */
  restart(): boolean
  /** Waits until this process may read on; the time for the answer stops meanwhile. */
  pausedFor?(turn: Promise<void>): Promise<void>
}

/** Indicates whether the caller has disconnected. It is polled; an AbortSignal satisfies the interface. */
export interface CallSignal {
  readonly aborted: boolean
  /** The reason with which an aborted call rejects. */
  readonly reason: unknown
}

/** The users who wait for the answer of a node call. Limits and turns of node calls are counted by user. */
export interface NodeCallers {
  /** Ids of the users, without duplicates; empty for the service itself. Users may join while the call is made. */
  readonly userIds: readonly string[]
  /**
   * Number of node calls for this answer that wait for a turn of these users. Other users do not join the call
   * meanwhile, so that they never wait for someone else's turn.
   */
  queued: number
  /** Number of node calls asked for, for this answer. */
  calls: number
  /**
   * Counts a call that is sent to a node, for the user who started the work. Each attempt counts, because it is
   * work for a node. Users who join count none.
   */
  countNodeCall(): void
  /** Keeps the requests of disconnected callers in the count of requests in flight until the node has answered. */
  keepPlace?(until: Promise<void>): void
}

/** Options of one call. */
export interface NodeCallOptions {
  /** The users for whom the call is made; absent for calls that the service makes for itself. */
  readonly callers?: NodeCallers | undefined
  /** When the time of the call began, in milliseconds of a monotonic clock; the default is now. */
  readonly since?: number | undefined
  /** The caller's signal: the call is cancelled after the caller has disconnected. */
  readonly signal?: CallSignal | undefined
  /** True for a call with side effects. It goes to one node at a time, preferably always to the same node. */
  readonly once?: boolean | undefined
  /** Keeps a disconnected caller's call in the counts until a node has answered it. */
  readonly keepPlace?: ((until: Promise<void>) => void) | undefined
  /** Receives the logs of eth_getLogs; the result is then an empty list. */
  readonly logs?: LogReceiver | undefined
  /**
   * Returns true for an error that may be specific to this node. Another node is then tried; if it fails,
   * too, the error is the answer.
   */
  readonly mayDoBetter?: ((error: NodeError) => boolean) | undefined
  /**
   * Names a form of a call that some nodes do not support, such as a state override. A node that refuses it
   * receives no calls of this form until it has failed and recovered.
   */
  readonly technique?: string | undefined
  /**
   * Returns true for an error of a state read that does not come from missing state, such as a revert. After
   * any other error, a check finds out whether the node has the state of the block. If it does not, other
   * nodes are tried.
   */
  readonly isOwnError?: ((error: NodeError) => boolean) | undefined
  /** The caller's trace, where requests are traced. */
  readonly trace?: NodeTrace | undefined
  /** Parameters with their JSON text, which avoids serialising them again. */
  readonly written?: WrittenParams | undefined
}

/** Parameters and their JSON text. */
export interface WrittenParams {
  readonly params: readonly JsonValue[]
  readonly text: string
}

/**
 * Calls a node. Rejects with an RpcError of the contract when there is no usable answer: no node, timeout, or
 * invalid response. Rejects with the signal's reason when the caller has disconnected.
 */
export type NodeCall = (
  method: string,
  params: readonly JsonValue[],
  options?: NodeCallOptions,
) => Promise<NodeAnswer>
