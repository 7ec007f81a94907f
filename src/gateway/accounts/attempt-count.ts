import { createHmac } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import type { Database } from '../store/open-store.js'
import { attempts } from '../store/schema.js'

/** Counts attempts on an account, wherever they come from: guessing from many addresses is slowed down, too. */
export interface AttemptCount {
  /**
   * Counts an attempt.
   * @param most attempts within an hour
   * @returns seconds until the next one, or undefined where this one may go on
   */
  add(email: string, most: number): Promise<number | undefined>
  /** Forgets the attempts: somebody knew the password. */
  forget(email: string): Promise<void>
}

const hourMs = 3_600_000
const millisecondsPerSecond = 1000

/**
 * Makes the count, in the database, for all replicas together.
 * @param secret names accounts in it, so that the table holds no addresses
 */
export function createAttemptCount(db: Database, secret: string): AttemptCount {
  const keyOf = (email: string) =>
    `account|${createHmac('sha256', secret).update(email.trim().toLowerCase()).digest('base64url')}`
  return {
    async add(email, most) {
      const key = keyOf(email)
      const now = sql`(extract(epoch from now()) * 1000)::bigint`
      // `last_request` is when the hour began.
      const [row] = await db.execute<{ count: number; left: string }>(sql`
        insert into ${attempts} as known (id, key, count, last_request) values (${key}, ${key}, 1, ${now})
        on conflict (key) do update set
          count = case when known.last_request < ${now} - ${hourMs}::bigint then 1 else known.count + 1 end,
          last_request = case when known.last_request < ${now} - ${hourMs}::bigint then ${now} else known.last_request end
        returning count, (last_request + ${hourMs}::bigint - ${now})::text as left`)
      if (row === undefined || row.count <= most) return undefined
      return Math.ceil(Number(row.left) / millisecondsPerSecond)
    },
    async forget(email) {
      await db.delete(attempts).where(eq(attempts.key, keyOf(email)))
    },
  }
}
