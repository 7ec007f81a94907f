import { neededHead } from '../head-of-call.js'
import type { Attempt } from '../node-request.js'
import type { ChainHead } from './chain-head.js'
import { otherNodes, type PendingCall } from './pending-call.js'
import type { PoolNode } from './pool-node.js'

/** Calls with an attempt at a node. This is a list because a Map keeps the memory of deleted entries. */
export class CallsInFlight {
  readonly #calls: PendingCall[] = []

  get size(): number {
    return this.#calls.length
  }

  /** Adds a call with its attempt. */
  add(call: PendingCall, attempt: Attempt): void {
    attempt.place = this.#calls.push(call) - 1
    call.attempt = attempt
  }

  /** Returns the call of an attempt; undefined if it is no longer in the list. */
  callOf(attempt: Attempt): PendingCall | undefined {
    const call = this.#calls[attempt.place]
    return call?.attempt === attempt ? call : undefined
  }

  /** Removes the call of an attempt, and returns it; undefined if it is no longer in the list. */
  remove(attempt: Attempt): PendingCall | undefined {
    const call = this.callOf(attempt)
    if (call === undefined) return undefined
    call.attempt = undefined
    const last = this.#calls.pop()
    if (last !== undefined && last !== call) {
      this.#calls[attempt.place] = last
      if (last.attempt !== undefined) last.attempt.place = attempt.place
    }
    return call
  }

  /** Returns a copy of the list. */
  all(): readonly PendingCall[] {
    return [...this.#calls]
  }

  /**
   * Removes the calls that wait for a turn at a node that is not used any more.
   * @param isClosed true to remove the calls that wait at any node, or must go to one
   * @returns the calls, for which another node is to be chosen
   */
  leaveQueues(nodes: readonly PoolNode[], isClosed: boolean): readonly PendingCall[] {
    const left: PendingCall[] = []
    for (const node of nodes) {
      if (node.waiting === 0 || (node.health.isUsed && !isClosed)) continue
      for (const attempt of node.queues().flat()) {
        const call = this.callOf(attempt)
        if (call === undefined || (call.isPinned && !isClosed)) continue
        this.#withdraw(call, node, attempt)
        left.push(call)
      }
    }
    return left
  }

  /**
   * Moves calls that wait for a turn at a node to nodes that have one, so that a hung node delays only the calls that
   * it received.
   * @param go sends a call to a node
   */
  spread(
    nodes: readonly PoolNode[],
    head: ChainHead,
    now: number,
    go: (call: PendingCall, node: PoolNode) => void,
  ): void {
    /** Returns false when the user has no turn at the other nodes. */
    const move = (from: PoolNode, attempt: Attempt): boolean => {
      const call = this.callOf(attempt)
      if (call === undefined) return true
      const needed = neededHead(call.profile.about, call.params, head.number)
      const others = otherNodes(nodes, call, from, needed, now)
      const to = others.find((node) => node.hasTurnFor(attempt))
      if (to === undefined) return others.length === 0
      this.#withdraw(call, from, attempt)
      go(call, to)
      return true
    }
    for (const node of nodes) {
      if (node.waiting === 0) continue
      for (const queue of node.queues()) for (const attempt of queue) if (!move(node, attempt)) break
    }
  }

  #withdraw(call: PendingCall, node: PoolNode, attempt: Attempt): void {
    node.abandon(attempt)
    this.remove(attempt)
    call.tried.pop()
  }
}
