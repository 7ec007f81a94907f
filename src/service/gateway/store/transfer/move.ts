import { randomUUID } from 'node:crypto'
import { OperatorError, reasonOf } from '../../util/index.js'
import type { Connection, RunQuery } from '../connection.js'
import { lockMigrations, migrateIn } from '../migrate.js'
import { type OpenDatabase, openServerDatabase, openStore, type Store } from '../open-store.js'
import { createSecret } from '../secret.js'
import { type DatabasePlace, type OnProgress, requireSecret } from './backup.js'
import { checkSecretOfKeys, insertRows, readRows } from './copy-rows.js'
import { createEmptyTables, describeSource, requireEmbeddedDatabase } from './create-tables.js'
import type { DataTable } from './data-tables.js'
import { readMovedMark, removeMovedMark, writeMovedMark } from './moved-mark.js'

/** The table whose comment has the id of the move that filled the database. */
const COMMENTED = 'users'

/**
 * Moves the embedded database to an empty PostgreSQL server, in one transaction there, and marks the data folder, which
 * no service opens afterwards. An interrupted move is completed by the same call.
 * @param to URL of the server's database
 * @returns the target, without credentials
 * @throws OperatorError `database_moved`, `database_not_empty`, `secret_mismatch`, and those of opening the databases
 */
export async function moveDatabase(
  place: Omit<DatabasePlace, 'databaseUrl'>,
  to: string,
  onProgress: OnProgress,
): Promise<string> {
  const name = nameOf(to)
  requireEmbeddedDatabase(place.dataDir)
  const source = await openStore({ dataDir: place.dataDir, continuesMove: true, isUnmigrated: true })
  try {
    const { version } = createSecret(await requireSecret({ ...place, databaseUrl: undefined }))
    const described = await describeSource(source.connection.query)
    await checkSecretOfKeys(source.connection.query, version)
    const target = await openServerDatabase(to, true)
    try {
      await moveTo(source, target, { to: name, ...described }, onProgress)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
  return name
}

async function moveTo(
  source: Store,
  target: OpenDatabase,
  described: Omit<Move, 'id' | 'folder'>,
  onProgress: OnProgress,
): Promise<void> {
  const { to } = described
  const folder = source.folder.path
  const earlier = await readMovedMark(folder)
  if (earlier !== undefined && earlier.to !== to) {
    throw new OperatorError(
      'database_moved',
      `A move to ${earlier.to} was interrupted. Complete it first: run concordat move with that database`,
    )
  }
  const id = earlier?.id ?? randomUUID()
  // The mark comes first: if this process is killed around the commit, neither database is used before the move is completed.
  await writeMovedMark(folder, { id, to, state: 'moving' })
  await copyAll(source.connection, target.connection, { ...described, id, folder }, onProgress)
  await writeMovedMark(folder, { id, to, state: 'moved' })
}

/** A move between two databases. */
interface Move {
  readonly id: string
  /** The target, without credentials. */
  readonly to: string
  /** The data folder of the source. */
  readonly folder: string
  /** How many migrations the source has, and its tables. */
  readonly migrations: number
  readonly tables: readonly DataTable[]
}

async function copyAll(
  source: Connection,
  target: Connection,
  { id, to, folder, migrations, tables }: Move,
  onProgress: OnProgress,
): Promise<void> {
  let isCommitting = false
  try {
    await target.transaction(async (write) => {
      isCommitting = false
      // The commit of an interrupted move may still be in progress, so the id is read under the lock.
      await lockMigrations(write)
      if ((await commentOf(write)) === id) return
      await createEmptyTables(write, migrations, to)
      await source.transaction((read) => copyTables(read, write, tables, onProgress))
      await migrateIn(write)
      await write(`comment on table ${COMMENTED} is '${id}'`)
      isCommitting = true
    })
  } catch (error) {
    if (!isCommitting) await removeMovedMark(folder)
    if (error instanceof OperatorError) throw error
    const hint = isCommitting ? 'Run the same command again, which completes the move' : 'Nothing was changed'
    throw new OperatorError('database_unusable', `The move to ${to} failed: ${reasonOf(error)}. ${hint}`, {
      cause: error,
    })
  }
}

async function copyTables(
  read: RunQuery,
  write: RunQuery,
  tables: readonly DataTable[],
  onProgress: OnProgress,
): Promise<void> {
  for (const table of tables) {
    let rows = 0
    for await (const group of readRows(read, table)) {
      await insertRows(write, table.name, table.columns, group)
      rows += group.length
      onProgress(table.name, rows)
    }
  }
}

async function commentOf(query: RunQuery): Promise<string | null | undefined> {
  const { rows } = await query(`select obj_description(to_regclass('${COMMENTED}'), 'pg_class') as id`)
  return (rows[0] as { id: string | null } | undefined)?.id
}

/** Names a database without its credentials. */
function nameOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed !== undefined && /^postgres(ql)?:$/.test(parsed.protocol))
    return `${parsed.pathname.slice(1)} at ${parsed.host}`
  throw new OperatorError(
    'invalid_input',
    '--to needs the URL of a database, such as postgres://USER@HOST/DATABASE',
  )
}
