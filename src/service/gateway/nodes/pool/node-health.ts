import { type NetworkReadiness, type NodeState, readyStates } from '../node-status.js'
import { RecentCalls, type RecentCallsSettings } from './recent-calls.js'

/** Where the head of a node is: far behind the agreed head, far ahead of it, or near it. */
export type HeadPlace = Extract<NodeState, 'behind' | 'ahead'> | 'near'

/** Order in which nodes are used, by state. {@link isUsedWith} says which nodes are used at a time. */
const order = { ok: 0, limited: 0, failing: 1, syncing: 2, stale: 2, behind: 3 } as const

/** Later in the order than every state of a node that is used. */
const unused = 4

/** Returns the order in which a node of this state is used. */
export const orderOf = (state: NodeState): number =>
  state === 'ahead' || state === 'wrong-network' || state === 'unreachable' ? unused : order[state]

/**
 * True when a node of this state is used. All nodes that are ok, limited or failing are used; without them, all nodes
 * of the best order. An older head would make a missing block or transaction look like one that does not exist.
 * @param best the lowest order of all nodes
 */
export const isUsedWith = (state: NodeState, best: number): boolean => {
  const own = orderOf(state)
  return own < unused && Math.max(own, order.failing) === Math.max(best, order.failing)
}

/**
 * The health of a node, which the choice of nodes, the time of an attempt, readiness, metrics, log and status page
 * read. It is computed after checks, failures and changes of the head, and not for each call.
 */
export class NodeHealth {
  /** The state of the node. It is unreachable before the first check. */
  state: NodeState = 'unreachable'
  /** True when the node may receive calls. */
  isUsed = false
  /** True after the first check, whatever it found. */
  isChecked = false
  /** True when the node answers checks. */
  isReachable = false
  /** True unless the node reported the number of another network. */
  isRightNetwork = true
  /** True when the node reports that it is far from the highest block that it knows of. */
  isSyncing = false
  /** True when the head block is older than the limit; undefined where the node does not tell its time. */
  isStale: boolean | undefined
  /** True if the node has recently answered 429. */
  isLimited = false
  /** True when many of the last calls failed. */
  isFailing = false
  readonly calls: RecentCalls

  constructor(settings: RecentCallsSettings) {
    this.calls = new RecentCalls(settings)
  }

  /**
   * Returns the state by what is known of the node.
   * @param place where its head is
   * @param isSomeStale whether the head of some node is old: a head of unknown age is then not taken for a newer one
   */
  stateAt(place: HeadPlace, isSomeStale: boolean): NodeState {
    if (!this.isReachable) return 'unreachable'
    if (!this.isRightNetwork) return 'wrong-network'
    if (this.isSyncing) return 'syncing'
    if (place !== 'near') return place
    if (this.isStale ?? isSomeStale) return 'stale'
    if (this.isFailing) return 'failing'
    return this.isLimited ? 'limited' : 'ok'
  }

  /**
   * Judges the last calls.
   * @param now time of a monotonic clock, in milliseconds
   * @returns true when the node began or ceased to fail
   */
  judgeCalls(now: number): boolean {
    const { isFailing } = this
    this.isFailing = this.calls.isFailing(now)
    return this.isFailing !== isFailing
  }
}

/** Returns how a network is served: by the state of its best node that is used. */
export const readinessOf = (all: readonly NodeHealth[]): NetworkReadiness =>
  readyStates.find((ready) => all.some(({ isUsed, state }) => isUsed && state === ready)) ?? 'no node'
