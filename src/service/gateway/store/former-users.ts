import { createHmac } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import { listOf } from './batch-writer.js'
import type { Database } from './open-store.js'
import { formerUsers, quotaCounts, users } from './schema.js'
import type { Secret } from './secret.js'

/** Limits of a user that an operator lowered; null for those of every user. */
interface LoweredLimits {
  /** Requests per UTC day. */
  readonly dailyLimit: number | null
  /** Keys. */
  readonly keyLimit: number | null
}

/** What a new account takes over from an earlier one with its address. */
export interface FormerUser extends LoweredLimits {
  /** Id of the account, if it was deleted on the current UTC day. */
  readonly id: string | undefined
}

/**
 * Users whose accounts were deleted or changed their address. A new account with the former address inherits the id of
 * an account that was deleted on the current UTC day. From an account that changed its address, it inherits a copy of
 * today's count. Thus neither deleting an account nor changing its address resets the daily limit. Limits that an
 * operator lowered are kept for longer, even if other accounts use the address in between.
 */
export interface FormerUsers {
  /** Records a user before the deletion, and deletes the counts of earlier days. */
  note(user: { readonly id: string; readonly email: string }): Promise<void>
  /** Records the former address of a user who changes it. */
  noteAddress(user: { readonly id: string; readonly email: string }): Promise<void>
  /** Returns what a new account with the address takes over. */
  of(email: string): Promise<FormerUser>
  /** Removes the lowered limits of an address, after a new account has taken them over. */
  taken(email: string): Promise<void>
  /** Returns true if the address belonged to another account earlier today. */
  wasOfAnother(user: { readonly id: string; readonly email: string }): Promise<boolean>
  /** Continues today's count of the account that had the address earlier today, and has another one now. */
  inherit(user: { readonly id: string; readonly email: string }): Promise<void>
}

/**
 * Creates the records. They hold a keyed digest of the address, so a copy of the database does not reveal addresses.
 * @param loweredLimitsDays days for which lowered limits of an address are kept
 */
export function createFormerUsers(db: Database, secret: Secret, loweredLimitsDays: number): FormerUsers {
  const keys = secret.deriveAll('addresses of deleted accounts')
  const digestsOf = (email: string) =>
    keys.map((key) => createHmac('sha256', key).update(email.toLowerCase()).digest('base64url'))
  const digestOf = (email: string) => digestsOf(email)[0] ?? ''
  /** Records under any accepted secret. */
  const isOf = (email: string) => sql`address_digest = any (${listOf(digestsOf(email))}::text[])`
  /**
   * SQL of the lower of two limits: the recorded limit, unless it has expired, and that of the address's latest user.
   */
  const lower = (column: string) =>
    sql.raw(`case
    when former.deleted_at < now() - interval '${loweredLimitsDays} days' then excluded.${column}
    else least(former.${column}, excluded.${column}) end`)
  const insertFormer = ({ id, email }: { readonly id: string; readonly email: string }) => sql`
    insert into ${formerUsers} as former (address_digest, user_id, daily_limit, key_limit)
    select ${digestOf(email)}, id, daily_limit, key_limit from ${users} where id = ${id}
    on conflict (address_digest) do update set user_id = excluded.user_id, deleted_at = excluded.deleted_at,
      daily_limit = ${lower('daily_limit')}, key_limit = ${lower('key_limit')}`
  const ofToday = (email: string) => sql`${isOf(email)} and deleted_at >= ${startOfDay}`
  return {
    async note({ id, email }) {
      await db.execute(sql`
        with earlier as (
          delete from ${quotaCounts}
          where subject = ${id} and period = 'day' and starts_on < (now() at time zone 'UTC')::date
        )
        ${insertFormer({ id, email })}`)
    },
    async noteAddress(user) {
      await db.execute(insertFormer(user))
    },
    async of(email) {
      const [former] = await db.execute<{ [Member in keyof FormerUser]: FormerUser[Member] | null }>(sql`
        select min(daily_limit) as "dailyLimit", min(key_limit) as "keyLimit",
          (array_agg(case when deleted_at >= ${startOfDay}
            and not exists (select from ${users} as present where present.id = user_id) then user_id end
            order by deleted_at desc))[1] as id
        from ${formerUsers} where ${isOf(email)} and not ${formerUsersOver(loweredLimitsDays)}`)
      const { id, dailyLimit = null, keyLimit = null } = former ?? {}
      return { id: id ?? undefined, dailyLimit, keyLimit }
    },
    async taken(email) {
      await db.execute(sql`
        update ${formerUsers} set daily_limit = null, key_limit = null where ${isOf(email)}`)
    },
    async wasOfAnother({ id, email }) {
      const found = await db.execute(sql`
        select 1 as one from ${formerUsers} where ${ofToday(email)} and user_id <> ${id}`)
      return found.length > 0
    },
    async inherit({ id, email }) {
      await db.execute(sql`
        insert into ${quotaCounts} (subject, period, starts_on, granted, used, last_lease)
        select ${id}, period, starts_on, used, used, 0 from ${quotaCounts}
        where period = 'day' and starts_on = (now() at time zone 'UTC')::date
          and subject in (select user_id from ${formerUsers} where ${ofToday(email)} and user_id <> ${id})
        on conflict do nothing`)
    },
  }
}

const startOfDay = sql`date_trunc('day', now(), 'UTC')`

/**
 * SQL condition for expired records.
 * @param loweredLimitsDays days for which lowered limits of an address are kept
 */
export const formerUsersOver = (loweredLimitsDays: number): SQL => sql`(deleted_at < ${startOfDay}
  and (num_nonnulls(daily_limit, key_limit) = 0
    or deleted_at < now() - make_interval(days => ${loweredLimitsDays}::integer)))`
