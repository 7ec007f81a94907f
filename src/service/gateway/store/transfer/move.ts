import { randomUUID } from 'node:crypto'
import { OperatorError, reasonOf } from '../../util/index.js'
import type { Connection, RunQuery } from '../connection.js'
import { lockMigrations } from '../migrate.js'
import { openServerDatabase, openStore } from '../open-store.js'
import { type DatabasePlace, requireEmbeddedDatabase, requireSecret } from './backup.js'
import { fillDatabase, type OnProgress, readDatabase, reported } from './copy.js'
import { type MovedMark, readMovedMark, removeMovedMark, writeMovedMark } from './moved-mark.js'

/** The table whose comment has the id of the move that filled the database. */
const COMMENTED = 'users'

/**
 * Moves the embedded database to an empty PostgreSQL server: a backup of the one that is restored in the other, in one
 * transaction there. The data folder is marked, and no service opens it afterwards. An interrupted move is completed by
 * the same call.
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
    const secret = await requireSecret({ ...place, databaseUrl: undefined })
    const target = await openServerDatabase(to, true)
    try {
      const folder = source.folder.path
      const earlier = await readMovedMark(folder)
      const move: MovedMark = { id: earlier?.id ?? randomUUID(), to: name, state: 'moving' }
      if (earlier !== undefined && earlier.to !== name) throw interrupted(earlier)
      // The mark comes first: if this process is killed around the commit, neither database is used before the move is completed.
      await writeMovedMark(folder, move)
      await copyOnce(source.connection, target.connection, {
        ...move,
        isRepeated: earlier !== undefined,
        folder,
        secret,
        onProgress,
      })
      await writeMovedMark(folder, { ...move, state: 'moved' })
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
  return name
}

const interrupted = ({ to }: MovedMark) =>
  new OperatorError(
    'database_moved',
    `A move to ${to} was interrupted. Complete it first: run concordat move with that database`,
  )

/** A move between two databases. */
interface Move extends MovedMark {
  /** The data folder of the source. */
  readonly folder: string
  readonly secret: string
  /** True if an earlier run was interrupted. */
  readonly isRepeated: boolean
  readonly onProgress: OnProgress
}

/** Copies the source into the target, unless this move has already done so. */
async function copyOnce(
  source: Connection,
  target: Connection,
  { id, to, folder, secret, isRepeated, onProgress }: Move,
): Promise<void> {
  // While this is not known, the data folder keeps its mark.
  let mayBeCommitted = isRepeated
  try {
    await target.transaction(async (write) => {
      // The commit of an interrupted move may still be in progress, so the id is read under the lock.
      await lockMigrations(write)
      if ((await commentOf(write)) === id) return
      mayBeCommitted = false
      await source.transaction(async (read) =>
        fillDatabase(write, reported(await readDatabase(read, secret, false), onProgress), to),
      )
      await write(`comment on table ${COMMENTED} is '${id}'`)
      mayBeCommitted = true
    })
  } catch (error) {
    if (!mayBeCommitted) await removeMovedMark(folder)
    if (error instanceof OperatorError) throw error
    const hint = mayBeCommitted
      ? 'Run the same command again, which completes the move'
      : 'Nothing was changed'
    throw new OperatorError('database_unusable', `The move to ${to} failed: ${reasonOf(error)}. ${hint}`, {
      cause: error,
    })
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
