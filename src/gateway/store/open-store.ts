import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { drizzle, type PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import type { Connection } from './connection.js'
import { type DataFolder, takeDataFolder } from './data-folder.js'
import { openEmbedded } from './embedded-connection.js'
import { unpackInitialDatabase } from './initial-database.js'
import { migrate } from './migrate.js'
import { OperatorError, reasonOf } from './operator-error.js'
import * as schema from './schema.js'
import { openServer, type ServerConnection } from './server-connection.js'

const DATABASE_FOLDER = 'database'

/** drizzle over any {@link Connection}: the same type for the embedded database and for a server. */
export type Database = PgRemoteDatabase<typeof schema>

/** The service's database, migrated. */
export interface OpenDatabase {
  readonly db: Database
  readonly connection: Connection
  /** The same connection where the database is a server's, which other processes may share; else undefined. */
  readonly server: ServerConnection | undefined
  /** Lets statements under way finish, and closes the database. */
  close(): Promise<void>
}

/** The database, and the folder that this process holds. */
export interface Store extends OpenDatabase {
  readonly folder: DataFolder
}

/** Where everything is kept. */
export interface StoreOptions {
  /** Folder of the control socket, and of the embedded database. */
  readonly dataDir: string
  /** A PostgreSQL server's URL; the embedded database when undefined. */
  readonly databaseUrl?: string | undefined
}

/** drizzle over a connection. */
export function databaseOver(connection: Connection): Database {
  return drizzle(
    async (text, params, method) => ({
      rows: (await connection.query(text, params, method === 'execute' ? 'object' : 'array')).rows,
    }),
    { schema },
  )
}

/**
 * Takes `dataDir`, opens the database, which is embedded in the folder where no server is named, and brings its
 * tables up to date. Closing gives the folder up as well.
 * @throws OperatorError `data_folder_in_use`, `data_folder_unusable`, `database_unusable`, `dependency_missing`
 */
export async function openStore({ dataDir, databaseUrl }: StoreOptions): Promise<Store> {
  const folder = await takeDataFolder(dataDir)
  try {
    const database =
      databaseUrl === undefined
        ? await openEmbeddedDatabase(folder.path)
        : await openServerDatabase(databaseUrl)
    return { ...database, folder, close: () => database.close().finally(() => folder.release()) }
  } catch (error) {
    await folder.release()
    throw error
  }
}

/**
 * Opens the database of a PostgreSQL server and brings its tables up to date, which any number of processes may do at
 * the same time.
 * @throws OperatorError `database_unusable`, `dependency_missing`
 */
export async function openServerDatabase(databaseUrl: string): Promise<OpenDatabase> {
  const server = await openServer(databaseUrl)
  return { ...(await migrated(server, 'The tables of the database cannot be brought up to date')), server }
}

async function openEmbeddedDatabase(folder: string): Promise<OpenDatabase> {
  const failed = `The database in ${folder} cannot be opened`
  const opened = await openEmbedded(databaseFolder(folder)).catch((error: unknown) => {
    throw unusable(failed, error)
  })
  return { ...(await migrated(opened, failed)), server: undefined }
}

async function migrated(connection: Connection, failed: string) {
  try {
    await migrate(connection)
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
  // Without it the engine would take the folder for a new one, and begin anew in it.
  if (!existsSync(join(path, 'PG_VERSION'))) {
    throw new OperatorError(
      'database_unusable',
      `The folder ${path} holds no database: restore it, or remove it`,
    )
  }
  await refuseForeignRoot(path, process.getuid?.())
  return path
}

/**
 * Refuses root a database of another user: what root writes into it, that user could not open any more.
 * @param userId whom this process runs as; undefined where nobody has an id
 * @throws OperatorError `data_folder_unusable`
 */
export async function refuseForeignRoot(path: string, userId: number | undefined): Promise<void> {
  const { uid } = await stat(path)
  if (userId !== 0 || uid === 0) return
  throw new OperatorError(
    'data_folder_unusable',
    `The database in ${path} is that of the user with the id ${uid}: run this as that user (sudo -u '#${uid}' …)`,
  )
}
