import type { Limits } from '../protocol/limits.js'

/** Seconds in which new connections are counted together. */
export const newConnectionSeconds = 10

const windowMilliseconds = newConnectionSeconds * 1_000

/** Addresses that are counted at once. Beyond that, new counts start for those without a connection. */
const maximumAddresses = 100_000

interface AddressCounts {
  open: number
  /** New connections in the current window, closed ones and refused ones included. */
  opened: number
}

/** Counts the connections of each address. They are counted before anything is received on them. */
export interface ConnectionCounts {
  /**
   * Counts a new connection.
   * @returns the function to call once when it closes; undefined if the address has too many, so that it is to be closed
   */
  open(address: string): (() => void) | undefined
}

/** @param now clock, in milliseconds since any moment */
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
