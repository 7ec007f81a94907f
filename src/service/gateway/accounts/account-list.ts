import { desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../store/index.js'
import { apiKeys, quotaCounts, quotaNotices, sessions, users } from '../store/index.js'
import type { AccountList, AccountQuery, AccountSummary, UserLimits } from './account.js'

/** Requests of the current UTC day that have been written to the database. */
const usedToday = sql<number>`coalesce(${quotaCounts.used}, 0)`
/** Plain SQL, because drizzle would print the column names of this subquery without their tables. */
const nodeCallsToday = sql<number>`(
  select coalesce(sum(node_calls), 0)::double precision from usage_hours as hours
  join api_keys as own on own.id = hours.key_id
  where own.user_id = users.id
    and hours.starts_at >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC')`
const receivedLastHour = sql<number>`(
  select coalesce(sum(requests), 0)::double precision from usage_minutes as minutes
  join api_keys as own on own.id = minutes.key_id
  where own.user_id = users.id and minutes.starts_at > now() - interval '1 hour')`
const summary = {
  id: users.id,
  email: users.email,
  emailVerified: users.emailVerified,
  createdAt: users.createdAt,
  lastLogInAt: users.lastLogInAt,
  limits: { dailyLimit: users.dailyLimit, keyLimit: users.keyLimit },
  limitsReason: users.limitsReason,
  hasSecondFactor: users.twoFactorEnabled,
  disabledAt: users.disabledAt,
  disabledReason: users.disabledReason,
  // Plain SQL, because drizzle would print the column names of this subquery without their tables.
  keys: sql<number>`(select count(*)::integer from api_keys as own where own.user_id = users.id and own.state <> 'deleted')`,
  usedToday,
  nodeCallsToday,
  receivedLastHour,
}
const newest = [desc(users.createdAt), desc(users.id)]
const orders: Readonly<Record<AccountQuery['order'], readonly SQL[]>> = {
  newest,
  'most-used': [desc(usedToday), ...newest],
  'most-last-hour': [desc(receivedLastHour), ...newest],
  'most-node-calls': [desc(nodeCallsToday), ...newest],
}

/** Searches accounts for operators. */
export async function listAccounts(
  db: Database,
  { search, order, skip, most }: AccountQuery,
): Promise<AccountList> {
  const condition = matching(search.trim())
  const [rows, [total]] = await Promise.all([
    selectAccounts(db, condition)
      .orderBy(...orders[order])
      .offset(skip)
      .limit(most),
    db.select({ count: sql<number>`count(*)::integer` }).from(users).where(condition),
  ])
  return { accounts: rows, found: total?.count ?? 0 }
}

/** Finds an account by id; undefined for an unknown id. */
export async function findAccount(db: Database, id: string): Promise<AccountSummary | undefined> {
  const [row] = await selectAccounts(db, eq(users.id, id))
  return row
}

/**
 * Disables or enables an account in one statement. Disabling deletes its sessions.
 * @param reason why it is disabled; empty without a reason
 * @returns the ids of its keys; undefined for an unknown account
 */
export function setAccountDisabled(
  db: Database,
  id: string,
  isDisabled: boolean,
  reason: string,
): Promise<readonly string[] | undefined> {
  return changeAccount(
    db,
    id,
    sql`disabled_at = case when ${isDisabled}::boolean then coalesce(disabled_at, now()) end,
      disabled_reason = ${isDisabled ? reason || null : null}::text`,
    sql`ended as (delete from ${sessions} where ${isDisabled}::boolean and user_id in (select id from changed)),`,
  )
}

/**
 * Sets the limits of an account. Under another daily limit, the user is told again when it is nearly used.
 * @param reason why they are lowered; empty without a reason
 * @returns the ids of its keys; undefined for an unknown account
 */
export function setAccountLimits(
  db: Database,
  id: string,
  { dailyLimit, keyLimit }: UserLimits,
  reason: string,
): Promise<readonly string[] | undefined> {
  const isLowered = dailyLimit !== null || keyLimit !== null
  return changeAccount(
    db,
    id,
    sql`daily_limit = ${dailyLimit}::integer, key_limit = ${keyLimit}::integer,
      limits_reason = ${isLowered ? reason || null : null}::text`,
    // Within the statement, the condition reads the limit before the change.
    sql`told as (delete from ${quotaNotices} where user_id in (
      select id from ${users} where id = ${id} and daily_limit is distinct from ${dailyLimit}::integer)),`,
  )
}

/** Changes an account, and marks its keys as changed, so that every replica reads them again. */
async function changeAccount(
  db: Database,
  id: string,
  change: SQL,
  others = sql``,
): Promise<readonly string[] | undefined> {
  const [row] = await db.execute<{ known: number; keys: readonly string[] | null }>(sql`
    with changed as (update ${users} set ${change} where id = ${id} returning id),
    ${others}
    keys as (
      update ${apiKeys} set changed_at = now()
      where user_id in (select id from changed) and state <> 'deleted' returning id
    )
    select (select count(*)::integer from changed) as known, (select json_agg(id) from keys) as keys`)
  return row?.known === 1 ? (row.keys ?? []) : undefined
}

function selectAccounts(db: Database, condition: SQL | undefined) {
  return db
    .select(summary)
    .from(users)
    .leftJoin(
      quotaCounts,
      sql`${quotaCounts.subject} = ${users.id} and ${quotaCounts.period} = 'day'
        and ${quotaCounts.startsOn} = (now() at time zone 'UTC')::date`,
    )
    .where(condition)
}

/** Matches a part of the address, ignoring case, or the complete id of an account or key. */
function matching(search: string): SQL | undefined {
  if (search === '') return undefined
  return sql`(position(lower(${search}::text) in lower(${users.email})) > 0 or ${users.id} = ${search}
    or ${users.id} in (select user_id from ${apiKeys} where ${apiKeys.id} = ${search}))`
}
