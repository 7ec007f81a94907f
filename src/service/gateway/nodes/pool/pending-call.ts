import type { JsonValue, RpcError } from '@concordat/rpc'
import type { MethodProfile } from '../../profiles/index.js'
import { neededHead, type OlderData, olderData, type ReportedHead } from '../head-of-call.js'
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
  /** Time until which the call waits for a node. */
  waitsUntil = 0
  /** Deadline for waiting for a block; 0 before the call waits for one. */
  #blockUntil = 0
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
  /** Nodes whose attempts ended early, because another node was there to be tried. */
  cutShort: PoolNode[] | undefined
  /** Nodes that answered with an internal error. */
  internalAt: PoolNode[] | undefined

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
   * Returns a node that was tried and gets another attempt; undefined without one. After a broken connection or an
   * unusable answer, the last node gets it, once. Otherwise a slow node whose attempt was ended in favour of another
   * one.
   */
  nodeToRepeat(): PoolNode | undefined {
    const last = this.tried.at(-1)
    const isFirst = last !== undefined && this.tried.indexOf(last) === this.tried.length - 1
    if (this.mayRepeat && isFirst && last.health.isUsed) return last
    const slow = this.cutShort?.find(({ health }) => health.isUsed)
    if (slow !== undefined) this.cutShort = undefined
    return slow
  }

  /**
   * Returns the time until which the call waits if no node is available now: for a rate-limited node, or for a node
   * that may soon reach the needed blocks. The time is not later than `now` if the call need not wait.
   * @param needed the lowest head with which a node can answer correctly
   * @param now time of a monotonic clock, in milliseconds
   * @param headWaitMs maximum wait for a block, in milliseconds
   */
  waitOf(nodes: readonly PoolNode[], needed: number, now: number, headWaitMs: number): number {
    const resumed = Math.min(
      ...nodes.filter((node) => canAnswer(node, this, needed)).map(({ pace }) => pace?.nextAt(now) ?? now),
    )
    if (resumed < this.expiresAt) return resumed
    if (!mayNodeComeSoon(nodes, this, needed)) return now
    if (this.#blockUntil === 0) this.#blockUntil = Math.min(this.expiresAt, now + headWaitMs)
    return this.#blockUntil
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
 * A node is suitable if its health lets it be used, it has not been tried yet, it has the required blocks, and its rate
 * allows a call now. The order is: nodes at the agreed head, other nodes, nodes of weight 0, failing or limited nodes,
 * and last nodes known to lack the data. Transactions and reads of the pending block go to the first suitable node, so
 * that both reach the same one.
 * @param needed the lowest head with which a node can answer correctly
 * @param turn changes with each call, so that equal nodes alternate
 * @param now time of a monotonic clock, in milliseconds
 * @returns undefined when no node is suitable
 */
export function chooseNode(
  nodes: readonly PoolNode[],
  call: PendingCall,
  needed: number,
  turn: number,
  now: number,
): PoolNode | undefined {
  const [only] = nodes
  if (nodes.length === 1) return only !== undefined && isSuitable(only, call, needed, now) ? only : undefined
  const isOrdered = isOrderedCall(call)
  const first = isOrdered ? 0 : turn % nodes.length
  let best: PoolNode | undefined
  let bestRank = Number.POSITIVE_INFINITY
  let bestLoad = Number.POSITIVE_INFINITY
  for (let step = 0; step < nodes.length; step++) {
    const node = nodes[(first + step) % nodes.length]
    if (node === undefined || !isSuitable(node, call, needed, now)) continue
    const rank = node.rank + (isLacking(node, call, now) ? 8 : 0)
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

const canAnswer = (node: PoolNode, call: PendingCall, needed: number) =>
  node.health.isUsed && node.head >= needed && !call.tried.includes(node)

const isSuitable = (node: PoolNode, call: PendingCall, needed: number, now: number) =>
  canAnswer(node, call, needed) && (node.pace === undefined || node.pace.nextAt(now) <= now)

const isLacking = (node: PoolNode, { older }: PendingCall, now: number) =>
  older !== undefined && node.lacks.has(older, now)

/**
 * True when a call may move from one node to another. The other node must be suitable and in no worse state, and must not
 * be known to lack the data or to refuse the form of the call.
 * @param needed the lowest head with which a node can answer correctly
 * @param now time of a monotonic clock, in milliseconds
 */
function mayMove(call: PendingCall, from: PoolNode, to: PoolNode, needed: number, now: number): boolean {
  const { technique } = call.options
  const isAsGood = to.health.state === 'ok' || from.health.state !== 'ok'
  const isRefused = technique !== undefined && to.refuses.has(technique)
  return isAsGood && !isRefused && isSuitable(to, call, needed, now) && !isLacking(to, call, now)
}

/**
 * Returns the nodes to which a waiting call may move. The call waits for a turn of its user at a node, and the turn at
 * another node may come earlier.
 * @param from the node at which the call waits
 */
export function otherNodes(
  nodes: readonly PoolNode[],
  call: PendingCall,
  from: PoolNode,
  needed: number,
  now: number,
): readonly PoolNode[] {
  if (call.isPinned || isOrderedCall(call)) return []
  return nodes.filter((node) => node.weight > 0 && mayMove(call, from, node, needed, now))
}

/**
 * True when a slow attempt is ended because another node can answer the call. The other node can do so now: a node
 * that cannot be used for the call shortens no attempt.
 * @param from the node of the attempt
 * @param latest number of the network's most recent block
 */
export function isBetterElsewhere(
  nodes: readonly PoolNode[],
  call: PendingCall,
  { reserveMs, expiresAt, isQueued }: Attempt,
  from: PoolNode,
  latest: number,
  now: number,
): boolean {
  if (reserveMs <= 0 || isQueued || now < expiresAt - reserveMs || now >= expiresAt) return false
  const needed = neededHead(call.profile.about, call.params, latest)
  return nodes.some((node) => mayMove(call, from, node, needed, now))
}

/** True when an untried node may soon be checked, or may soon reach the blocks that the answer needs. */
const mayNodeComeSoon = (nodes: readonly PoolNode[], call: PendingCall, needed: number): boolean =>
  nodes.some((node) => {
    const { isChecked, isUsed } = node.health
    return !isChecked || (isUsed && node.head < needed && !call.tried.includes(node))
  })

/**
 * Returns the time of an attempt after which another node is tried instead, in milliseconds, so that a slow node leaves
 * time for the others.
 * @param restMs time until the deadline of the call
 * @param smallTryMs maximum for a call of constant cost
 */
export const shareMs = ({ isSmall }: PendingCall, restMs: number, smallTryMs: number): number =>
  isSmall ? Math.min(restMs / 2, smallTryMs) : restMs / 2

/**
 * Returns false for an answer that callers must not see yet: it is older than the agreed head, or about a block that
 * only one node has.
 */
export function mayShow(
  call: PendingCall,
  { number, isLatest }: ReportedHead,
  result: JsonValue,
  head: ChainHead,
): boolean {
  if (isLatest && number < head.number) {
    // The node can be retried once it has caught up.
    call.tried.pop()
    return false
  }
  if (number <= head.number) return true
  if (head.number < 0 || number <= head.uppermost) call.unconfirmed = { result }
  return false
}
