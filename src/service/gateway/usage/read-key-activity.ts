import { and, gte, inArray, sql } from 'drizzle-orm'
import type { Database } from '../store/index.js'
import { usageHours } from '../store/index.js'
import { freeRequests } from './free-requests.js'
import { isCall } from './is-call.js'
import { type Outcome, outcomeOf } from './usage-report.js'

/** The calls of a key, for lists. */
export interface KeyActivity {
  /** Requests that count against limits, on the current UTC day. */
  readonly chargedToday: number
  /** Calls of the last 24 hours, the current hour last. */
  readonly hours: readonly Readonly<Record<Outcome, number>>[]
}

const HOURS = 24
const SECONDS_PER_HOUR = 3_600

/**
 * Reads the activity of keys. Counts of other processes may be up to ten seconds old.
 * @returns activity by key id, without keys that had no calls
 */
export async function readKeyActivity(
  db: Database,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, KeyActivity>> {
  if (keyIds.length === 0) return new Map()
  const today = sql`date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'`
  const hour = sql`date_trunc('hour', now() at time zone 'UTC') at time zone 'UTC'`
  const { keyId, startsAt, code, requests } = usageHours
  const age = sql`extract(epoch from ${hour} - ${startsAt}) / ${SECONDS_PER_HOUR}::integer`
  const rows = await db
    .select({
      keyId,
      code,
      age: age.mapWith(Number),
      calls: sql`sum(${requests})`.mapWith(Number),
      today:
        sql`coalesce(sum(${requests} - ${freeRequests}) filter (where ${startsAt} >= ${today}), 0)`.mapWith(
          Number,
        ),
    })
    .from(usageHours)
    .where(
      and(
        inArray(keyId, [...keyIds]),
        gte(startsAt, sql`${hour} - make_interval(hours => ${HOURS - 1}::integer)`),
        isCall,
      ),
    )
    .groupBy(keyId, startsAt, code)
  const used = [...new Set(rows.map((row) => row.keyId))]
  return new Map(used.map((id) => [id, activityOf(rows.filter((row) => row.keyId === id))]))
}

/** The calls of a key in one hour with one error code, or 0 for results. */
interface HourRow {
  readonly age: number
  readonly code: number
  readonly calls: number
  readonly today: number
}

function activityOf(rows: readonly HourRow[]): KeyActivity {
  const hours = Array.from({ length: HOURS }, () => ({ result: 0, caller: 0, limit: 0, service: 0 }))
  for (const { age, code, calls } of rows) {
    const hour = hours[HOURS - 1 - age]
    if (hour !== undefined) hour[outcomeOf(code)] += calls
  }
  return { chargedToday: rows.reduce((sum, { today }) => sum + today, 0), hours }
}
