import type { PendingCall } from './pending-call.js'
import type { PoolNode } from './pool-node.js'

/** What is known of the network when a node is chosen. */
export interface ChainView {
  /** Number of the most recent block; -1 before the first. */
  readonly number: number
  /** Hash of that block, where it is known. */
  readonly hash: string | undefined
  /** Nodes whose head is below this block, … */
  readonly lowest: number
  /** … or above this one, are not asked. */
  readonly uppermost: number
}

/**
 * Chooses the node for a call: among the nodes that are right for it the one with the fewest calls in flight for its
 * weight. That needs no counters of its own, takes a slow node's calls away by itself, and with equal nodes is
 * round robin.
 *
 * A node is right if it may be asked, was not asked yet, has a head near the others', and has the blocks that the
 * answer needs. Nodes whose most recent block is the network's come first, then other nodes, then nodes of weight 0, then
 * nodes that fail calls but answer checks, and last nodes that were found to lack the data. What is read right after something was sent,
 * and what is sent, goes to the first of the right nodes, so that it is the same one.
 * @param needed the lowest head that a node must have for the answer to be right
 * @param turn changes with each call, so that equal nodes take turns
 * @param now time of a clock that does not go back, in milliseconds
 * @returns undefined when no node is right
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

/** 0 for a node with the network's head, 1 for another; 2 more for one of weight 0, 4 more for one that fails. */
function rankOf(node: PoolNode, { number, hash }: ChainView): number {
  const { head, headHash, weight, isUsable } = node
  const isForked = headHash !== undefined && hash !== undefined && headHash !== hash
  return (head !== number || isForked ? 1 : 0) + (weight > 0 ? 0 : 2) + (isUsable ? 0 : 4)
}
