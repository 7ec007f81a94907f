import { and, eq, sql } from 'drizzle-orm'
import type { Database } from '../store/index.js'
import { quotaCounts } from '../store/index.js'

/** Reads the requests of a user that count against the daily limit of the current UTC day. */
export async function usedToday(db: Database, userId: string): Promise<number> {
  const today = sql`(now() at time zone 'UTC')::date`
  const [row] = await db
    .select({ used: quotaCounts.used })
    .from(quotaCounts)
    .where(
      and(eq(quotaCounts.subject, userId), eq(quotaCounts.period, 'day'), eq(quotaCounts.startsOn, today)),
    )
  return row?.used ?? 0
}
