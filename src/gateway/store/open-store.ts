import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { drizzle, type PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import type { Connection } from './connection.js'
import { type DataFolder, takeDataFolder } from './data-folder.js'
import { openEmbedded } from './embedded-connection.js'
import { unpackInitialDatabase } from './initial-database.js'
import { migrate } from './migrate.js'
import { OperatorError, reasonOf } from './operator-error.js'
import * as schema from './schema.js'

const DATABASE_FOLDER = 'database'

/** drizzle over any {@link Connection}: the same type for the embedded database and for a server. */
export type Database = PgRemoteDatabase<typeof schema>

/** The service's database, migrated, and the folder that this process holds for it. */
export interface Store {
  readonly db: Database
  readonly connection: Connection
  readonly folder: DataFolder
  /** Lets statements under way finish, closes the database and gives the folder up. */
  close(): Promise<void>
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
 * Opens the embedded database in `dataDir`, making both at the first start, and brings its tables up to date.
 * @throws OperatorError `data_folder_in_use`, `data_folder_unusable`, `database_unusable`, `dependency_missing`
 */
export async function openStore({ dataDir }: { readonly dataDir: string }): Promise<Store> {
  const folder = await takeDataFolder(dataDir)
  let connection: Connection | undefined
  try {
    const opened = await openEmbedded(databaseFolder(folder.path))
    connection = opened
    await migrate(opened)
    return {
      db: databaseOver(opened),
      connection: opened,
      folder,
      async close() {
        await opened.close().finally(() => folder.release())
      },
    }
  } catch (error) {
    await connection?.close().catch(() => undefined)
    await folder.release()
    if (error instanceof OperatorError) throw error
    throw new OperatorError(
      'database_unusable',
      `The database in ${folder.path} cannot be opened: ${reasonOf(error)}`,
      { cause: error },
    )
  }
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
  return path
}
