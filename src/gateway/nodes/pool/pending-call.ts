import type { JsonValue, RpcError } from '@concordat/rpc'
import type { MethodProfile } from '../../profiles/index.js'
import { type OlderData, olderData } from '../head-of-call.js'
import type { NodeAnswer, NodeCallOptions } from '../node-call.js'
import type { Attempt, NodeRequest } from '../node-request.js'
import type { ChainHead } from './chain-head.js'
import type { PoolNode } from './pool-node.js'

/** A call from its start until the caller has an answer, including all of its attempts. */
export class PendingCall {
  /** The tried nodes, in order; the last one is the current node. A retried node is listed twice. */
  readonly tried: PoolNode[] = []
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
  /** True if a second attempt at the same node may succeed after the failure of the last one. */
  mayRepeat = false

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

  /**
   * Ends the call because its caller has disconnected.
   * @param request the request that a node still works on
   */
  leave(reason: unknown, request: NodeRequest | undefined): void {
    const { callers, keepPlace } = this.options
    if (request !== undefined) {
      keepPlace?.(request.whenEnded)
      callers?.keepPlace?.(request.whenEnded)
    }
    this.reject(reason)
  }
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
  chain: ChainHead,
  turn: number,
  now: number,
): PoolNode | undefined {
  const [only] = nodes
  if (nodes.length === 1) {
    const isRight = only !== undefined && (only.isUsable || only.isLastResort) && only.head >= needed
    return isRight && !call.tried.includes(only) ? only : undefined
  }
  const isOrdered = isOrderedCall(call)
  const first = isOrdered ? 0 : turn % nodes.length
  let best: PoolNode | undefined
  let bestRank = Number.POSITIVE_INFINITY
  let bestLoad = Number.POSITIVE_INFINITY
  for (let step = 0; step < nodes.length; step++) {
    const node = nodes[(first + step) % nodes.length]
    if (node === undefined || !isSuitable(node, call, needed, chain)) continue
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

/** True for a transaction or a read of the pending block, which go to the first suitable node. */
const isOrderedCall = ({ options, params }: PendingCall) =>
  options.once === true || params.includes('pending')

const isSuitable = (node: PoolNode, call: PendingCall, needed: number, chain: ChainHead) =>
  node.head >= needed &&
  chain.distance(node) === 'healthy' &&
  !call.tried.includes(node) &&
  (node.isUsable || node.isLastResort)

/**
 * Returns the nodes to which a waiting call may move. It waits for its user's turn at a node, and another node may
 * have a turn for it earlier.
 * @param needed the lowest head with which a node can answer correctly
 * @param now time of a monotonic clock, in milliseconds
 */
export function otherNodes(
  nodes: readonly PoolNode[],
  call: PendingCall,
  needed: number,
  chain: ChainHead,
  now: number,
): readonly PoolNode[] {
  if (call.isPinned || isOrderedCall(call)) return []
  const { older, options } = call
  return nodes.filter(
    (node) =>
      node.weight > 0 &&
      node.isUsable &&
      isSuitable(node, call, needed, chain) &&
      !(older !== undefined && node.lacks.has(older, now)) &&
      !(options.technique !== undefined && node.refuses.has(options.technique)),
  )
}

/**
 * Ranks a node, lower being better: 1 for a head other than the agreed one, plus 2 for weight 0, plus 4 for a
 * failing node.
 */
function rankOf(node: PoolNode, { number, hash }: ChainHead): number {
  const { head, headHash, weight, isUsable } = node
  const isForked = headHash !== undefined && hash !== undefined && headHash !== hash
  return (head !== number || isForked ? 1 : 0) + (weight > 0 ? 0 : 2) + (isUsable ? 0 : 4)
}

/** True when an untried node may soon be identified, or may soon reach the blocks that the answer needs. */
export function mayNodeComeSoon(
  nodes: readonly PoolNode[],
  call: PendingCall,
  needed: number,
  chain: ChainHead,
): boolean {
  return nodes.some((node) => {
    if (node.isRightChain === undefined) return !node.circuit.isOpen
    const isBehind = node.head < needed && chain.distance(node) === 'healthy'
    return node.isUsable && isBehind && !call.tried.includes(node)
  })
}

/**
 * Returns the time for one attempt, in milliseconds. While an untried node is available, it is a share of the rest, so
 * that a slow node leaves time for a retry.
 * @param restMs time until the deadline of the call
 * @param smallTryMs maximum for a call of constant cost while another node is available
 */
export function attemptMs(
  nodes: readonly PoolNode[],
  call: PendingCall,
  restMs: number,
  smallTryMs: number,
): number {
  const isUntried = (node: PoolNode) =>
    node.isRightChain !== false && !node.circuit.isOpen && !call.tried.includes(node)
  if (!nodes.some(isUntried)) return restMs
  return call.isSmall ? Math.min(restMs / 2, smallTryMs) : restMs / 2
}
