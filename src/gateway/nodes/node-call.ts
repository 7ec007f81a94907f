import type { JsonValue } from '../../rpc/index.js'

/** A JSON-RPC error object in a node's own dialect (JSON-RPC 2.0, section 5.1); nodes differ in codes and wording. */
export interface NodeError {
  readonly code: number
  readonly message: string
  readonly data?: JsonValue
}

/** What a node answered to one call: an error in the node's dialect is an answer, too. */
export type NodeAnswer =
  | { readonly result: JsonValue; readonly error?: undefined }
  | {
      readonly error: NodeError
      readonly result?: undefined
      /** True when an attempt before this one may have reached a node, so that the error may speak of that one. */
      readonly isRepeated?: boolean
    }

/** What a trace tells of one call to a node. */
export interface NodeSpan {
  /** The header that the call carries (W3C Trace Context). */
  readonly traceparent: string
  /** A result, an error of the node's own, or no answer that could be used. */
  end(outcome: 'result' | 'error' | 'failed'): void
}

/** Takes the calls of a request into its trace. */
export interface NodeTrace {
  /** A call to a node begins. */
  nodeCall(node: string, method: string): NodeSpan
}

/** A log of an answer, in the contract's form. */
export interface LogText {
  /** Its JSON text, in UTF-8. */
  readonly text: Uint8Array
  /** Number of its block. */
  readonly block: number
  /** Its position in the block. */
  readonly index: number
}

/**
 * What becomes of an answer after some of its logs: it goes on, has told enough, is no answer to the call, or waits
 * until its reader has room for more.
 */
export type LogFlow = 'more' | 'enough' | 'rubbish' | Promise<void>

/** Takes the logs of an answer while it comes: answers of eth_getLogs are larger than what can be held. */
export interface LogReceiver {
  /** Takes the next logs, in the node's order. */
  take(logs: readonly LogText[]): LogFlow
  /**
   * Forgets what it took: the answer failed, and the call is made again.
   * @returns false when that cannot be taken back any more
   */
  restart(): boolean
}

/** Tells, when it is looked at, whether nobody waits for an answer any more; an AbortSignal is one. */
export interface CallSignal {
  readonly aborted: boolean
  /** What the call is rejected with then. */
  readonly reason: unknown
}

/** How one call is made. */
export interface NodeCallOptions {
  /** The caller's: the call is given up when nobody waits for its answer any more. */
  readonly signal?: CallSignal | undefined
  /** True for a call that changes something: it goes to one node at a time, always the same one where that can be. */
  readonly once?: boolean | undefined
  /** Takes the logs of eth_getLogs; the result is an empty list then. */
  readonly logs?: LogReceiver | undefined
  /** True for an error that another node may not have: it is asked, and the error stands when no other does better. */
  readonly mayDoBetter?: ((error: NodeError) => boolean) | undefined
  /**
   * Names a form of a call that not every node takes, such as a state override. A node that refuses it is not asked in
   * this form again until it has failed and recovered.
   */
  readonly technique?: string | undefined
  /**
   * True for an error of a state read that does not come from missing state, such as a revert. After another error the
   * node is asked whether it has the state of the block; other nodes are asked if it does not.
   */
  readonly isOwnError?: ((error: NodeError) => boolean) | undefined
  /** The caller's, where requests are traced. */
  readonly trace?: NodeTrace | undefined
  /** Parameters whose JSON text is known: where they go to a node as they are, they are not written again. */
  readonly written?: WrittenParams | undefined
}

/** Parameters and their JSON text. */
export interface WrittenParams {
  readonly params: readonly JsonValue[]
  readonly text: string
}

/**
 * Asks a node. Rejects with an RpcError of the contract when no answer was had (no node, too slow, rubbish), and with
 * the signal's reason when the caller left.
 */
export type NodeCall = (
  method: string,
  params: readonly JsonValue[],
  options?: NodeCallOptions,
) => Promise<NodeAnswer>
