import { limits } from '@concordat/node-access-contract/contract'
import { clientPrefixOf } from './ip-address.js'

/** Counts refused keys by client address, which limits the guessing of keys (`tooManyRefusedKeys`). */
export interface RefusedAddresses {
  /**
   * Counts a refused key.
   * @param address the client's address
   * @returns true while the address is within the limit
   */
  count(address: string): boolean
  /** True if the address, or its site, has exceeded the limit. */
  isOver(address: string): boolean
}

const windowMilliseconds = 60_000
/** Addresses counted in one window. Beyond that, all counts are reset, which bounds the memory. */
const maximumAddresses = 100_000

/**
 * Creates the counter. Windows are whole minutes of the clock.
 * @param perMinute refusals allowed per address (for IPv6 per /64) and minute; `ipv6SiteTimes` as many per /48
 * @param now clock, in milliseconds since 1970
 */
export function createRefusedAddresses(perMinute: number, now: () => number = Date.now): RefusedAddresses {
  let window = 0
  let counts = new Map<string, number>()
  const perSite = perMinute * limits.ipv6SiteTimes
  const increment = (prefix: string): number => {
    const refused = (counts.get(prefix) ?? 0) + 1
    counts.set(prefix, refused)
    return refused
  }
  return {
    count(address) {
      const current = Math.floor(now() / windowMilliseconds)
      if (current !== window || counts.size >= maximumAddresses) {
        window = current
        counts = new Map()
      }
      const { client, site } = clientPrefixOf(address)
      const isWithin = increment(client) <= perMinute
      // A client beyond its limit does not count, so that it cannot use up the limit of its site.
      return isWithin && (site === undefined || increment(site) <= perSite)
    },
    isOver(address) {
      if (counts.size === 0 || Math.floor(now() / windowMilliseconds) !== window) return false
      const { client, site } = clientPrefixOf(address)
      return (
        (counts.get(client) ?? 0) > perMinute || (site !== undefined && (counts.get(site) ?? 0) > perSite)
      )
    },
  }
}
