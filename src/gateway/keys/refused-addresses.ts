import { clientPrefixOf } from './client-prefix.js'

/** Counts refused keys by client address, which limits the guessing of keys (`tooManyRefusedKeys`). */
export interface RefusedAddresses {
  /**
   * Counts a refused key.
   * @param address the client's address
   * @returns true while the address is within the limit
   */
  count(address: string): boolean
  /** True if the address has exceeded the limit. */
  isOver(address: string): boolean
}

const windowMilliseconds = 60_000
/** Addresses counted in one window. Beyond that, all counts are reset, which bounds the memory. */
const maximumAddresses = 100_000

/**
 * Creates the counter. Windows are whole minutes of the clock.
 * @param perMinute refusals allowed per address (for IPv6 per /64) and minute
 * @param now clock, in milliseconds since 1970
 */
export function createRefusedAddresses(perMinute: number, now: () => number = Date.now): RefusedAddresses {
  let window = 0
  let counts = new Map<string, number>()
  return {
    count(address) {
      const current = Math.floor(now() / windowMilliseconds)
      if (current !== window || counts.size >= maximumAddresses) {
        window = current
        counts = new Map()
      }
      const prefix = clientPrefixOf(address)
      const refused = (counts.get(prefix) ?? 0) + 1
      counts.set(prefix, refused)
      return refused <= perMinute
    },
    isOver(address) {
      if (counts.size === 0 || Math.floor(now() / windowMilliseconds) !== window) return false
      return (counts.get(clientPrefixOf(address)) ?? 0) > perMinute
    },
  }
}
