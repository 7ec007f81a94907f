/**
 * States of a node. Only healthy nodes receive calls. The other states mean: lagging behind the agreed head,
 * ahead of it, circuit breaker open, on another network, or not checked yet.
 */
export const nodeStates = ['healthy', 'lagging', 'ahead', 'open', 'wrong-chain', 'unknown'] as const

/** Current status of a node. */
export interface NodeStatus {
  /** Name of the node in the configuration. */
  readonly name: string
  readonly state: (typeof nodeStates)[number]
  /** Number of its most recent known block; undefined before the first. */
  readonly head: bigint | undefined
  /** Smoothed latency of health checks, in milliseconds; undefined before the first. */
  readonly latencyMs: number | undefined
  /** Number of calls in flight, including those that wait for their turn. */
  readonly inFlight: number
  /**
   * Number of failed calls since this process started using the node: no connection, timeout, overload, or
   * invalid answer.
   */
  readonly failures: number
}

/** A finished call to a node, for metrics and traces. */
export interface NodeCallEvent {
  /** The node's name. */
  readonly node: string
  readonly method: string
  /** A result, an error from the node, or no usable answer. */
  readonly outcome: 'result' | 'error' | 'failed'
  readonly milliseconds: number
  /** Number of calls in the same request, including this one; 1 for an unbatched call. */
  readonly batched: number
}
