import { sql } from 'drizzle-orm'
import type { Database } from '../store/index.js'
import { apiKeys, quotaCounts, usageHours, usageMinutes } from '../store/index.js'
import { freeRequests } from './free-requests.js'
import { isCall } from './is-call.js'
import type { AccountUsage, DayUsage } from './usage-report.js'

/** The JSON result of the query, with times in milliseconds since 1970. */
interface UsageJson {
  readonly at: number
  readonly resets: number
  readonly days: readonly Omit<DayUsage, 'received' | 'unanswered'>[]
  readonly keys: AccountUsage['keys'] | null
  readonly refused: number | null
}

/**
 * Reads the usage of an account by UTC day. Counts of other processes may be up to ten seconds old.
 * @param days number of days, including today
 */
export async function readAccountUsage(db: Database, userId: string, days: number): Promise<AccountUsage> {
  const [row] = await db.execute<{ usage: UsageJson }>(sql`
    with today as (select (now() at time zone 'UTC')::date as day),
    first as (select day - ${days - 1}::integer as day from today),
    own as (select id, name, masked, state from ${apiKeys} where user_id = ${userId}),
    hours as (
      select key_id, (starts_at at time zone 'UTC')::date as day,
        sum(requests - ${freeRequests}) as answered, sum(${freeRequests}) as refused,
        coalesce(sum(requests - ${freeRequests}) filter (where code <> 0), 0) as failed,
        sum(node_calls) as node_calls
      from ${usageHours} where key_id in (select id from own) and ${isCall}
        and starts_at >= (select day::timestamp at time zone 'UTC' from first)
      group by 1, 2
    ),
    listed as (
      select list.day::date as day, coalesce(quota.used, 0) as charged,
        coalesce(counted.answered, 0) as answered, coalesce(counted.refused, 0) as refused,
        coalesce(counted.failed, 0) as failed, coalesce(counted.node_calls, 0) as "nodeCalls"
      from first, today, generate_series(first.day, today.day, interval '1 day') as list(day)
      left join ${quotaCounts} as quota
        on quota.subject = ${userId} and quota.period = 'day' and quota.starts_on = list.day::date
      left join (
        select day, sum(answered) as answered, sum(refused) as refused, sum(failed) as failed,
          sum(node_calls) as node_calls
        from hours group by 1
      ) as counted on counted.day = list.day::date
    ),
    keys as (
      select own.id, own.name, own.masked, own.state = 'deleted' as "isDeleted",
        coalesce(hours.answered, 0) as answered, coalesce(hours.refused, 0) as refused,
        coalesce(hours.failed, 0) as failed, coalesce(hours.node_calls, 0) as "nodeCalls"
      from own left join hours on hours.key_id = own.id and hours.day = (select day from today)
      where own.state <> 'deleted' or hours.answered > 0 or hours.refused > 0
    )
    select json_build_object(
      'at', floor(extract(epoch from now()) * 1000),
      'resets', extract(epoch from ((select day from today) + 1)::timestamp at time zone 'UTC') * 1000,
      'days', (select json_agg(listed order by day) from listed),
      'keys', (select json_agg(keys order by answered desc, name, id) from keys),
      'refused', (
        select extract(epoch from max(starts_at)) * 1000 from ${usageMinutes}
        where key_id in (select id from own) and ${isCall} and ${freeRequests} > 0)
    ) as usage`)
  const { at = 0, resets = 0, days: listed = [], keys = [], refused = null } = row?.usage ?? {}
  return {
    at: new Date(at),
    resetsAt: new Date(resets),
    days: listed.map((day) => {
      const unanswered = Math.max(0, day.charged - day.answered)
      return { ...day, unanswered, received: day.answered + unanswered + day.refused }
    }),
    keys: keys ?? [],
    lastRefusedAt: refused === null ? null : new Date(refused),
  }
}
