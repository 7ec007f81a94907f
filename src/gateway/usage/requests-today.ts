import { and, gte, inArray, sql } from 'drizzle-orm'
import { bucketsOf, foldUsage } from '../store/journals.js'
import type { Database } from '../store/open-store.js'
import { usageHours } from '../store/schema.js'

/**
 * Requests of the UTC day that keys have made, as far as they are written down: a second behind at most.
 * @returns by key id; keys without any are left out
 */
export async function requestsToday(
  db: Database,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (keyIds.length === 0) return new Map()
  await foldUsage(db, bucketsOf(keyIds))
  const today = sql`date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'`
  const rows = await db
    .select({ keyId: usageHours.keyId, requests: sql`sum(${usageHours.requests})`.mapWith(Number) })
    .from(usageHours)
    .where(and(inArray(usageHours.keyId, [...keyIds]), gte(usageHours.startsAt, today)))
    .groupBy(usageHours.keyId)
  return new Map(rows.map(({ keyId, requests }) => [keyId, requests]))
}
