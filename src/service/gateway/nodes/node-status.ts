/**
 * States of a node, as its checks and its calls show them. Nodes in state `ok` receive the calls. The others are used
 * as follows:
 * - `limited`: after the nodes that are ok, and no faster than the node allows. It has recently answered 429.
 * - `failing`: after the nodes that are ok. Calls to it fail although it answers its checks.
 * - `syncing`, `stale`: while no node is ok, limited or failing. The node has not caught up with the chain, or its head
 *   block is old.
 * - `behind`: while no node in a state above is left. Its head is far behind the agreed head.
 * - `ahead`, `wrong-network`, `unreachable`: never. Its head is far ahead of the agreed head, it is on another network,
 *   or it does not answer its checks.
 */
export const nodeStates = [
  'ok',
  'limited',
  'failing',
  'syncing',
  'stale',
  'behind',
  'ahead',
  'wrong-network',
  'unreachable',
] as const

/** The state of a node. */
export type NodeState = (typeof nodeStates)[number]

/** The states of nodes that serve a network, best first. */
export const readyStates = [
  'ok',
  'limited',
  'failing',
  'syncing',
  'stale',
  'behind',
] as const satisfies readonly NodeState[]

/** How a network is served: the state of the best node that is used, or `no node`. */
export type NetworkReadiness = (typeof readyStates)[number] | 'no node'

/** Current status of a node. */
export interface NodeStatus {
  /** Name of the node in the configuration. */
  readonly name: string
  readonly state: NodeState
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
