import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../store/index.js'
import {
  ago,
  apiKeys,
  type Batch,
  deleteOldRows,
  formerUsersOver,
  listOf,
  unlessWritten,
  usageHours,
  usageMinutes,
} from '../store/index.js'
import { deleteFormerClients } from './former-uses.js'
import { isCall } from './is-call.js'
import { durationBounds, type UsageRow } from './usage.js'
import { maintainPartitions, type PartitionedTable, permanentPartitions } from './usage-partitions.js'

const SECONDS_PER_MINUTE = 60

const columns = sql.raw(
  'key_id, starts_at, method, code, requests, microseconds, slowest_microseconds, durations, node_calls, free',
)
const addedDurations = sql.raw(
  `array[${[...durationBounds, Number.POSITIVE_INFINITY]
    .map((_bound, at) => `coalesce(known.durations[${at + 1}], 0) + excluded.durations[${at + 1}]`)
    .join(', ')}]::bigint[]`,
)

/** SQL that adds rows to a table. Rows are locked in the order of their keys, which prevents deadlocks. */
const add = (table: typeof usageMinutes | typeof usageHours, startsAt: string) => sql`
  insert into ${table} as known (${columns})
  select key_id, ${sql.raw(startsAt)}, method, code, requests, microseconds, slowest, durations, node_calls, free
  from given
  order by 1, 2, 3, 4
  on conflict (key_id, starts_at, method, code) do update set
    requests = known.requests + excluded.requests,
    microseconds = known.microseconds + excluded.microseconds,
    slowest_microseconds = greatest(known.slowest_microseconds, excluded.slowest_microseconds),
    durations = ${addedDurations},
    node_calls = known.node_calls + excluded.node_calls,
    free = known.free + excluded.free`

/**
 * Adds a batch to the usage by minute and hour and updates the last use of keys, in one statement. A batch must not have
 * two minutes of the same hour for a key and method. A batch that was already written changes nothing (`unlessWritten`).
 * @param replicaId id of this process in the table of replicas
 */
export async function writeUsage(db: Database, replicaId: string, batch: Batch<UsageRow>): Promise<void> {
  const list = (read: (row: UsageRow) => string | number) => listOf(batch.rows.map(read))
  await db.execute(sql`
    with ${unlessWritten('usage_batch', replicaId, batch.number)},
    given as materialized (
      select key_id, to_timestamp(minute * ${SECONDS_PER_MINUTE}::bigint) as starts_at, method, code,
        requests, microseconds, slowest, durations::bigint[] as durations, node_calls, free
      from unnest(${list(({ keyId }) => keyId)}::text[], ${list(({ minute }) => minute)}::bigint[],
        ${list(({ method }) => (method === '' ? '""' : method))}::text[], ${list(({ code }) => code)}::integer[],
        ${list(({ requests }) => requests)}::bigint[], ${list(({ microseconds }) => microseconds)}::bigint[],
        ${list(({ slowestMicroseconds }) => slowestMicroseconds)}::bigint[],
        ${list(({ durations }) => `"${listOf(durations)}"`)}::text[],
        ${list(({ nodeCalls }) => nodeCalls)}::bigint[], ${list(({ free }) => free)}::bigint[])
        as given(key_id, minute, method, code, requests, microseconds, slowest, durations, node_calls, free)
      where exists (select from fresh)
    ),
    minutes as (${add(usageMinutes, 'starts_at')}),
    hours as (${add(usageHours, "date_trunc('hour', starts_at, 'UTC')")}),
    used as (
      select id, last.at from ${apiKeys} as key
      join (
        select key_id, max(starts_at) as at from given where ${isCall} group by key_id
      ) as last on last.key_id = key.id
      where key.last_used_at is null or key.last_used_at < last.at
      order by id for update of key
    )
    update ${apiKeys} as key set last_used_at = used.at from used where key.id = used.id`)
}

/** The contract's retention periods of usage and former users. */
export interface UsageKept {
  readonly usageMinutesKeptHours: number
  readonly usageHoursKeptDays: number
  readonly loweredLimitsDays: number
}

const minutesTable: PartitionedTable = { name: 'usage_minutes', period: 'day' }
const hoursTable: PartitionedTable = { name: 'usage_hours', period: 'week' }

/**
 * Deletes usage, counts, deleted keys and replaced secrets after their retention period, clients of old URLs after the
 * grace period, and the records of accounts that were deleted before today. Usage is dropped by partition: up to a day
 * (minutes) or a week (hours) after its retention period.
 * @returns true if more rows may be left
 */
export async function deleteOldUsage(
  db: Database,
  { usageMinutesKeptHours, usageHoursKeptDays, loweredLimitsDays }: UsageKept,
): Promise<boolean> {
  const remove = (table: string, keys: string, isOld: SQL) => deleteOldRows(db, sql.raw(table), keys, isOld)
  const removeUsage = async (table: PartitionedTable, count: number, unit: 'hours' | 'days') => {
    await maintainPartitions(db, table, `${count} ${unit}`)
    const isOld = sql`starts_at < ${ago(count, unit)}`
    const isMore: boolean[] = []
    for (const partition of permanentPartitions(table))
      isMore.push(await remove(partition, 'key_id, starts_at, method, code', isOld))
    return isMore
  }
  const isMore = [
    ...(await removeUsage(minutesTable, usageMinutesKeptHours, 'hours')),
    ...(await removeUsage(hoursTable, usageHoursKeptDays, 'days')),
    await remove(
      'quota_counts',
      'subject, period, starts_on',
      sql`starts_on < (${ago(usageHoursKeptDays, 'days')})::date`,
    ),
    await remove('quota_notices', 'user_id, day, level', sql`day < (now() at time zone 'UTC')::date`),
    await remove('former_users', 'address_digest', formerUsersOver(loweredLimitsDays)),
    await remove('former_secrets', 'digest', sql`replaced_at < ${ago(usageHoursKeptDays, 'days')}`),
    // Of all keys, deleted ones alone have no digest, and its index finds them.
    await remove('api_keys', 'id', sql`digest is null and changed_at < ${ago(usageHoursKeptDays, 'days')}`),
  ]
  await deleteFormerClients(db)
  return isMore.includes(true)
}
