import type { NodeCallers } from '../../src/service/gateway/nodes/index.js'

/** The callers of a node call, with the number of calls that were sent for them. */
export interface CountedCallers extends NodeCallers {
  sent: number
}

/** Creates the callers of a request that has made no node call yet. */
export const callersOf = (...userIds: readonly string[]): CountedCallers => ({
  userIds,
  queued: 0,
  calls: 0,
  sent: 0,
  countNodeCall() {
    this.sent++
  },
})
