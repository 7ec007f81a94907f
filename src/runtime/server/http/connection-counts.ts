import type { Limits } from '../protocol/limits.js'

/** Length of the window in which new connections are counted, in seconds. */
export const newConnectionSeconds = 10

const windowMilliseconds = newConnectionSeconds * 1_000

/** Maximum number of counted addresses. Beyond it, a new window starts early and drops those without connections. */
const maximumAddresses = 100_000

interface AddressCounts {
  open: number
  /** New connections in the current window, including closed and refused ones. */
  opened: number
}

/** Counts the connections of each address, before anything is received on them. */
export interface ConnectionCounts {
  /**
   * Counts a new connection.
   * @returns a function to call once when the connection closes; undefined if it exceeds a limit and must be closed
   */
  open(address: string): (() => void) | undefined
}

/**
 * Creates the counts of a server.
 * @param now clock, in milliseconds since any moment
 */
export function createConnectionCounts(
  {
    connectionsPerAddress,
    newConnectionsPerAddress,
  }: Pick<Limits, 'connectionsPerAddress' | 'newConnectionsPerAddress'>,
  now: () => number = () => performance.now(),
): ConnectionCounts {
  const addresses = new Map<string, AddressCounts>()
  let windowEnd = now() + windowMilliseconds

  function startWindow(): void {
    windowEnd = now() + windowMilliseconds
    for (const [address, counts] of addresses) {
      counts.opened = 0
      if (counts.open === 0) addresses.delete(address)
    }
  }

  return {
    open(address) {
      if (now() >= windowEnd || addresses.size >= maximumAddresses) startWindow()
      const counts = addresses.get(address) ?? { open: 0, opened: 0 }
      addresses.set(address, counts)
      counts.opened += 1
      if (counts.open >= connectionsPerAddress || counts.opened > newConnectionsPerAddress) return undefined
      counts.open += 1
      return () => {
        counts.open -= 1
      }
    },
  }
}
