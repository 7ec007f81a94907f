import { createHmac } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { clientPrefixOf } from '../keys/index.js'
import type { Database } from '../store/index.js'
import { attempts } from '../store/index.js'
import type { AttemptRule } from './attempt-rules.js'

/**
 * Counts attempts per client and action, and those of all clients of an IPv6 site. A window begins at the first attempt
 * and ends after its length, whatever is tried in between: slow attempts are never refused, and refused ones prolong
 * nothing.
 */
export interface ClientAttempts {
  /**
   * Counts an attempt. An attempt that the client's limit refuses does not count for its site, so that one client cannot
   * use up the attempts of its neighbours.
   * @returns seconds until the client may try again, or undefined if the attempt is allowed
   */
  count(address: string, action: string, rule: AttemptRule): Promise<number | undefined>
}

const millisecondsPerSecond = 1_000

/**
 * Creates the count, which all replicas share through the database.
 * @param secret key of the hashes that stand for clients in the table
 * @param siteTimes factor between the limit of a site (a /48) and that of a client (an IPv4 address or a /64)
 */
export function createClientAttempts(db: Database, secret: string, siteTimes: number): ClientAttempts {
  async function count(counted: string, action: string, { max, window }: AttemptRule) {
    const digest = createHmac('sha256', secret).update(counted).digest('base64url')
    const key = `client|${digest}|${action}`
    const now = Date.now()
    const length = window * millisecondsPerSecond
    const isOver = sql`known.last_request <= ${now - length}::bigint`
    // `last_request` holds the start of the window.
    const [row] = await db.execute<{ count: number; began: string }>(sql`
      insert into ${attempts} as known (id, key, count, last_request) values (${key}, ${key}, 1, ${now}::bigint)
      on conflict (key) do update set
        count = case when ${isOver} then 1 else least(known.count, ${max}::integer) + 1 end,
        last_request = case when ${isOver} then excluded.last_request else known.last_request end
      returning count, last_request as began`)
    if (row === undefined || row.count <= max) return undefined
    return Math.max(1, Math.ceil((Number(row.began) + length - now) / millisecondsPerSecond))
  }

  return {
    async count(address, action, rule) {
      const { client, site } = clientPrefixOf(address)
      const wait = await count(client, action, rule)
      if (wait !== undefined || site === undefined) return wait
      return count(site, action, { ...rule, max: rule.max * siteTimes })
    },
  }
}
