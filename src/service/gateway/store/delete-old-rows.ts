import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Database } from './open-store.js'

/** Maximum number of rows that one statement deletes, which limits the waiting time of other statements. */
const DELETED_AT_ONCE = 5_000

/** SQL of the time from which rows are kept. */
export const ago = (count: number, unit: 'hours' | 'days'): SQL =>
  sql`now() - make_interval(${sql.raw(unit)} => ${count}::integer)`

/**
 * Deletes rows whose retention period has ended.
 * @param keys the columns that identify a row, separated by commas
 * @param isOld the condition for a row to be deleted
 * @returns true if more may be left
 */
export async function deleteOldRows(
  db: Database,
  table: SQLWrapper,
  keys: string,
  isOld: SQL,
): Promise<boolean> {
  const deleted = await db.execute(sql`
    delete from ${table} where (${sql.raw(keys)}) in (
      select ${sql.raw(keys)} from ${table} where ${isOld} limit ${DELETED_AT_ONCE}::integer for update skip locked)
    returning 1 as one`)
  return deleted.length >= DELETED_AT_ONCE
}
