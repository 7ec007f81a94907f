import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import type { Connection, RunQuery } from './connection.js'
import { OperatorError } from './operator-error.js'

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url))
/** Held within the migrations' transaction alone, so that of several starting processes one migrates. */
const MIGRATION_LOCK = 0x636f6e63
/** Where drizzle's own tools keep count as well. */
const JOURNAL = 'drizzle.__drizzle_migrations'

/** How far the migrations of a database have come. */
interface Progress {
  /** How many were made: the version of the tables. */
  readonly version: number
  /** When the last of them was written, in milliseconds since 1970. */
  readonly last: number
}

/**
 * Brings the database's tables up to date, in one transaction; harmless from several processes at once.
 * @throws OperatorError `database_too_new` where a newer program has made them what this one does not know
 */
export async function migrate(connection: Connection): Promise<void> {
  const migrations = readMigrationFiles({ migrationsFolder: MIGRATIONS })
  const known = { version: migrations.length, last: migrations.at(-1)?.folderMillis ?? 0 }
  const found = await progressOf(connection)
  refuseNewer(found, known)
  if (found.last === known.last) return
  await connection.transaction(async (query) => {
    await query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`)
    await query('create schema if not exists drizzle')
    await query(
      `create table if not exists ${JOURNAL} (id serial primary key, hash text not null, created_at numeric)`,
    )
    const locked = await readProgress(query)
    refuseNewer(locked, known)
    for (const migration of migrations.filter((each) => each.folderMillis > locked.last)) {
      for (const statement of migration.sql) await query(statement)
      await query(`insert into ${JOURNAL} (hash, created_at) values ($1, $2)`, [
        migration.hash,
        String(migration.folderMillis),
      ])
    }
  })
}

async function progressOf({ query }: Connection): Promise<Progress> {
  const { rows } = await query(`select to_regclass('${JOURNAL}') is not null as known`)
  const isKnown = (rows[0] as { known: boolean } | undefined)?.known === true
  return isKnown ? readProgress(query) : { version: 0, last: -1 }
}

async function readProgress(query: RunQuery): Promise<Progress> {
  const { rows } = await query(`select count(*)::int as version, max(created_at) as last from ${JOURNAL}`)
  const { version, last } = rows[0] as { version: number; last: string | null }
  return { version, last: Number(last ?? -1) }
}

function refuseNewer(found: Progress, known: Progress): void {
  if (found.last <= known.last) return
  throw new OperatorError(
    'database_too_new',
    `The database's tables are of version ${found.version}, which a newer program has made, and this program knows them ` +
      `up to version ${known.version}: start the newer program, or restore the database as it was before`,
  )
}
