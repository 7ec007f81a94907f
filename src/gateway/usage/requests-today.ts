import { errorTable } from '@concordat/node-access-contract/errors'
import { and, gte, inArray, ne, sql } from 'drizzle-orm'
import type { Database } from '../store/index.js'
import { usageHours } from '../store/index.js'

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
      ),
    )
    .groupBy(usageHours.keyId)
  return new Map(rows.map(({ keyId, requests }) => [keyId, requests]))
}
