import { subscriberOf } from './subscriber.js'

/** Counts refused keys by client address, so that nobody can go on guessing (decision: too many refused keys). */
export interface RefusedAddresses {
  /**
   * Counts a refused key.
   * @param address the client's address
   * @returns true while the address is within the limit, false once it is over it
   */
  count(address: string): boolean
  /** True when the address is over the limit already. */
  isOver(address: string): boolean
}

const windowMilliseconds = 60_000
/** Addresses kept in one window; past that a flood from many addresses is forgotten rather than held in memory. */
const addressesKept = 100_000

/**
 * Makes the counter. Windows are whole minutes of the clock, and each begins with empty counts.
 * @param perMinute refusals that one address (for IPv6 one /64) may collect in a minute
 * @param now milliseconds since 1970; for tests
 */
export function createRefusedAddresses(perMinute: number, now: () => number = Date.now): RefusedAddresses {
  let window = 0
  let counts = new Map<string, number>()
  return {
    count(address) {
      const current = Math.floor(now() / windowMilliseconds)
      if (current !== window || counts.size >= addressesKept) {
        window = current
        counts = new Map()
      }
      const subscriber = subscriberOf(address)
      const refused = (counts.get(subscriber) ?? 0) + 1
      counts.set(subscriber, refused)
      return refused <= perMinute
    },
    isOver(address) {
      if (counts.size === 0 || Math.floor(now() / windowMilliseconds) !== window) return false
      return (counts.get(subscriberOf(address)) ?? 0) > perMinute
    },
  }
}
