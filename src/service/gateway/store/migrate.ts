import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { OperatorError } from '../util/index.js'
import type { Connection, RunQuery } from './connection.js'

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url))
/** Advisory lock of the migration transaction, so that only one of several starting processes migrates. */
const MIGRATION_LOCK = 0x636f6e63
/** Table of applied migrations, which drizzle's tools use as well. */
const JOURNAL = 'drizzle.__drizzle_migrations'
/**
 * How many migrations a program must know to work with the tables as this program leaves them. It is stored as the
 * comment of the journal, so that an older program can start beside this one, and again after it. A migration that only
 * adds leaves it as it is. One that removes or changes something raises it to its own number. It must wait for a
 * version whose predecessor does not use that any more.
 */
export const NEEDED_MIGRATIONS = 1

type Migrations = ReturnType<typeof readMigrationFiles>

/** The migrations of this program, oldest first. */
const knownMigrations = (): Migrations => readMigrationFiles({ migrationsFolder: MIGRATIONS })

/**
 * Applies pending migrations in one transaction. Several processes may call it at the same time. Tables that a newer
 * program has migrated are left as they are.
 * @throws OperatorError `database_too_new` if they need a newer program, `database_too_old` if the database has other
 *   migrations than those that this program knows
 */
export async function migrate(connection: Connection): Promise<void> {
  if (pendingOf(await appliedOf(connection.query), knownMigrations()).length === 0) return
  await connection.transaction((query) => migrateIn(query))
}

/**
 * Applies pending migrations in the caller's transaction.
 * @param count number of migrations that the database has afterwards; all by default
 * @throws OperatorError as {@link migrate}
 */
export async function migrateIn(query: RunQuery, count?: number): Promise<void> {
  await lockMigrations(query)
  await query('create schema if not exists drizzle')
  await query(
    `create table if not exists ${JOURNAL} (id serial primary key, hash text not null, created_at numeric)`,
  )
  for (const migration of pendingOf(await readJournal(query), knownMigrations().slice(0, count))) {
    for (const statement of migration.sql) await query(statement)
    await query(`insert into ${JOURNAL} (hash, created_at) values ($1, $2)`, [
      migration.hash,
      String(migration.folderMillis),
    ])
  }
  await query(`comment on table ${JOURNAL} is '${NEEDED_MIGRATIONS}'`)
}

/** Keeps other processes from migrating until the caller's transaction ends. */
export async function lockMigrations(query: RunQuery): Promise<void> {
  await query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`)
}

/** Removes the journal together with the tables, in the caller's transaction. */
export async function forgetMigrations(query: RunQuery): Promise<void> {
  await query(`drop table if exists ${JOURNAL}`)
}

/**
 * Counts the migrations of a database; 0 for an empty one.
 * @throws OperatorError as {@link migrate}
 */
export async function countMigrations(query: RunQuery): Promise<number> {
  const found = await appliedOf(query)
  pendingOf(found, knownMigrations())
  return found.applied.length
}

/** The migrations that a database has. */
interface Applied {
  /** Creation times of the applied migrations, in milliseconds since 1970. */
  readonly applied: readonly number[]
  /** How many migrations a program must know. */
  readonly needed: number
}

function pendingOf({ applied, needed }: Applied, migrations: Migrations): Migrations {
  refuseUnknown(
    applied,
    needed,
    migrations.map(({ folderMillis }) => folderMillis),
  )
  return migrations.slice(applied.length)
}

async function appliedOf(query: RunQuery): Promise<Applied> {
  const { rows } = await query(`select to_regclass('${JOURNAL}') is not null as known`)
  const isKnown = (rows[0] as { known: boolean } | undefined)?.known === true
  return isKnown ? readJournal(query) : { applied: [], needed: 0 }
}

async function readJournal(query: RunQuery): Promise<Applied> {
  const { rows } = await query(`select created_at from ${JOURNAL} order by created_at`)
  const applied = (rows as { created_at: string }[]).map((row) => Number(row.created_at))
  const comment = await query(`select obj_description('${JOURNAL}'::regclass, 'pg_class') as needed`)
  const { needed } = (comment.rows[0] ?? {}) as { needed?: string | null }
  return { applied, needed: needed ? Number(needed) : applied.length }
}

function refuseUnknown(applied: readonly number[], needed: number, known: readonly number[]): void {
  const isContinued = known.every((time, index) => applied[index] === time)
  if (isContinued && needed <= known.length) return
  if ((applied.at(-1) ?? 0) > (known.at(-1) ?? 0)) {
    throw new OperatorError(
      'database_too_new',
      `The tables of the database have version ${applied.length}, but this program only knows them up to ` +
        `version ${known.length}. Start a newer program, or restore a backup from before its migration`,
    )
  }
  if (applied.every((time, index) => time === known[index])) return
  throw new OperatorError(
    'database_too_old',
    'A version from before the first release created the tables of the database, and this program cannot migrate ' +
      'them. Keep a copy if you need the data, then start with a new data folder (CONCORDAT_DATA) or an empty ' +
      'database (DATABASE_URL), and create users and keys again',
  )
}
