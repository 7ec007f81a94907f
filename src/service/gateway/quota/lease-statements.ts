import { sql } from 'drizzle-orm'
import type { Database, RunQuery } from '../store/index.js'
import { type Batch, listOf, quotaCounts, unlessWritten } from '../store/index.js'
import type { Period } from './window.js'

/** Parameters of all leases. */
export interface LeaseTerms {
  /** Number of processes that share the database. */
  readonly replicas: number
  /** Clock of tests; the database's clock by default. */
  readonly now?: (() => Date) | undefined
}

/** A request for a lease. */
export interface LeaseQuestion {
  /** Id of a user, or of a key with a limit of its own. */
  readonly subject: string
  readonly period: Period
  /** Limit of the subject, in requests per period. */
  readonly limit: number
  /** Number of waiting requests. */
  readonly wanted: number
  /** Maximum size of the lease near the limit, in requests. */
  readonly most: number
  /** Requests that the process expects within the time of a lease; 0 or undefined if it does not know. */
  readonly ahead?: number
}

/** A granted lease. */
export interface Lease {
  /** First day of the lease's window, UTC, `YYYY-MM-DD`. */
  readonly startsOn: string
  /** Requests that may be admitted; 0 if the limit is exhausted. */
  readonly size: number
  /** Requests granted to all processes in the window, including this lease. */
  readonly granted: number
  /** The database's time of the grant, in milliseconds since 1970. */
  readonly databaseTime: number
}

/** The used and returned requests of a process for a subject and window since the last settlement. */
export interface Settlement {
  readonly subject: string
  readonly period: Period
  readonly startsOn: string
  /** Admitted requests; negative to take back an admission. */
  readonly used: number
  /** Leased requests that are no longer needed. */
  readonly returned: number
}

/**
 * The order in which every statement locks counts, which prevents deadlocks. The explicit collation makes it independent
 * of the database.
 */
const lockOrder = sql.raw('subject collate "C", period, starts_on')

/** Requests left up to which a limit is near. */
export const NEAR_LIMIT_REQUESTS = 2_000
/** Each process may lease one of so many shares, which leaves requests for the others; fewer when the limit is near. */
const SHARES_PER_REPLICA = 2
const SHARES_PER_REPLICA_NEAR_LIMIT = 4
/** Time for which a process that is short recalls leases, in seconds. Processes ask for recalls more often. */
const RECALL_SECONDS = 3

/** A row of a count after a lease was taken from it. */
interface CountRow extends Record<string, unknown> {
  readonly subject: string
  readonly period: Period
  readonly day: string
  readonly size: number
  readonly granted: number
  readonly time: string
}

/**
 * Takes leases from the counts of the current day and month, in one atomic statement. Each question must be about
 * another count. The size is min(wanted, most) or, if larger, min(ahead, left / (2 × replicas)); near the limit, and
 * without `ahead`, min(left / (4 × replicas), most) instead. It is at least 1, and at most what is left. A size below
 * min(wanted, most) recalls the leases of other processes.
 * @returns the leases, in the order of the questions
 */
export async function takeLeases(
  db: Database,
  questions: readonly LeaseQuestion[],
  terms: LeaseTerms,
): Promise<Lease[]> {
  const list = (name: keyof LeaseQuestion) => listOf(questions.map((question) => question[name] ?? 0))
  const time = terms.now === undefined ? sql`now()` : sql`${terms.now().toISOString()}::timestamptz`
  const asked = sql`
    asked as materialized (
      select *, date_trunc(period, ${time} at time zone 'utc')::date as starts_on
      from unnest(${list('subject')}::text[], ${list('period')}::text[], ${list('limit')}::integer[],
        ${list('wanted')}::integer[], ${list('most')}::integer[], ${list('ahead')}::integer[])
        as asked(subject, period, "limit", wanted, most, ahead)
    )`
  const rows = await db.execute<CountRow>(sql`
    with ${asked},
    found as (
      select subject, period, starts_on, least(wanted, most) as needed, greatest(0, least("limit" - quota.granted, greatest(1, least(wanted, most),
        case when ahead > 0 and "limit" - quota.granted > ${NEAR_LIMIT_REQUESTS}::integer
          then least(("limit" - quota.granted) / ${SHARES_PER_REPLICA * terms.replicas}::integer, ahead)
          else least(("limit" - quota.granted) / ${SHARES_PER_REPLICA_NEAR_LIMIT * terms.replicas}::integer, most)
        end))) as size
      from asked join ${quotaCounts} as quota using (subject, period, starts_on)
      order by ${lockOrder} for update of quota
    )
    update ${quotaCounts} as quota set granted = quota.granted + found.size, last_lease = found.size,
      recalled_at = case when found.size < found.needed then now() else quota.recalled_at end
    from found
    where quota.subject = found.subject and quota.period = found.period and quota.starts_on = found.starts_on
    returning quota.subject, quota.period, quota.starts_on as day, quota.last_lease as size, quota.granted,
      extract(epoch from ${time}) * 1000 as time`)
  const found = new Map(rows.map((row) => [`${row.subject} ${row.period}`, row]))
  const rowOf = ({ subject, period }: LeaseQuestion) => found.get(`${subject} ${period}`)
  const missing = questions.filter((question) => rowOf(question) === undefined)
  if (missing.length > 0) {
    // The first lease of a window creates its count.
    await db.execute(sql`
      with ${asked}
      insert into ${quotaCounts} (subject, period, starts_on, granted, last_lease)
      select subject, period, starts_on, 0, 0 from asked order by ${lockOrder}
      on conflict do nothing`)
  }
  const late = missing.length > 0 ? await takeLeases(db, missing, terms) : []
  return questions.map((question) => {
    const row = rowOf(question)
    if (row === undefined) return late.shift() as Lease
    const { day, size, granted, time } = row
    return { startsOn: day, size, granted, databaseTime: Number(time) }
  })
}

/** Returns the subjects and periods whose leases some process recalls. */
export async function recalledCounts(
  query: RunQuery,
): Promise<readonly Pick<LeaseQuestion, 'subject' | 'period'>[]> {
  const { rows } = await query(
    `select subject, period from quota_counts where recalled_at > now() - interval '${RECALL_SECONDS} seconds'`,
  )
  return rows as Pick<LeaseQuestion, 'subject' | 'period'>[]
}

/**
 * Adds used requests to the counts and returns unused requests, in one statement. A batch that was already written
 * changes nothing (`unlessWritten`).
 * @param replicaId id of this process in the table of replicas
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
