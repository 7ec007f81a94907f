import type { Limits } from '../protocol/limits.js'
import { RecentCounts } from '../sharing/recent-counts.js'

/** Length of the window in which new connections are counted, in seconds. */
export const newConnectionSeconds = 10

/** Counts the connections of each address, before anything is received on them. */
export interface ConnectionCounts {
  /**
   * Counts a new connection.
   * @returns a function to call once when the connection closes; undefined if it exceeds a limit and must be closed
   */
  open(address: string): (() => void) | undefined
}

/** Limits of the connections of each address. They are read at each connection, so that they can change. */
export type ConnectionLimits = Pick<Limits, 'connectionsPerAddress' | 'newConnectionsPerAddress'>

/**
 * Creates the counts of a server.
 * @param now clock, in milliseconds since any moment
 */
export function createConnectionCounts(
  limits: ConnectionLimits,
  now: () => number = () => performance.now(),
): ConnectionCounts {
  /** Open connections of each address. Their number is bounded by that of all connections. */
  const opened = new Map<string, number>()
  /** New connections, including closed and refused ones. */
  const recent = new RecentCounts(newConnectionSeconds * 1_000, now)

  return {
    open(address) {
      const isWithin = recent.add(address) <= limits.newConnectionsPerAddress
      const before = opened.get(address) ?? 0
      if (!isWithin || before >= limits.connectionsPerAddress) return undefined
      opened.set(address, before + 1)
      return () => {
        const left = (opened.get(address) ?? 0) - 1
        if (left > 0) opened.set(address, left)
        else opened.delete(address)
      }
    },
  }
}
