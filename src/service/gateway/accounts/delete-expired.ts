import { sql } from 'drizzle-orm'
import { ago, apiKeys, type Database, deleteOldRows, sessions, users, verifications } from '../store/index.js'
import type { AccountLimits } from './account.js'
import { deleteOldAttempts } from './gate/attempt-count.js'

/** The contract's retention periods of accounts, and the longest window of an attempt. */
type AccountsKept = Pick<AccountLimits, 'unconfirmedAccountDays' | 'verificationLinkHours'>

/**
 * Deletes expired sessions, with their client addresses and browsers, expired links, counts of attempts whose window has
 * ended, and accounts that were never confirmed.
 * @returns true if more may be left
 */
export async function deleteExpired(db: Database, limits: AccountsKept): Promise<boolean> {
  const isOver = sql`expires_at < now()`
  const isMore = [
    await deleteOldRows(db, sessions, 'id', isOver),
    await deleteOldRows(db, verifications, 'id', isOver),
    await deleteOldAttempts(db, limits),
    await deleteUnconfirmed(db, limits),
  ]
  return isMore.includes(true)
}

/**
 * Deletes accounts that were never used: without mail, a sign-up logs in immediately, and an operator can create a key
 * for any address. Limits and the disabled state, which operators set, must not end with a new sign-up.
 */
function deleteUnconfirmed(db: Database, { unconfirmedAccountDays }: AccountsKept): Promise<boolean> {
  const isAbandoned = sql`not email_verified and origin = 'dashboard' and last_log_in_at is null
    and updated_at < ${ago(unconfirmedAccountDays, 'days')}
    and num_nonnulls(disabled_at, daily_limit, key_limit) = 0
    and not exists (select from ${apiKeys} as key where key.user_id = ${users}.id)`
  return deleteOldRows(db, users, 'id', isAbandoned)
}
