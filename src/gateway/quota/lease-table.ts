import { sql } from 'drizzle-orm'
import { bucketOf, type UsedRows, usedRows } from '../store/journals.js'
import type { Database } from '../store/open-store.js'
import { quotaCounts, replicas, usedJournal } from '../store/schema.js'
import type { Period } from './window.js'

/** What decides how large leases are. */
export interface LeaseTerms {
  /** Processes that share the database. */
  readonly replicas: number
  /** The clock of tests; the database's own when not given. */
  readonly now?: (() => Date) | undefined
}

/** One who asks for a lease. */
export interface LeaseQuestion {
  /** A user, or a key with a limit of its own, by id. */
  readonly subject: string
  readonly period: Period
  /** Requests that the subject may make in the period. */
  readonly limit: number
  /** Requests that are waited for. */
  readonly wanted: number
  /** Most requests in the lease. */
  readonly most: number
}

/** The database's answer to one who asks for a lease. */
export interface Lease {
  /** First day of the window that it is for, UTC, `YYYY-MM-DD`. */
  readonly startsOn: string
  /** Requests that may be admitted; 0 when the limit is granted already. */
  readonly size: number
  /** Requests granted in that window, to all processes, this lease included. */
  readonly granted: number
  /** The database's time when it answered, ms since 1970. */
  readonly databaseTime: number
}

/** What goes back to the count of a subject and window. */
export interface Settlement {
  readonly subject: string
  readonly period: Period
  readonly startsOn: string
  /** Requests admitted since the last settlement; negative where they were not admitted after all. */
  readonly used: number
  /** Requests leased and not wanted any more. */
  readonly returned: number
}

type Expression = ReturnType<typeof sql>

/** Shares of the remaining requests that a process may lease at once, so that others find some too. */
const SHARES_PER_REPLICA = 4

/**
 * Takes leases from the counts of the database's day and month, in one atomic statement for all who ask; each asks for
 * another count. A lease has at least `wanted` requests where so many are left and one lease may hold them, else
 * clamp(left / (4 × replicas), 1, most). Counts are locked in their order, so that no two statements wait for each
 * other.
 * @returns the answers, in the order of the questions
 */
export async function takeLeases(
  db: Database,
  questions: readonly LeaseQuestion[],
  { replicas, now }: LeaseTerms,
): Promise<Lease[]> {
  const time = now === undefined ? sql`now()` : sql`${now().toISOString()}::timestamptz`
  const asked = JSON.stringify(questions.map((question, place) => ({ place, ...question })))
  // Found by name where a row is changed: to look through all questions for each would take the square of their number.
  const byName = JSON.stringify(
    Object.fromEntries(
      questions.map(({ subject, period, limit, wanted, most }) => [
        `${subject} ${period}`,
        [limit, wanted, most],
      ]),
    ),
  )
  const shares = sql`${SHARES_PER_REPLICA * replicas}::integer`
  const sizeOf = (left: Expression, wanted: Expression, most: Expression) =>
    sql`greatest(0, least(${left}, greatest(1, least(${wanted}, ${most}), least(${left} / ${shares}, ${most}))))`
  const rows = await db.execute<{
    place: number
    day: string
    size: number
    granted: number
    time: string
  }>(sql`
    with asked as materialized (
      select place, subject, period, "limit", wanted, most,
        date_trunc(period, ${time} at time zone 'utc')::date as starts_on
      from json_to_recordset(${asked}::json)
        as asked(place integer, subject text, period text, "limit" integer, wanted integer, most integer)
    ),
    lease as (
      insert into ${quotaCounts} as quota (subject, period, starts_on, granted, last_lease)
      select subject, period, starts_on, size, size
      from asked, lateral (select ${sizeOf(sql`asked."limit"`, sql`asked.wanted`, sql`asked.most`)} as size) as first
      order by subject, period
      on conflict (subject, period, starts_on) do update
        set (granted, last_lease) = (
          select quota.granted + more.size, more.size
          from (select ${byName}::jsonb -> (excluded.subject || ' ' || excluded.period) as question) as found,
            lateral (select (question ->> 0)::integer - quota.granted as "left",
              (question ->> 1)::integer as wanted, (question ->> 2)::integer as most) as asks,
            lateral (select ${sizeOf(sql`asks."left"`, sql`asks.wanted`, sql`asks.most`)} as size) as more)
      returning subject, period, granted, last_lease
    )
    select asked.place, asked.starts_on as day, extract(epoch from ${time}) * 1000 as time,
      lease.last_lease as size, lease.granted
    from asked join lease using (subject, period)`)
  const leases: Lease[] = []
  for (const { place, day, size, granted, time } of rows) {
    leases[place] = { startsOn: day, size, granted, databaseTime: Number(time) }
  }
  return leases
}

