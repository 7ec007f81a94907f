import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../util/index.js'
import { LEASE_JOURNAL } from '../data-folder.js'
import { migrateIn } from '../migrate.js'
import { type OpenDatabase, openServerDatabase, openStore } from '../open-store.js'
import { createSecret, findSecret, keepSecret, requireSharedSecret } from '../secret.js'
import { type BackupHead, type OpenBackup, openBackup, writeBackup } from './backup-file.js'
import { checkSecretOfKeys, insertRows, readOneSnapshot, readRows } from './copy-rows.js'
import { createEmptyTables, describeSource, requireEmbeddedDatabase } from './create-tables.js'
import { type DataTable, findColumn } from './data-tables.js'

/** A deployment's database and secret. */
export interface DatabasePlace {
  readonly dataDir: string
  /** URL of a PostgreSQL server; the embedded database by default. */
  readonly databaseUrl: string | undefined
  /** CONCORDAT_SECRET. */
  readonly secret: string | undefined
}

/** Receives the number of rows of a table that are copied so far. */
export type OnProgress = (table: string, rows: number) => void

/**
 * Writes all accounts, keys, settings, usage and counts to a file, as they are at one moment.
 * @param withSecret true to write the secret, too
 * @throws OperatorError `backup_unusable`, `secret_mismatch`, and those of opening the database
 */
export async function backupDatabase(
  place: DatabasePlace,
  path: string,
  withSecret: boolean,
  onProgress: OnProgress,
): Promise<void> {
  if (place.databaseUrl === undefined) requireEmbeddedDatabase(place.dataDir)
  const database = await openDatabase(place)
  try {
    const text = await requireSecret(place)
    const { version } = createSecret(text)
    await writeBackup(path, (line) =>
      database.connection.transaction(async (query) => {
        await readOneSnapshot(query)
        const { migrations, tables } = await describeSource(query)
        await checkSecretOfKeys(query, version)
        await line({ migrations, secretVersion: version, ...(withSecret ? { secret: text } : {}) })
        for (const table of tables) {
          await line({ table: table.name, columns: table.columns.map(({ name }) => name) })
          let rows = 0
          for await (const group of readRows(query, table)) {
            await line({ rows: group })
            rows += group.length
            onProgress(table.name, rows)
          }
        }
      }),
    )
  } finally {
    await database.close()
  }
}

/**
 * Fills an empty database from a backup, in one transaction. The tables are created as the backed up service had them,
 * and then migrated with their rows.
 * @throws OperatorError `backup_unusable`, `database_not_empty`, `database_too_new`, `secret_mismatch`,
 *   `secret_unusable`, and those of opening the database
 */
export async function restoreDatabase(
  place: DatabasePlace,
  path: string,
  onProgress: OnProgress,
): Promise<void> {
  const backup = await openBackup(path)
  const secret = await secretFor(place, backup.head)
  const database = await openDatabase(place)
  try {
    if (place.databaseUrl === undefined && !place.secret) await keepSecret(place.dataDir, secret)
    await database.connection.transaction(async (query) => {
      await createEmptyTables(
        query,
        backup.head.migrations,
        place.databaseUrl === undefined ? `in ${place.dataDir}` : 'of DATABASE_URL',
      )
      await insertBackup(
        backup,
        (table, columns, rows) => insertRows(query, table, columns, rows),
        onProgress,
      )
      await migrateIn(query)
    })
    // A killed process may have left a journal with leases of another database.
    await rm(join(place.dataDir, LEASE_JOURNAL), { force: true })
  } finally {
    await database.close()
  }
}

async function insertBackup(
  { lines }: OpenBackup,
  insert: (
    table: string,
    columns: DataTable['columns'],
    rows: Parameters<typeof insertRows>[3],
  ) => Promise<void>,
  onProgress: OnProgress,
): Promise<void> {
  let table = ''
  let columns: DataTable['columns'] = []
  let count = 0
  for await (const line of lines()) {
    if ('table' in line) {
      table = line.table
      columns = columnsOf(line.table, line.columns)
      count = 0
      continue
    }
    await insert(table, columns, line.rows)
    count += line.rows.length
    onProgress(table, count)
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

/** Returns the secret of a restored deployment: its own if it has one, otherwise that of the backup. */
async function secretFor(place: DatabasePlace, { secret, secretVersion }: BackupHead): Promise<string> {
  requireSharedSecret(place.databaseUrl, place.secret)
  const text = (await findSecret(place.dataDir, place.secret)) ?? secret
  if (text === undefined) {
    throw new OperatorError(
      'secret_unusable',
      'The backup does not contain the secret. Set CONCORDAT_SECRET to the secret of the service that was backed up',
    )
  }
  if (createSecret(text).version === secretVersion) return text
  throw new OperatorError(
    'secret_mismatch',
    `The backup belongs to another secret (version ${secretVersion}), so its keys could not be decrypted. Set ` +
      'CONCORDAT_SECRET to the secret of the service that was backed up',
  )
}

/**
 * Returns the secret of an existing deployment.
 * @throws OperatorError `secret_unusable`
 */
export async function requireSecret({ dataDir, secret }: DatabasePlace): Promise<string> {
  const text = await findSecret(dataDir, secret)
  if (text !== undefined) return text
  throw new OperatorError(
    'secret_unusable',
    `No secret in ${dataDir}. Set the CONCORDAT_SECRET of the service`,
  )
}

/** Opens a database and leaves its tables as they are. */
function openDatabase({ dataDir, databaseUrl, secret }: DatabasePlace): Promise<OpenDatabase> {
  requireSharedSecret(databaseUrl, secret)
  return databaseUrl === undefined
    ? openStore({ dataDir, isUnmigrated: true })
    : openServerDatabase(databaseUrl, true)
}
