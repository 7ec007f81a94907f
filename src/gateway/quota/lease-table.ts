import { sql } from 'drizzle-orm'
import type { Database } from '../store/open-store.js'
import { quotaCounts } from '../store/schema.js'

/** What decides how large a lease is. */
export interface LeaseTerms {
  /** Requests per user and UTC day. */
  readonly limitPerDay: number
  /** Most requests in one lease. */
  readonly leaseRequests: number
  /** Processes that share the database. */
  readonly replicas: number
  /** The clock of tests; the database's own when not given. */
  readonly now?: (() => Date) | undefined
}

/** The database's answer to one who asks for a lease. */
export interface Lease {
  /** UTC day that it is for, `YYYY-MM-DD`. */
  readonly day: string
  /** Requests that may be admitted; 0 when the day's limit is granted already. */
  readonly size: number
  /** Requests granted on that day, to all processes, this lease included. */
  readonly granted: number
  /** The database's time when it answered, ms since 1970. */
  readonly databaseTime: number
}

/** What goes back to a user's row of one day. */
export interface Settlement {
  readonly userId: string
  readonly day: string
  /** Requests admitted since the last settlement. */
  readonly used: number
  /** Requests leased and not wanted any more. */
  readonly returned: number
}

/** Shares of the remaining requests that a process may lease at once, so that others find some too. */
const SHARES_PER_REPLICA = 4

/**
 * Takes a lease from the user's row of the database's day, in one atomic statement: at least `wanted`
 * requests where so many are left and one lease may hold them, else clamp(left / (4 × replicas), 1, most).
 */
export async function takeLease(
  db: Database,
  userId: string,
  wanted: number,
  { limitPerDay, leaseRequests, replicas, now }: LeaseTerms,
): Promise<Lease> {
  const time = now === undefined ? sql`now()` : sql`${now().toISOString()}::timestamptz`
  const shares = SHARES_PER_REPLICA * replicas
  const limit = sql`${limitPerDay}::integer`
  const sizeOf = (left: ReturnType<typeof sql>) =>
    sql`least(${left}, greatest(least(${wanted}::integer, ${leaseRequests}::integer),
      least(${left} / ${shares}::integer, ${leaseRequests}::integer), 1))`
  const more = sizeOf(sql`(${limit} - quota.granted)`)
  const [row] = await db.execute<{ day: string; size: number; granted: number; time: string }>(sql`
    with today as (select (${time} at time zone 'utc')::date as day),
    lease as (
      insert into ${quotaCounts} as quota (subject, period, starts_on, granted, last_lease)
      select ${userId}, 'day', today.day, ${sizeOf(limit)}, ${sizeOf(limit)} from today
      on conflict (subject, period, starts_on) do update
        set granted = quota.granted + ${more}, last_lease = ${more}
        where quota.granted < ${limit}
      returning granted, last_lease
    )
    select today.day, extract(epoch from ${time}) * 1000 as time, coalesce(lease.last_lease, 0) as size,
      coalesce(lease.granted, before.granted, ${limit}) as granted
    from today left join lease on true
    left join ${quotaCounts} as before on before.subject = ${userId} and before.period = 'day'
      and before.starts_on = today.day`)
  if (row === undefined) throw new TypeError('The lease statement always returns one row')
  return { day: row.day, size: row.size, granted: row.granted, databaseTime: Number(row.time) }
}

/** Writes down what was used and gives back what was not, of any number of users, in one statement. */
export async function settle(db: Database, settlements: readonly Settlement[]): Promise<void> {
  const rows = settlements.map(({ userId, ...rest }) => ({ user_id: userId, ...rest }))
  await db.execute(sql`
    update ${quotaCounts} as quota
    set granted = quota.granted - given.returned,
      used = least(quota.used + given.used, quota.granted - given.returned)
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as given(user_id text, day date, used integer, returned integer)
    where quota.subject = given.user_id and quota.period = 'day' and quota.starts_on = given.day`)
}
