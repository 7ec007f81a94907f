import { createHmac } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import type { Database } from '../store/open-store.js'
import { attempts } from '../store/schema.js'

/** Counts attempts on an account, wherever they come from: guessing from many addresses is slowed down, too. */
export interface AttemptCount {
  /**
   * Says whether another attempt may be made.
   * @param most failed attempts within an hour
   * @returns seconds until the next one, or undefined where it may go on
   */
  wait(email: string, most: number): Promise<number | undefined>
  /** Counts an attempt that failed. */
  add(email: string): Promise<void>
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
    async wait(email, most) {
      const [row] = await db
        .select({ count: attempts.count, began: attempts.lastRequest })
        .from(attempts)
        .where(eq(attempts.key, keyOf(email)))
      const left = row === undefined ? 0 : row.began + hourMs - Date.now()
      if (row === undefined || row.count < most || left <= 0) return undefined
      return Math.ceil(left / millisecondsPerSecond)
    },
    async add(email) {
      const key = keyOf(email)
      const now = Date.now()
      const isOver = sql`known.last_request < ${now - hourMs}::bigint`
      // `last_request` is when the hour began.
      await db.execute(sql`
        insert into ${attempts} as known (id, key, count, last_request) values (${key}, ${key}, 1, ${now}::bigint)
        on conflict (key) do update set
          count = case when ${isOver} then 1 else known.count + 1 end,
          last_request = case when ${isOver} then excluded.last_request else known.last_request end`)
    },
    async forget(email) {
      await db.delete(attempts).where(eq(attempts.key, keyOf(email)))
    },
  }
}
