import { createHmac } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Database } from './open-store.js'
import { formerUsers, quotaCounts } from './schema.js'
import type { Secret } from './secret.js'

/**
 * Users whose accounts were deleted on the current UTC day. A new account with the same address gets the old id, and
 * with it the day's request count, so that deleting an account does not reset the daily limit.
 */
export interface FormerUsers {
  /** Records a user before the deletion, and deletes the counts of earlier days. */
  note(user: { readonly id: string; readonly email: string }): Promise<void>
  /** Returns the id that the address had earlier today; undefined without one. */
  idOf(email: string): Promise<string | undefined>
}

/** Creates the records. They hold a keyed digest of the address, so a copy of the database does not reveal addresses. */
export function createFormerUsers(db: Database, secret: Secret): FormerUsers {
  const key = secret.derive('addresses of deleted accounts')
  const digestOf = (email: string) =>
    createHmac('sha256', key).update(email.toLowerCase()).digest('base64url')
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
    async idOf(email) {
      const [former] = await db.execute<{ id: string }>(sql`
        select user_id as id from ${formerUsers}
        where address_digest = ${digestOf(email)} and deleted_at >= ${startOfDay}`)
      return former?.id
    },
  }
}

const startOfDay = sql`date_trunc('day', now(), 'UTC')`

/** SQL condition for expired records. */
export const formerUsersOver = sql`deleted_at < ${startOfDay}`
