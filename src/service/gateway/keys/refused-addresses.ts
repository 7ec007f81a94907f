import { limits } from '@concordat/node-access-contract/contract'
import { RecentCounts } from '@concordat/server'
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

/**
 * Creates the counter. Windows are whole minutes of the clock.
 * @param perMinute refusals allowed per address (for IPv6 per /64) and minute; `ipv6SiteTimes` as many per /48
 * @param now clock, in milliseconds since 1970
 */
export function createRefusedAddresses(perMinute: number, now: () => number = Date.now): RefusedAddresses {
  const counts = new RecentCounts(windowMilliseconds, now)
  const perSite = perMinute * limits.ipv6SiteTimes
  return {
    count(address) {
      const { client, site } = clientPrefixOf(address)
      const isWithin = counts.add(client) <= perMinute
      // A client beyond its limit does not count, so that it cannot use up the limit of its site.
      return isWithin && (site === undefined || counts.add(site) <= perSite)
    },
    isOver(address) {
      const { client, site } = clientPrefixOf(address)
      return counts.of(client) > perMinute || (site !== undefined && counts.of(site) > perSite)
    },
  }
}