/** Settlements that are written together, once. */
export interface SettlementBatch {
  /** Counts up from 1 within a process. */
  readonly number: number
  readonly settlements: readonly Settlement[]
}

/**
 * Writes down what was used, into the journal where that is all, and gives back what was not, of any number of counts, in
 * one statement. A batch that has been written before, of which the process never heard, changes nothing: the process's
 * row says so.
 * @param replicaId the process's own, in the table of replicas
 * @returns the buckets of the journal that something went into
 */
export async function settle(
  db: Database,
  replicaId: string,
  { number, settlements }: SettlementBatch,
): Promise<readonly number[]> {
  const rows = settlements
    .filter((settlement) => !isJournaled(settlement))
    .map(({ startsOn, ...rest }) => ({ starts_on: startsOn, ...rest }))
  const lists = usedLists(settlements.filter(isJournaled))
  await db.execute(sql`
    with fresh as (
      insert into ${replicas} as replica (id, settlement_batch) values (${replicaId}, ${number}::bigint)
      on conflict (id) do update set settlement_batch = excluded.settlement_batch
        where replica.settlement_batch < excluded.settlement_batch
      returning id
    ),
    journaled as (
      insert into ${usedJournal} (bucket, period, starts_on, subjects, used)
      select * from (${usedRows(lists)}) as used_rows where exists (select from fresh)
    ),
    given as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json)
        as given(subject text, period text, starts_on date, used integer, returned integer)
      where exists (select from fresh)
    ),
    locked as (
      select given.* from ${quotaCounts} as quota join given using (subject, period, starts_on)
      order by quota.subject, quota.period, quota.starts_on for update of quota
    )
    update ${quotaCounts} as quota
    set granted = greatest(0, quota.granted - locked.returned),
      used = greatest(0, least(quota.used + locked.used, quota.granted - locked.returned))
    from locked
    where quota.subject = locked.subject and quota.period = locked.period and quota.starts_on = locked.starts_on`)
  return lists.written
}

/** True for what goes into the journal: nothing is given back with it. */
export const isJournaled = ({ returned }: Settlement): boolean => returned === 0

/**
 * Adds a settlement to those of the same subject and window. The first of a subject goes by its id alone: to write a
 * longer name of each costs more than all else here.
 */
export function addSettlement(settlements: Map<string, Settlement>, settlement: Settlement): void {
  const { subject, period, startsOn } = settlement
  const first = settlements.get(subject)
  const isOfFirst = first === undefined || (first.startsOn === startsOn && first.period === period)
  const name = isOfFirst ? subject : `${period} ${startsOn} ${subject}`
  const before = isOfFirst ? first : settlements.get(name)
  const used = settlement.used + (before?.used ?? 0)
  const returned = settlement.returned + (before?.returned ?? 0)
  settlements.set(name, { subject, period, startsOn, used, returned })
}

/** How settlements are remembered until their journal is added up. */
export const settlementEntries = {
  idOf: ({ subject }: Settlement): string => subject,
  add: addSettlement,
}

/** The journal's rows, one for each bucket and window, column by column as lists in PostgreSQL's notation. */
export function usedLists(settlements: Iterable<Settlement>): UsedRows {
  const journal = new Map<
    string,
    { bucket: number; period: Period; startsOn: string; subjects: string; used: string }
  >()
  for (const { subject, period, startsOn, used } of settlements) {
    const bucket = bucketOf(subject)
    const name = `${bucket} ${period} ${startsOn}`
    const into = journal.get(name)
    if (into === undefined)
      journal.set(name, { bucket, period, startsOn, subjects: subject, used: `${used}` })
    else {
      into.subjects += `,${subject}`
      into.used += `,${used}`
    }
  }
  const all = [...journal.values()]
  const plain = (list: 'bucket' | 'period' | 'startsOn') => `{${all.map((row) => row[list]).join(',')}}`
  const nested = (list: 'subjects' | 'used') => `{${all.map((row) => `"{${row[list]}}"`).join(',')}}`
  return {
    written: all.map(({ bucket }) => bucket),
    buckets: plain('bucket'),
    periods: plain('period'),
    starts: plain('startsOn'),
    subjects: nested('subjects'),
    used: nested('used'),
  }
}
