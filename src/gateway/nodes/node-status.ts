/**
 * States of a node. Only a healthy one is asked: the others are too far behind the agreed head or ahead of it, fail, are
 * of another network, or have not answered yet.
 */
export const nodeStates = ['healthy', 'lagging', 'ahead', 'open', 'wrong-chain', 'unknown'] as const

/** How a node of a network does at this moment. */
export interface NodeStatus {
  /** What configuration calls the node. */
  readonly name: string
  readonly state: (typeof nodeStates)[number]
  /** Number of its most recent block, as far as it has told; undefined before it told any. */
  readonly head: bigint | undefined
  /** How long its answers to health probes take, in milliseconds, smoothed; undefined before the first. */
  readonly latencyMs: number | undefined
  /** Calls that wait for its answer. */
  readonly inFlight: number
  /** Calls that it failed (no connection, too slow, overloaded, rubbish) since this process knows it. */
  readonly failures: number
}

/** One call of a node, as it ended: for metrics and traces. */
export interface NodeCallEvent {
  /** The node's name. */
  readonly node: string
  readonly method: string
  /** A result, an error of the node's own, or no answer that could be used. */
  readonly outcome: 'result' | 'error' | 'failed'
  readonly milliseconds: number
  /** Calls that travelled in the same request, this one included: 1 for a call that travelled alone. */
  readonly batched: number
}
