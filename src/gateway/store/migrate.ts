import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { OperatorError } from '../util/index.js'
import type { Connection, RunQuery } from './connection.js'

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url))
/** Advisory lock of the migration transaction, so that only one of several starting processes migrates. */
const MIGRATION_LOCK = 0x636f6e63
/** Table of applied migrations, which drizzle's tools use as well. */
const JOURNAL = 'drizzle.__drizzle_migrations'

/** The applied migrations of a database. */
interface Progress {
  /** Number of migrations, which is the version of the tables. */
  readonly version: number
  /** Creation time of the last migration, in milliseconds since 1970. */
  readonly last: number
}

/**
 * Applies pending migrations in one transaction. Several processes may call it at the same time.
 * @throws OperatorError `database_too_new` if a newer program has migrated the database
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
    `The tables of the database have version ${found.version}, but this program only knows them up to ` +
      `version ${known.version}. Start the newer program, or restore a backup from before its migration`,
  )
}
