import type { JsonValue } from '../../rpc/index.js'
import type { NodeCallOptions, NodeSpan } from './node-call.js'

/** What a node has to know of a call. */
interface TravellingCall {
  readonly method: string
  readonly params: readonly JsonValue[]
  readonly options: NodeCallOptions
  /** True for a call of constant cost, which may travel with others. */
  readonly isSmall: boolean
  /** True for a check of one node. */
  readonly isPinned: boolean
}

/** One try of a call with one node. Ends once: what comes later is not heard. */
export class Attempt {
  /** Calls that travel in the same request, this one included. */
  batched = 1
  hasEnded = false
  /** Where the pool keeps the call while it is under way. */
  place = -1
  /** Where the request of the call is traced. */
  span: NodeSpan | undefined
  /** The request that it travels in; undefined while it waits to leave. */
  request: { leave(): void } | undefined

  /**
   * @param id names the call to the node
   * @param startedAt and
   * @param expiresAt times of a clock that does not go back, in milliseconds: then the next node's turn comes; put off
   * by an answer that is read piece by piece
   */
  constructor(
    readonly call: TravellingCall,
    readonly id: number,
    readonly startedAt: number,
    public expiresAt: number,
  ) {}
}
