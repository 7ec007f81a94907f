import { sql } from 'drizzle-orm'
import type { Database } from '../store/index.js'
import { apiKeys, quotaCounts, usageHours, users } from '../store/index.js'
import { freeRequests } from './free-requests.js'
import { isCall } from './is-call.js'
import type { AccountTotals } from './usage-report.js'

/** SQL of a sum as a number; 0 without rows. */
const totalOf = (name: string) => sql.raw(`coalesce(${name}, 0)::double precision as ${name}`)

/**
 * Reads the usage of every account on the last UTC days, by address. Counts of other processes may be up to ten seconds
 * old.
 * @param days number of days, including today
 */
export async function readUsageOfAccounts(db: Database, days: number): Promise<readonly AccountTotals[]> {
  const rows = await db.execute<Record<keyof AccountTotals, never>>(sql`
    with first as (select (now() at time zone 'UTC')::date - ${days - 1}::integer as day),
    quota as (
      select subject as user_id, starts_on as on_day, used as charged from ${quotaCounts}, first
      where period = 'day' and starts_on >= day
    ),
    counted as (
      select user_id, (starts_at at time zone 'UTC')::date as on_day, sum(requests - ${freeRequests}) as answered,
        sum(${freeRequests}) as refused, sum(requests - ${freeRequests}) filter (where code <> 0) as failed,
        sum(node_calls) as node_calls
      from ${usageHours} join (select id, user_id from ${apiKeys}) as own on own.id = key_id, first
      where ${isCall} and starts_at >= day::timestamp at time zone 'UTC' group by 1, 2
    ),
    summed as (
      select user_id, sum(charged) as charged, sum(answered) as answered, sum(refused) as refused,
        sum(failed) as failed, sum(node_calls) as node_calls,
        sum(greatest(0, coalesce(charged, 0) - coalesce(answered, 0))) as unanswered
      from quota full join counted using (user_id, on_day) group by 1
    ),
    listed as (
      select users.id, users.email, ${totalOf('charged')}, ${totalOf('answered')}, ${totalOf('unanswered')},
        ${totalOf('refused')}, ${totalOf('failed')}, ${totalOf('node_calls')}
      from ${users} left join summed on user_id = users.id
    )
    select id, email, charged, answered + unanswered + refused as received, answered, unanswered, refused, failed,
      node_calls as "nodeCalls"
    from listed order by email`)
  return rows
}
