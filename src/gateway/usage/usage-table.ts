import { sql } from 'drizzle-orm'
import { durationBounds } from '../duration-classes.js'
import type { Database } from '../store/open-store.js'
import { apiKeys, replicas, usageHours, usageMinutes } from '../store/schema.js'

/** What was counted of one key, method and outcome in one minute. */
export interface UsageRow {
  readonly keyId: string
  /** A method of the contract; empty for what named none. */
  readonly method: string
  /** Code of the JSON-RPC error that was answered; 0 for a result. */
  readonly code: number
  /** The minute, as whole minutes since 1970. */
  readonly minute: number
  requests: number
  /** Time to the answer, of all requests together. */
  microseconds: number
  slowestMicroseconds: number
  /** Requests by the class of their time, as `durationBounds` has them. */
  readonly durations: number[]
}

/** A number of rows that are written together, once. */
export interface UsageBatch {
  /** Counts up from 1 within a process. */
  readonly number: number
  readonly rows: readonly UsageRow[]
}

const SECONDS_PER_MINUTE = 60

/** Adds up an array column of counts by class of duration, class by class. */
export const summedDurations = (column: 'd' | 'durations') =>
  sql.raw(
    `array[${Array.from({ length: durationBounds.length + 1 }, (_, at) => `coalesce(sum(${column}[${at + 1}]), 0)`).join(', ')}]::bigint[]`,
  )

/**
 * Adds a batch to the usage by the minute and by the hour and notes when keys were used, all in one statement. A batch
 * that has been written before, of which the process never heard, changes nothing: the process's row says so.
 * @param replicaId the process's own, in the table of replicas
 */
export async function writeUsage(
  db: Database,
  replicaId: string,
  { number, rows }: UsageBatch,
): Promise<void> {
  const counted = JSON.stringify(
    rows.map(({ keyId, method, code, minute, requests, microseconds, slowestMicroseconds, durations }) => ({
      k: keyId,
      m: method,
      c: code,
      t: minute * SECONDS_PER_MINUTE,
      n: requests,
      s: Math.round(microseconds),
      x: Math.round(slowestMicroseconds),
      d: durations,
    })),
  )
  const columns = sql.raw(
    'key_id, starts_at, method, code, requests, microseconds, slowest_microseconds, durations',
  )
  // Rows are locked in the order of their keys, so that no two processes wait for each other.
  const add = (table: typeof usageMinutes | typeof usageHours, unit: 'minute' | 'hour') => sql`
    insert into ${table} as known (${columns})
    select k, date_trunc(${unit}, at), m, c, sum(n), sum(s), max(x), ${summedDurations('d')} from counted
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (key_id, starts_at, method, code) do update set
      requests = known.requests + excluded.requests,
      microseconds = known.microseconds + excluded.microseconds,
      slowest_microseconds = greatest(known.slowest_microseconds, excluded.slowest_microseconds),
      durations = (
        select array_agg(coalesce(had, 0) + coalesce(more, 0) order by place)
        from unnest(known.durations, excluded.durations) with ordinality as both_of(had, more, place))`
  await db.execute(sql`
    with fresh as (
      insert into ${replicas} as replica (id, usage_batch) values (${replicaId}, ${number}::bigint)
      on conflict (id) do update set usage_batch = excluded.usage_batch
        where replica.usage_batch < excluded.usage_batch
      returning id
    ),
    counted as materialized (
      select k, m, c, n, s, x, d, to_timestamp(t) as at
      from json_to_recordset(${counted}::json)
        as counted(k text, m text, c integer, t bigint, n bigint, s bigint, x bigint, d bigint[])
      where exists (select from fresh)
    ),
    minutes as (${add(usageMinutes, 'minute')}),
    hours as (${add(usageHours, 'hour')}),
    used as (
      select id, at from ${apiKeys} as key join (select k, max(at) as at from counted group by k) as last on k = key.id
      where key.last_used_at is null or key.last_used_at < last.at
      order by id for update of key
    )
    update ${apiKeys} as key set last_used_at = used.at from used where key.id = used.id`)
}

/** How long counts are kept; the contract's. */
export interface UsageKept {
  readonly usageMinutesKeptHours: number
  readonly usageHoursKeptDays: number
}

/** Rows that one statement deletes at most: others are not kept waiting. */
const DELETED_AT_ONCE = 5_000

/**
 * Deletes what is kept no longer: usage, and the counts of windows that ended before the oldest usage.
 * @returns true when there may be more
 */
export async function deleteOldUsage(
  db: Database,
  { usageMinutesKeptHours, usageHoursKeptDays }: UsageKept,
): Promise<boolean> {
  const oldest = (count: number, unit: 'hours' | 'days') =>
    sql`now() - make_interval(${sql.raw(unit)} => ${count}::integer)`
  const remove = (table: string, keys: string, age: ReturnType<typeof sql>) =>
    db.execute(sql`
      delete from ${sql.raw(table)} where (${sql.raw(keys)}) in (
        select ${sql.raw(keys)} from ${sql.raw(table)} where ${age} limit ${DELETED_AT_ONCE}::integer for update skip locked)
      returning 1 as one`)
  const usageKeys = 'key_id, starts_at, method, code'
  const deleted = [
    await remove('usage_minutes', usageKeys, sql`starts_at < ${oldest(usageMinutesKeptHours, 'hours')}`),
    await remove('usage_hours', usageKeys, sql`starts_at < ${oldest(usageHoursKeptDays, 'days')}`),
    await remove(
      'quota_counts',
      'subject, period, starts_on',
      sql`starts_on < (${oldest(usageHoursKeptDays, 'days')})::date`,
    ),
  ]
  return deleted.some((rows) => rows.length >= DELETED_AT_ONCE)
}
