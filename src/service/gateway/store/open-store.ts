import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { drizzle, type PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import { OperatorError, reasonOf } from '../util/index.js'
import type { Connection } from './connection.js'
import { type DataFolder, takeDataFolder } from './data-folder.js'
import { openEmbedded } from './embedded/embedded-connection.js'
import { unpackInitialDatabase } from './embedded/initial-database.js'
import { migrate } from './migrate.js'
import * as schema from './schema.js'
import { openServer, type ServerConnection } from './server-connection.js'
import { refuseMoved } from './transfer/moved-mark.js'

const DATABASE_FOLDER = 'database'

/** drizzle over a {@link Connection}; the same type for the embedded database and for a server. */
export type Database = PgRemoteDatabase<typeof schema>

/** The service's database. */
export interface OpenDatabase {
  readonly db: Database
  readonly connection: Connection
  /** The connection to a database server, which other processes may share; undefined for the embedded database. */
  readonly server: ServerConnection | undefined
  /** Waits for running statements and closes the database. */
  close(): Promise<void>
}

/** The database and the data folder of this process. */
export interface Store extends OpenDatabase {
  readonly folder: DataFolder
}

/** Options of {@link openStore}. */
export interface StoreOptions {
  /** Folder of the control socket and of the embedded database. */
  readonly dataDir: string
  /** URL of a PostgreSQL server; the embedded database by default. */
  readonly databaseUrl?: string | undefined
  /** True to open an embedded database whose move was interrupted. */
  readonly continuesMove?: boolean
  /** True to leave the tables as they are, which may be those of another version, or missing. */
  readonly isUnmigrated?: boolean
}

/** Creates drizzle over a connection. */
export function databaseOver(connection: Connection): Database {
  return drizzle(
    async (text, params, method) => ({
      rows: (await connection.query(text, params, method === 'execute' ? 'object' : 'array')).rows,
    }),
    { schema },
  )
}

/**
 * Locks the data folder, opens the database and applies pending migrations. Closing the store also releases the folder.
 * @throws OperatorError `data_folder_in_use`, `data_folder_unusable`, `database_moved`, `database_unusable`
 */
export async function openStore({
  dataDir,
  databaseUrl,
  continuesMove = false,
  isUnmigrated = false,
}: StoreOptions): Promise<Store> {
  const folder = await takeDataFolder(dataDir)
  try {
    const database =
      databaseUrl === undefined
        ? await openEmbeddedDatabase(folder.path, continuesMove, isUnmigrated)
        : await openServerDatabase(databaseUrl, isUnmigrated)
    return { ...database, folder, close: () => database.close().finally(() => folder.release()) }
  } catch (error) {
    await folder.release()
    throw error
  }
}

/**
 * Opens the database of a PostgreSQL server and applies pending migrations. Several processes may do so at the same time.
 * @param isUnmigrated true to leave the tables as they are
 * @throws OperatorError `database_unusable`
 */
export async function openServerDatabase(databaseUrl: string, isUnmigrated = false): Promise<OpenDatabase> {
  const server = await openServer(databaseUrl)
  return { ...(await opened(server, 'The migrations of the database failed', isUnmigrated)), server }
}

/** True if a data folder has an embedded database. */
export const hasEmbeddedDatabase = (dataDir: string): boolean => existsSync(join(dataDir, DATABASE_FOLDER))

async function openEmbeddedDatabase(
  folder: string,
  continuesMove: boolean,
  isUnmigrated: boolean,
): Promise<OpenDatabase> {
  await refuseMoved(folder, continuesMove)
  const failed = `Cannot open the database in ${folder}`
  const connection = await openEmbedded(databaseFolder(folder)).catch((error: unknown) => {
    if (error instanceof OperatorError) throw error
    throw new OperatorError('database_unusable', `${failed}: ${reasonOf(error)}. ${restoreIt}`, {
      cause: error,
    })
  })
  return { ...(await opened(connection, failed, isUnmigrated)), server: undefined }
}

const restoreIt =
  'If its files are damaged, restore a backup into another folder: concordat restore FILE --data FOLDER'

async function opened(connection: Connection, failed: string, isUnmigrated: boolean) {
  try {
    if (!isUnmigrated) await migrate(connection)
    return { db: databaseOver(connection), connection, close: () => connection.close() }
  } catch (error) {
    await connection.close().catch(() => undefined)
    throw unusable(failed, error)
  }
}

function unusable(failed: string, error: unknown): OperatorError {
  if (error instanceof OperatorError) return error
  return new OperatorError('database_unusable', `${failed}: ${reasonOf(error)}`, { cause: error })
}

async function databaseFolder(dataDir: string): Promise<string> {
  const path = join(dataDir, DATABASE_FOLDER)
  if (!existsSync(path)) await unpackInitialDatabase(path)
  // Without this file, the engine would create a new database in the folder.
  if (!existsSync(join(path, 'PG_VERSION'))) {
    throw new OperatorError(
      'database_unusable',
      `The folder ${path} contains no database. Restore or remove it`,
    )
  }
  await refuseForeignRoot(path, process.getuid?.())
  return path
}

/**
 * Refuses to run as root on a database of another user, who could not open the files that root creates.
 * @param userId user id of this process; undefined on systems without user ids
 * @throws OperatorError `data_folder_unusable`
 */
export async function refuseForeignRoot(path: string, userId: number | undefined): Promise<void> {
  const { uid } = await stat(path)
  if (userId !== 0 || uid === 0) return
  throw new OperatorError(
    'data_folder_unusable',
    `The database in ${path} belongs to the user with the id ${uid}. Run this command as that user (sudo -u '#${uid}' …)`,
  )
}
