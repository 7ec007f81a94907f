import { createHmac } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Database } from './open-store.js'
import { formerUsers, quotaCounts } from './schema.js'
import type { Secret } from './secret.js'

/**
 * Whose account was deleted on this UTC day. Who comes back with the address on that day gets the id of before, and with
 * it the day's count of requests: a deleted account is no way to a second limit.
 */
export interface FormerUsers {
  /** Notes a user who is about to be deleted, and deletes the counts of earlier days. */
  note(user: { readonly id: string; readonly email: string }): Promise<void>
  /** The id that the user with this address had today; undefined where there was none. */
  idOf(email: string): Promise<string | undefined>
}

/** Nothing is kept of the address but a digest, made with the secret: who has the database alone cannot try addresses. */
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

/** What tells the rows whose day is over, and that are to be deleted. */
export const formerUsersOver = sql`deleted_at < ${startOfDay}`
