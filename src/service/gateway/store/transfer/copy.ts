import { OperatorError } from '../../util/index.js'
import type { RunQuery } from '../connection.js'
import { countMigrations, forgetMigrations, lockMigrations, migrateIn } from '../migrate.js'
import { createSecret } from '../secret.js'
import { checkSecretOfKeys, insertRows, type Row, readOneSnapshot, readRows } from './copy-rows.js'
import { type DataTable, findColumn, PROCESSES, tablesIn } from './data-tables.js'

/** What is stated about a copied database before its rows. */
export interface CopyHead {
  /** How many migrations the database had. */
  readonly migrations: number
  /** Version of the secret that encrypted the keys. */
  readonly secretVersion: string
  /** The secret, if the operator asked for it. */
  readonly secret?: string
}

/** A table with its columns, whose rows follow, or a group of rows. */
export type CopyLine =
  | { readonly table: string; readonly columns: readonly string[] }
  | { readonly rows: readonly Row[] }

/** A database as it is copied: into the file of a backup, from it, or straight into another database. */
export interface Copy {
  readonly head: CopyHead
  /** The lines after the head. */
  lines(): AsyncGenerator<CopyLine>
}

/** Receives the number of rows of a table that are copied so far. */
export type OnProgress = (table: string, rows: number) => void

/** Reports each group of rows of a copy after it was written. */
export const reported = ({ head, lines }: Copy, onProgress: OnProgress): Copy => ({
  head,
  async *lines() {
    let table = ''
    let rows = 0
    for await (const line of lines()) {
      yield line
      if ('table' in line) table = line.table
      rows = 'table' in line ? 0 : rows + line.rows.length
      if (rows > 0) onProgress(table, rows)
    }
  },
})

/**
 * Reads a database as it is at one moment, in the caller's transaction, whose first statement this must be.
 * @param secret that encrypted its keys
 * @param withSecret true if the copy contains the secret
 * @throws OperatorError `database_too_new`, `database_too_old`, `database_unusable` if it has no tables, `secret_mismatch`
 */
export async function readDatabase(query: RunQuery, secret: string, withSecret: boolean): Promise<Copy> {
  await readOneSnapshot(query)
  const migrations = await countMigrations(query)
  if (migrations === 0)
    throw new OperatorError('database_unusable', 'The database has no tables of the service')
  const tables = await tablesIn(query)
  const { version } = createSecret(secret)
  await checkSecretOfKeys(query, version)
  return {
    head: { migrations, secretVersion: version, ...(withSecret ? { secret } : {}) },
    async *lines() {
      for (const table of tables) {
        yield { table: table.name, columns: table.columns.map(({ name }) => name) }
        for await (const rows of readRows(query, table)) yield { rows }
      }
    },
  }
}

/**
 * Fills an empty database from a copy, in the caller's transaction. The tables are created as the copied database had
 * them, and then migrated with their rows.
 * @param name of the database, for the message
 * @throws OperatorError `database_not_empty` if its tables have rows, `database_too_new` if the program does not know the
 *   version of the copy, `backup_unusable` if the copy has columns that the program does not know
 */
export async function fillDatabase(query: RunQuery, { head, lines }: Copy, name: string): Promise<void> {
  await createEmptyTables(query, head.migrations, name)
  let table = ''
  let columns: DataTable['columns'] = []
  for await (const line of lines()) {
    if ('table' in line) {
      table = line.table
      columns = columnsOf(line.table, line.columns)
    } else await insertRows(query, table, columns, line.rows)
  }
  await migrateIn(query)
}

/** Makes the tables of a database those of a version. Other processes can neither write to them nor migrate them. */
async function createEmptyTables(query: RunQuery, version: number, name: string): Promise<void> {
  await lockMigrations(query)
  const present = await countMigrations(query)
  const tables = await tablesIn(query)
  await refuseRows(query, tables, name)
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

/** Locks the tables against writes, once other writers have ended, and refuses rows other than those of processes. */
async function refuseRows(query: RunQuery, tables: readonly DataTable[], name: string): Promise<void> {
  if (tables.length === 0) return
  const names = tables.map((table) => `"${table.name}"`)
  await query(`lock table ${names.join(', ')} in share row exclusive mode`)
  for (const { name: table } of tables) {
    if (table === PROCESSES) continue
    const { rows } = await query(`select 1 from "${table}" limit 1`)
    if (rows.length === 0) continue
    throw new OperatorError(
      'database_not_empty',
      `The database ${name} is not empty: its table "${table}" has rows. Nothing was changed. Choose an empty database`,
    )
  }
}

function columnsOf(name: string, columns: readonly string[]): DataTable['columns'] {
  return columns.map((column) => {
    const found = findColumn(name, column)
    if (found !== undefined) return found
    throw new OperatorError(
      'backup_unusable',
      `The backup has an unknown column ${column} of a table ${name}`,
    )
  })
}
