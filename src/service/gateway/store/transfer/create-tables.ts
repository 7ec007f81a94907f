import { OperatorError } from '../../util/index.js'
import type { RunQuery } from '../connection.js'
import { countMigrations, forgetMigrations, lockMigrations, migrateIn } from '../migrate.js'
import { hasEmbeddedDatabase } from '../open-store.js'
import { checkEmpty, lockTables } from './copy-rows.js'
import { type DataTable, tablesIn } from './data-tables.js'

/**
 * Describes the tables of a database that is copied. Its transaction must read one snapshot.
 * @throws OperatorError `database_too_new`, `database_too_old`, `database_unusable` if there are none
 */
export async function describeSource(
  query: RunQuery,
): Promise<{ readonly migrations: number; readonly tables: readonly DataTable[] }> {
  const migrations = await countMigrations(query)
  if (migrations > 0) return { migrations, tables: await tablesIn(query) }
  throw new OperatorError('database_unusable', 'The database has no tables of the service')
}

/**
 * Requires the embedded database of a data folder, which opening it would create.
 * @throws OperatorError `database_unusable`
 */
export function requireEmbeddedDatabase(dataDir: string): void {
  if (hasEmbeddedDatabase(dataDir)) return
  throw new OperatorError(
    'database_unusable',
    `The folder ${dataDir} contains no database. Give another folder with --data`,
  )
}

/**
 * Makes the tables of a database those of a version, in the caller's transaction. Other processes can neither write to
 * them nor migrate them until it ends.
 * @param version number of migrations
 * @param name of the database, for the message
 * @throws OperatorError `database_not_empty` if they have rows, `database_too_new` if the program does not know the version
 */
export async function createEmptyTables(query: RunQuery, version: number, name: string): Promise<void> {
  await lockMigrations(query)
  const present = await countMigrations(query)
  const tables = await tablesIn(query)
  await lockTables(query, tables)
  await checkEmpty(query, tables, name)
  if (present !== version) {
    for (const table of tables) await query(`drop table "${table.name}" cascade`)
    await forgetMigrations(query)
    await migrateIn(query, version)
  }
  const created = await countMigrations(query)
  if (created === version) return
  throw new OperatorError(
    'database_too_new',
    `The tables of the backup have version ${version}, and this program knows them up to version ${created}. ` +
      'Restore it with a newer program',
  )
}
