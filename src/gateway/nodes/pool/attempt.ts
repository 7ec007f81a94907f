import type { JsonValue } from '../../../rpc/index.js'
import type { NodeCallOptions, NodeSpan } from '../node-call.js'

/** The parts of a call that a node needs. */
interface TravellingCall {
  readonly method: string
  readonly params: readonly JsonValue[]
  readonly options: NodeCallOptions
  /** True for a call of constant cost, which may be batched. */
  readonly isSmall: boolean
  /** True for a call that must go to this node, such as a check. */
  readonly isPinned: boolean
}

/** One attempt of a call at one node. It ends once; later events are ignored. */
export class Attempt {
  /** Number of calls in the same request, including this one. */
  batched = 1
  hasEnded = false
  /** Index of the call in the pool's list of calls in flight. */
  place = -1
  /** The trace span of this attempt, where requests are traced. */
  span: NodeSpan | undefined
  /** The request that carries the attempt; undefined while it is queued. */
  request: { leave(): void } | undefined

  /**
   * @param id the JSON-RPC id of the call to the node
   * @param startedAt start, in milliseconds of a monotonic clock
   * @param expiresAt deadline on the same clock, after which the next node is tried; extended while an answer
   * is streamed
   */
  constructor(
    readonly call: TravellingCall,
    readonly id: number,
    readonly startedAt: number,
    public expiresAt: number,
  ) {}
}
