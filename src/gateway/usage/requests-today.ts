import { errorTable } from '@concordat/node-access-contract/errors'
import { and, eq, gte, inArray, ne, sql } from 'drizzle-orm'
import type { Database } from '../store/index.js'
import { quotaCounts, usageHours } from '../store/index.js'
import { isCall } from './is-call.js'

/**
 * Reads the requests of keys that count against limits, on the current UTC day. Counts of other processes may be up to ten seconds old.
 * @returns requests by key id, without unused keys
 */
export async function requestsToday(
  db: Database,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (keyIds.length === 0) return new Map()
  const today = sql`date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'`
  const rows = await db
    .select({ keyId: usageHours.keyId, requests: sql`sum(${usageHours.requests})`.mapWith(Number) })
    .from(usageHours)
    .where(
      and(
        inArray(usageHours.keyId, [...keyIds]),
        gte(usageHours.startsAt, today),
        ne(usageHours.code, errorTable.limitExceeded.code),
        isCall,
      ),
    )
    .groupBy(usageHours.keyId)
  return new Map(rows.map(({ keyId, requests }) => [keyId, requests]))
}

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
