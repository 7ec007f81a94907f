import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import type { Connection } from './connection.js'

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url))
/** Held within the migrations' transaction alone, so that of several starting processes one migrates. */
const MIGRATION_LOCK = 0x636f6e63
/** Where drizzle's own tools keep count as well. */
const JOURNAL = 'drizzle.__drizzle_migrations'

/** Brings the database's tables up to date, in one transaction; harmless from several processes at once. */
export async function migrate(connection: Connection): Promise<void> {
  const migrations = readMigrationFiles({ migrationsFolder: MIGRATIONS })
  const newest = migrations.at(-1)?.folderMillis ?? 0
  if ((await lastMigration(connection)) >= newest) return
  await connection.transaction(async (query) => {
    await query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`)
    await query('create schema if not exists drizzle')
    await query(
      `create table if not exists ${JOURNAL} (id serial primary key, hash text not null, created_at numeric)`,
    )
    const last = numberOf((await query(`select max(created_at) as last from ${JOURNAL}`)).rows[0])
    for (const migration of migrations.filter((each) => each.folderMillis > last)) {
      for (const statement of migration.sql) await query(statement)
      await query(`insert into ${JOURNAL} (hash, created_at) values ($1, $2)`, [
        migration.hash,
        String(migration.folderMillis),
      ])
    }
  })
}

async function lastMigration({ query }: Connection): Promise<number> {
  const { rows } = await query(`select to_regclass('${JOURNAL}') is not null as known`)
  if ((rows[0] as { known: boolean } | undefined)?.known !== true) return -1
  return numberOf((await query(`select max(created_at) as last from ${JOURNAL}`)).rows[0])
}

function numberOf(row: unknown): number {
  return Number((row as { last: string | null } | undefined)?.last ?? -1)
}
