import type { JsonValue, RpcError } from '../../../rpc/index.js'
import type { MethodProfile } from '../../profiles/index.js'
import { type OlderData, olderData } from '../head-of-call.js'
import type { NodeAnswer, NodeCallOptions } from '../node-call.js'
import type { Attempt } from '../node-request.js'
import type { PoolNode } from './pool-node.js'

/** A call from its start until the caller has an answer, including all of its attempts. */
export class PendingCall {
  /** The tried nodes, in order; the last one is the current node. A retried node is listed twice. */
  readonly asked: PoolNode[] = []
  /** The attempt in flight. */
  attempt: Attempt | undefined
  /** True for a call that must go to one specific node. */
  isPinned = false
  /** True for a call of constant cost, which may be batched. */
  isSmall: boolean
  /** Deadline for waiting for a node; 0 before the call waits. */
  waitsUntil = 0
  /** The data of an older block that the answer needs. */
  readonly older: OlderData | undefined
  /**
   * The fallback answer if all nodes fail: an error about a missing method, missing data, or an overloaded
   * node.
   */
  refusal: NodeAnswer | undefined
  /**
   * An answer about a block that only one node has. The caller receives it when no other node is available.
   */
  unconfirmed: NodeAnswer | undefined
  /** Why the last attempt failed. */
  failure: RpcError | undefined
  /** True when the last attempt failed because of its connection. */
  isBroken = false

  /** @param expiresAt deadline of the call, in milliseconds of a monotonic clock */
  constructor(
    readonly method: string,
    readonly params: readonly JsonValue[],
    readonly options: NodeCallOptions,
    readonly profile: MethodProfile,
    readonly expiresAt: number,
    readonly resolve: (answer: NodeAnswer) => void,
    readonly reject: (reason: unknown) => void,
  ) {
    this.isSmall = profile.isSmall
    this.older = olderData(profile, params)
  }
}
