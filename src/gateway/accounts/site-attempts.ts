import { eq, sql } from 'drizzle-orm'
import { clientPrefixOf } from '../keys/index.js'
import type { Database } from '../store/index.js'
import { attempts } from '../store/index.js'
import type { AttemptRule } from './attempt-rules.js'

/**
 * Counts the attempts of IPv6 sites. better-auth counts a /64, and a site has 65,536 of them.
 */
export interface SiteAttempts {
  /**
   * Counts an attempt of the client's site.
   * @returns seconds until the site may try again, or undefined if the attempt is allowed. An allowed attempt of an IPv6
   *   client must be taken back if it is refused for another reason before it causes work
   */
  count(address: string, action: string, rule: AttemptRule): Promise<number | undefined>
  /** Takes an attempt back, so that one client cannot use up the attempts of its site. */
  takeBack(address: string, action: string): Promise<void>
}

const millisecondsPerSecond = 1_000

/**
 * Creates the count, which all replicas share through the database.
 * @param times factor between the limit of a site and that of a client
 */
export function createSiteAttempts(db: Database, times: number): SiteAttempts {
  const keyOf = (site: string, action: string) => `site|${site}|${action}`
  return {
    async count(address, action, { max, window }) {
      const { site } = clientPrefixOf(address)
      if (site === undefined) return undefined
      const key = keyOf(site, action)
      const now = Date.now()
      const length = window * millisecondsPerSecond
      const isOver = sql`known.last_request <= ${now - length}::bigint`
      // `last_request` holds the start of the window.
      const [row] = await db.execute<{ count: number; began: string }>(sql`
        insert into ${attempts} as known (id, key, count, last_request) values (${key}, ${key}, 1, ${now}::bigint)
        on conflict (key) do update set
          count = case when ${isOver} then 1 else least(known.count, ${max * times}::integer) + 1 end,
          last_request = case when ${isOver} then excluded.last_request else known.last_request end
        returning count, last_request as began`)
      if (row === undefined || row.count <= max * times) return undefined
      return Math.max(1, Math.ceil((Number(row.began) + length - now) / millisecondsPerSecond))
    },
    async takeBack(address, action) {
      const { site } = clientPrefixOf(address)
      if (site === undefined) return
      await db
        .update(attempts)
        .set({ count: sql`greatest(0, ${attempts.count} - 1)` })
        .where(eq(attempts.key, keyOf(site, action)))
    },
  }
}
