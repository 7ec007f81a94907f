import { type SQL, sql } from 'drizzle-orm'
import { type Batch, listOf, unlessWritten } from '../store/batch-writer.js'
import type { Database } from '../store/open-store.js'
import { quotaCounts } from '../store/schema.js'
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

/** What a process has done with its leases of a subject and window since the last settlement. */
export interface Settlement {
  readonly subject: string
  readonly period: Period
  readonly startsOn: string
  /** Requests admitted; negative where they were not admitted after all. */
  readonly used: number
  /** Requests leased and not wanted any more. */
  readonly returned: number
}

/**
 * The order in which every statement locks counts, so that no two wait for each other, whatever the collation of the
 * database.
 */
const lockOrder = sql.raw('subject collate "C", period, starts_on')

/** Shares of the remaining requests that a process may lease at once, so that others find some too. */
const SHARES_PER_REPLICA = 4

/** A row of a count, when a lease was taken from it. */
interface CountRow extends Record<string, unknown> {
  readonly subject: string
  readonly period: Period
  readonly day: string
  readonly size: number
  readonly granted: number
  readonly time: string
}

/** The moment that windows are found by. */
const timeOf = ({ now }: LeaseTerms) =>
  now === undefined ? sql`now()` : sql`${now().toISOString()}::timestamptz`

/** The size of a lease where `left` requests are left; `wanted` and `most` are names or values. */
const sizeOf = (left: SQL, { wanted, most }: Record<'wanted' | 'most', SQL>, { replicas }: LeaseTerms) => sql`
  greatest(0, least(${left}, greatest(1, least(${wanted}, ${most}),
    least(${left} / ${SHARES_PER_REPLICA * replicas}::integer, ${most}))))`

/**
 * Takes leases from the counts of the database's day and month, each in one atomic statement for all who ask; each asks
 * for another count. A lease has at least `wanted` requests where so many are left and one lease may hold them, else
 * clamp(left / (4 × replicas), 1, most).
 * @returns the answers, in the order of the questions
 */
export async function takeLeases(
  db: Database,
  questions: readonly LeaseQuestion[],
  terms: LeaseTerms,
): Promise<Lease[]> {
  const [first] = questions
  const alone = questions.length === 1 && first !== undefined ? await takeLease(db, first, terms) : []
  const rows = alone.length > 0 ? alone : await takeTogether(db, questions, terms)
  const places = new Map(questions.map(({ subject, period }, place) => [`${subject} ${period}`, place]))
  const leases: (Lease | undefined)[] = questions.map(() => undefined)
  for (const { subject, period, day, size, granted, time } of rows) {
    const lease = { startsOn: day, size, granted, databaseTime: Number(time) }
    leases[places.get(`${subject} ${period}`) ?? 0] = lease
  }
  // Counts that another process has made since the statement began: the next one finds them.
  const missed = questions.filter((_, place) => leases[place] === undefined)
  const late = missed.length === 0 ? [] : await takeLeases(db, missed, terms)
  return leases.map((lease) => lease ?? (late.shift() as Lease))
}

/**
 * Takes one lease, of a count that is there: else there is no row. To plan a statement for many takes the embedded
 * database longer than all of this.
 */
function takeLease(db: Database, question: LeaseQuestion, terms: LeaseTerms): Promise<CountRow[]> {
  const { subject, period, limit, ...most } = question
  const time = timeOf(terms)
  const asks = { wanted: sql`${most.wanted}::integer`, most: sql`${most.most}::integer` }
  const size = sizeOf(sql`(${limit}::integer - granted)`, asks, terms)
  return db.execute<CountRow>(sql`
    update ${quotaCounts} set granted = granted + ${size}, last_lease = ${size}
    where subject = ${subject} and period = ${period}
      and starts_on = date_trunc(${period}, ${time} at time zone 'utc')::date
    returning subject, period, starts_on as day, last_lease as size, granted,
      extract(epoch from ${time}) * 1000 as time`)
}

/** Takes leases in one statement. */
function takeTogether(
  db: Database,
  questions: readonly LeaseQuestion[],
  terms: LeaseTerms,
): Promise<CountRow[]> {
  const time = timeOf(terms)
  const list = (name: keyof LeaseQuestion) => listOf(questions.map((question) => question[name]))
  const size = (left: SQL) => sizeOf(left, { wanted: sql`wanted`, most: sql`most` }, terms)
  return db.execute<CountRow>(sql`
    with asked as materialized (
      select *, date_trunc(period, ${time} at time zone 'utc')::date as starts_on
      from unnest(${list('subject')}::text[], ${list('period')}::text[], ${list('limit')}::integer[],
        ${list('wanted')}::integer[], ${list('most')}::integer[]) as asked(subject, period, "limit", wanted, most)
    ),
    found as (
      select subject, period, starts_on, ${size(sql`("limit" - quota.granted)`)} as size
      from asked join ${quotaCounts} as quota using (subject, period, starts_on)
      order by ${lockOrder} for update of quota
    ),
    taken as (
      update ${quotaCounts} as quota set granted = quota.granted + found.size, last_lease = found.size
      from found
      where quota.subject = found.subject and quota.period = found.period and quota.starts_on = found.starts_on
      returning quota.*
    ),
    made as (
      insert into ${quotaCounts} (subject, period, starts_on, granted, last_lease)
      select subject, period, starts_on, size, size
      from asked, lateral (select ${size(sql`"limit"`)} as size) as first
      where (subject, period) not in (select subject, period from found)
      order by ${lockOrder}
      on conflict do nothing
      returning *
    )
    select subject, period, starts_on as day, last_lease as size, granted, extract(epoch from ${time}) * 1000 as time
    from (select * from taken union all select * from made) as counts`)
}

/**
 * Adds what was used to the counts and gives back what was leased and not used, in one statement. A batch that was
 * written before changes nothing (`unlessWritten`).
 * @param replicaId the process's own, in the table of replicas
 */
export async function settle(db: Database, replicaId: string, batch: Batch<Settlement>): Promise<void> {
  const list = (name: keyof Settlement) => listOf(batch.rows.map((settlement) => settlement[name]))
  await db.execute(sql`
    with ${unlessWritten('settlement_batch', replicaId, batch.number)},
    given as materialized (
      select subject, period, starts_on, sum(used) as used, sum(returned) as returned
      from unnest(${list('subject')}::text[], ${list('period')}::text[], ${list('startsOn')}::date[],
        ${list('used')}::integer[], ${list('returned')}::integer[])
        as given(subject, period, starts_on, used, returned)
      where exists (select from fresh)
      group by subject, period, starts_on
    ),
    locked as (
      select given.* from given join ${quotaCounts} as quota using (subject, period, starts_on)
      order by ${lockOrder} for update of quota
    )
    update ${quotaCounts} as quota
    set granted = greatest(0, quota.granted - locked.returned),
      used = greatest(0, least(quota.used + locked.used, quota.granted - locked.returned))
    from locked
    where quota.subject = locked.subject and quota.period = locked.period and quota.starts_on = locked.starts_on`)
}
