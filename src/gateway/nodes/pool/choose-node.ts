import type { PendingCall } from './pending-call.js'
import type { PoolNode } from './pool-node.js'

/** The chain's state at the time of the choice. */
export interface ChainView {
  /** Number of the most recent block; -1 before the first. */
  readonly number: number
  /** Hash of that block, where it is known. */
  readonly hash: string | undefined
  /** Nodes whose head is below this block are skipped. */
  readonly lowest: number
  /** Nodes whose head is above this block are skipped. */
  readonly uppermost: number
}

/**
 * Chooses the node for a call: the suitable node with the fewest calls in flight relative to its weight. This
 * moves load away from slow nodes without counters, and is round robin among equal nodes.
 *
 * A node is suitable if it is usable, has not been tried yet, has a head near the agreed one, and has the
 * required blocks. The order is: nodes at the agreed head, other nodes, nodes of weight 0, failing nodes that
 * answer checks, and last nodes known to lack the data. Transactions and reads of the pending block go to the
 * first suitable node, so that both reach the same one.
 * @param needed the lowest head with which a node can answer correctly
 * @param turn changes with each call, so that equal nodes alternate
 * @param now time of a monotonic clock, in milliseconds
 * @returns undefined when no node is suitable
 */
export function chooseNode(
  nodes: readonly PoolNode[],
  call: PendingCall,
  needed: number,
  chain: ChainView,
  turn: number,
  now: number,
): PoolNode | undefined {
  const [only] = nodes
  if (nodes.length === 1) {
    const isRight = only !== undefined && (only.isUsable || only.isLastResort) && only.head >= needed
    return isRight && !call.asked.includes(only) ? only : undefined
  }
  const isOrdered = call.options.once === true || call.params.includes('pending')
  const first = isOrdered ? 0 : turn % nodes.length
  let best: PoolNode | undefined
  let bestRank = Number.POSITIVE_INFINITY
  let bestLoad = Number.POSITIVE_INFINITY
  for (let step = 0; step < nodes.length; step++) {
    const node = nodes[(first + step) % nodes.length]
    if (node === undefined || node.head < needed) continue
    if (node.head < chain.lowest || node.head > chain.uppermost) continue
    if (!(node.isUsable || node.isLastResort) || call.asked.includes(node)) continue
    const isLacking = call.older !== undefined && node.lacks.has(call.older, now)
    const rank = rankOf(node, chain) + (isLacking ? 8 : 0)
    const load = isOrdered ? 0 : (node.inFlight + 1) / node.weight
    if (rank > bestRank || (rank === bestRank && load >= bestLoad)) continue
    best = node
    bestRank = rank
    bestLoad = load
  }
  return best
}

/**
 * Ranks a node, lower being better: 1 for a head other than the agreed one, plus 2 for weight 0, plus 4 for a
 * failing node.
 */
function rankOf(node: PoolNode, { number, hash }: ChainView): number {
  const { head, headHash, weight, isUsable } = node
  const isForked = headHash !== undefined && hash !== undefined && headHash !== hash
  return (head !== number || isForked ? 1 : 0) + (weight > 0 ? 0 : 2) + (isUsable ? 0 : 4)
}
