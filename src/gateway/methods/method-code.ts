import type { JsonValue, RawJson, RawJsonStream } from '../../rpc/index.js'
import type { Asker } from '../cache/recent-calls.js'
import type { NodeCall, NodeCallOptions } from '../nodes/node-call.js'
import type { MethodProfile } from '../profiles/method-profile.js'

/**
 * Answers a method with the nodes' help.
 * @param params positional, valid, defaults filled in
 * @throws RpcError in the contract's codes
 */
export type Plan = (
  call: NodeCall,
  profile: MethodProfile,
  params: readonly JsonValue[],
  options?: NodeCallOptions,
) => Promise<JsonValue>

/** The caller of a method whose answers are not shared between callers. */
export interface SingleCaller extends Asker {
  readonly userId: string
  /** Gives a signal that is aborted when the caller leaves before the answer. */
  readonly left?: (() => AbortSignal) | undefined
  /** True when the request is a batch. */
  readonly inBatch: boolean
  /** Size of the answers that the request holds so far, in bytes. */
  heldBytes: number
}

/** A method that the service has code for (`x-answer`). */
export type MethodCode =
  /** Answered from the parameters alone: no node is asked. */
  | { readonly local: (params: readonly JsonValue[]) => JsonValue }
  /** Answered once for all callers who ask the same at the same time, and kept as the contract states. */
  | { readonly shared: Plan }
  /** Answered for each caller: an answer can be too large to be held, or kept. */
  | {
      readonly single: (
        call: NodeCall,
        params: readonly JsonValue[],
        caller: SingleCaller,
      ) => Promise<RawJson | RawJsonStream>
    }
