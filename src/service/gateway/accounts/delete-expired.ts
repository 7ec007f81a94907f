import { sql } from 'drizzle-orm'
import { type Database, deleteOldRows, sessions, verifications } from '../store/index.js'

/**
 * Deletes expired sessions, with their client addresses and browsers, and expired links.
 * @returns true if more may be left
 */
export async function deleteExpired(db: Database): Promise<boolean> {
  const isOver = sql`expires_at < now()`
  const isMore = [
    await deleteOldRows(db, sessions, 'id', isOver),
    await deleteOldRows(db, verifications, 'id', isOver),
  ]
  return isMore.includes(true)
}
