import { sql } from 'drizzle-orm'
import { formerUsersOver } from '../store/former-users.js'
import {
  BUCKETS,
  bucketOf,
  entriesText,
  insertUsage,
  type JournalForm,
  type UsageRows,
} from '../store/journals.js'
import type { Database } from '../store/open-store.js'
import type { EntryOrigin } from '../store/own-journal.js'
import { replicas } from '../store/schema.js'

/** What was counted of one key, method, outcome and class of duration in one minute. */
export interface UsageRow extends EntryOrigin<UsageRow> {
  readonly keyId: string
  /** A method of the contract; empty for what named none. */
  readonly method: string
  /** Code of the JSON-RPC error that was answered; 0 for a result. */
  readonly code: number
  /** The minute, as whole minutes since 1970. */
  minute: number
  /** Class of the time to the answer, as `durationClass` gives it. */
  readonly durationClass: number
  requests: number
  /** Time to the answer, of all requests together. */
  microseconds: number
  slowestMicroseconds: number
}

/** A number of rows that are written together, once. */
export interface UsageBatch {
  /** Counts up from 1 within a process. */
  readonly number: number
  readonly rows: readonly UsageRow[]
}

/**
 * Writes a batch into the journal of usage, in one statement. A batch that has been written before, of which the process
 * never heard, changes nothing: the process's row says so.
 * @param replicaId the process's own, in the table of replicas
 * @returns the buckets that it went into
 */
export async function writeUsage(
  db: Database,
  replicaId: string,
  { number, rows }: UsageBatch,
  form: JournalForm = 'lists',
): Promise<readonly number[]> {
  const lists = usageLists(rows)
  await db.execute(sql`
    with fresh as (
      insert into ${replicas} as replica (id, usage_batch) values (${replicaId}, ${number}::bigint)
      on conflict (id) do update set usage_batch = excluded.usage_batch
        where replica.usage_batch < excluded.usage_batch
      returning id
    )
    ${insertUsage(lists, form)}`)
  return lists.written
}

/** Adds a row to those of the same key, method, outcome, class and minute. */
export function addRow(rows: Map<string, UsageRow>, row: UsageRow): void {
  const { keyId } = row
  // The first of a key goes by its id alone: to write a longer name of each costs more than all else here.
  const first = rows.get(keyId)
  const isOfFirst = first === undefined || isAlike(first, row)
  const name = isOfFirst ? keyId : `${keyId} ${row.minute} ${row.code} ${row.durationClass} ${row.method}`
  const known = isOfFirst ? first : rows.get(name)
  if (known === undefined) {
    rows.set(name, row)
    return
  }
  addTo(known, row)
}

function addTo(known: UsageRow, row: UsageRow): void {
  known.requests += row.requests
  known.microseconds += row.microseconds
  known.slowestMicroseconds = Math.max(known.slowestMicroseconds, row.slowestMicroseconds)
}

const isAlike = (one: UsageRow, other: UsageRow) =>
  one.minute === other.minute &&
  one.code === other.code &&
  one.durationClass === other.durationClass &&
  one.method === other.method

/** How rows are remembered until their journal is added up. */
export const usageEntries = {
  idOf: ({ keyId }: UsageRow): string => keyId,
  isOfSameTime: (kept: UsageRow, row: UsageRow): boolean => kept.minute === row.minute,
  add: addTo,
}

/** A row of the journal that is being made. */
interface JournalRow extends ReturnType<typeof newLists> {
  readonly bucket: number
  readonly minute: number
}

/** The journal's rows, one for each bucket and minute, column by column as lists in PostgreSQL's notation. */
export function usageLists(rows: Iterable<UsageRow>): UsageRows {
  const journal = new Map<number, JournalRow>()
  for (const row of rows) {
    const bucket = bucketOf(row.keyId)
    const name = row.minute * BUCKETS + bucket
    let into = journal.get(name)
    if (into === undefined) {
      into = { bucket, minute: row.minute, ...newLists() }
      journal.set(name, into)
    }
    addEntry(into, row)
  }
  const all = [...journal.values()]
  const plain = (list: 'bucket' | 'minute') => `{${all.map((row) => row[list]).join(',')}}`
  return {
    written: all.map(({ bucket }) => bucket),
    buckets: plain('bucket'),
    minutes: plain('minute'),
    entries: `{${all.map((row) => `"${textOf(row)}"`).join(',')}}`,
  }
}

/** The lists in the order of the journal's columns. */
const textOf = ({ keyIds, methods, codes, classes, requests, microseconds, slowest }: JournalRow) =>
  entriesText([keyIds, methods, codes, classes, requests, microseconds, slowest])

const newLists = () => ({
  keyIds: [] as string[],
  methods: [] as string[],
  codes: [] as number[],
  classes: [] as number[],
  requests: [] as number[],
  microseconds: [] as number[],
  slowest: [] as number[],
})
/** Adds a row to the lists. */
function addEntry(into: JournalRow, row: UsageRow): void {
  into.keyIds.push(row.keyId)
  into.methods.push(row.method === '' ? EMPTY_TEXT : row.method)
  into.codes.push(row.code)
  into.classes.push(row.durationClass)
  into.requests.push(row.requests)
  into.microseconds.push(row.microseconds)
  into.slowest.push(row.slowestMicroseconds)
}

/** An empty text in a list within a list. */
const EMPTY_TEXT = String.raw`\"\"`

/** How long counts are kept; the contract's. */
export interface UsageKept {
  readonly usageMinutesKeptHours: number
  readonly usageHoursKeptDays: number
}

/** Rows that one statement deletes at most: others are not kept waiting. */
const DELETED_AT_ONCE = 5_000

/**
 * Deletes what is kept no longer: usage, the counts of windows that ended before the oldest usage, and who was deleted
 * before today.
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
    await remove('former_users', 'address_digest', formerUsersOver),
  ]
  return deleted.some((rows) => rows.length >= DELETED_AT_ONCE)
}
