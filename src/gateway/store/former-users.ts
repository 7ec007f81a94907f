import { createHmac } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Database } from './open-store.js'
import { formerUsers, quotaCounts, users } from './schema.js'
import type { Secret } from './secret.js'

/**
 * Users whose accounts were deleted, or got another address, on the current UTC day. A new account with the former
 * address gets the id of the deleted account, or a copy of the day's count of the other one, so that neither deleting an
 * account nor changing its address resets the daily limit.
 */
export interface FormerUsers {
  /** Records a user before the deletion, and deletes the counts of earlier days. */
  note(user: { readonly id: string; readonly email: string }): Promise<void>
  /** Records the former address of a user who has another one now. */
  noteAddress(user: { readonly id: string; readonly email: string }): Promise<void>
  /** Returns the id of the deleted account that the address had earlier today; undefined without one. */
  idOf(email: string): Promise<string | undefined>
  /** Returns true if the address belonged to another account earlier today. */
  wasOfAnother(user: { readonly id: string; readonly email: string }): Promise<boolean>
  /** Continues today's count of the account that had the address earlier today, and has another one now. */
  inherit(user: { readonly id: string; readonly email: string }): Promise<void>
}

/** Creates the records. They hold a keyed digest of the address, so a copy of the database does not reveal addresses. */
export function createFormerUsers(db: Database, secret: Secret): FormerUsers {
  const key = secret.derive('addresses of deleted accounts')
  const digestOf = (email: string) =>
    createHmac('sha256', key).update(email.toLowerCase()).digest('base64url')
  const ofToday = (email: string) => sql`address_digest = ${digestOf(email)} and deleted_at >= ${startOfDay}`
  return {
    async note({ id, email }) {
      await db.execute(sql`
        with earlier as (
          delete from ${quotaCounts}
          where subject = ${id} and period = 'day' and starts_on < (now() at time zone 'UTC')::date
        )
        insert into ${formerUsers} as former (address_digest, user_id) values (${digestOf(email)}, ${id})
        on conflict (address_digest) do update set user_id = excluded.user_id, deleted_at = excluded.deleted_at`)
    },
    async noteAddress({ id, email }) {
      await db.execute(sql`
        insert into ${formerUsers} as former (address_digest, user_id) values (${digestOf(email)}, ${id})
        on conflict (address_digest) do update set user_id = excluded.user_id, deleted_at = excluded.deleted_at`)
    },
    async idOf(email) {
      const [former] = await db.execute<{ id: string }>(sql`
        select user_id as id from ${formerUsers} where ${ofToday(email)}
          and not exists (select from ${users} as present where present.id = user_id)`)
      return former?.id
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

/** SQL condition for expired records. */
export const formerUsersOver = sql`deleted_at < ${startOfDay}`
