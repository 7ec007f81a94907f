import type { JsonValue, RpcError } from '../../rpc/index.js'
import type { MethodProfile } from '../profiles/index.js'
import type { Attempt } from './attempt.js'
import { type OlderData, olderData } from './head-of-call.js'
import type { NodeAnswer, NodeCallOptions } from './node-call.js'
import type { PoolNode } from './pool-node.js'

/** A call of the network: it lives until its caller has an answer, over as many attempts as that takes. */
export class PendingCall {
  /** The nodes that were asked, in order, the last of them now; one may be there twice. */
  readonly asked: PoolNode[] = []
  /** The try that is under way. */
  attempt: Attempt | undefined
  /** True for a call of one node alone. */
  isPinned = false
  /** True for a call of constant cost, which may travel with others. */
  isSmall: boolean
  /** Until when it waits for a node that can be asked; 0 before it does. */
  waitsUntil = 0
  /** The data of an older block that the answer needs. */
  readonly older: OlderData | undefined
  /** What is answered when no node does better: that it lacks the method or the data, or takes no more calls. */
  refusal: NodeAnswer | undefined
  /** An answer about a block that one node alone has; the caller gets it when no other node can be asked. */
  unconfirmed: NodeAnswer | undefined
  /** Why the last attempt failed. */
  failure: RpcError | undefined
  /** True when the last attempt failed for its connection. */
  isBroken = false

  /**
   * @param expiresAt when the caller's time is over, by a clock that does not go back, in milliseconds
   */
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
