import { readdir, readFile } from 'node:fs/promises'
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import t from 'tap'
import { NEEDED_MIGRATIONS } from '../../../../../src/service/gateway/store/migrate.js'
import * as schema from '../../../../../src/service/gateway/store/schema.js'

const folder = new URL('../../../../../src/service/gateway/store/migrations/', import.meta.url)

t.test('the migrations produce the schema: drizzle-kit finds no difference', async (t) => {
  const newest =
    (await readdir(new URL('meta/', folder)))
      .filter((name) => /^\d+_/.test(name))
      .sort()
      .at(-1) ?? ''
  const snapshot = JSON.parse(await readFile(new URL(`meta/${newest}`, folder), 'utf8'))
  t.same(await generateMigration(snapshot, generateDrizzleJson(schema, snapshot.id)), [])
})

t.test('every migration of the journal has its file', async (t) => {
  const journal = JSON.parse(await readFile(new URL('meta/_journal.json', folder), 'utf8'))
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  t.same(
    journal.entries.map(({ tag }: { tag: string }) => `${tag}.sql`),
    files,
  )
})

/** What a statement of a migration does. */
interface Statement {
  readonly text: string
  /** The table that it changes, and the columns that it adds or checks. */
  readonly table: string
  readonly columns: readonly string[]
}

const quotedNames = (text: string) => [...text.matchAll(/"(\w+)"/g)].map(([, name = '']) => name)

/**
 * Returns the statements of a migration that a program of the version before could fail at, or lose data by. Harmless
 * are new tables, new columns that may be left out, plain indexes, and rules for new tables and new columns. So are
 * tables that become a partition of a new one with their name.
 */
function breakingStatements(sql: string): readonly string[] {
  const statements = sql.split('--> statement-breakpoint').map((text): Statement => {
    const [table = '', ...columns] = quotedNames(text.replace(/^\s*CREATE (UNIQUE )?INDEX "\w+" ON/i, ''))
    return {
      text: text
        .replace(/^--.*$/gm, '')
        .trim()
        .replace(/;$/, ''),
      table,
      columns,
    }
  })
  const created = new Set(
    statements.filter(({ text }) => /^CREATE TABLE/i.test(text)).map(({ table }) => table),
  )
  const added = new Set(
    statements
      .filter(({ text }) => / ADD COLUMN /i.test(text))
      .map(({ table, columns }) => `${table}.${columns[0]}`),
  )
  const isOfNewColumns = ({ text, table }: Statement) => {
    const checked = quotedNames(text.slice(text.toUpperCase().indexOf('CHECK'))).filter(
      (name) => name !== table,
    )
    return checked.every((column) => added.has(`${table}.${column}`))
  }
  const partitioned = statements
    .filter(({ text }) => / PARTITION BY RANGE /i.test(text))
    .map(({ table }) => table)
  const isAttachedTo = (table: string) =>
    partitioned.includes(table) &&
    new RegExp(`ALTER TABLE ${table} ATTACH PARTITION usage_partitions\\.${table}_before `).test(sql)
  const isOfPartitions = ({ text, table, columns: [former = '', later = ''] }: Statement) => {
    if (/^CREATE SCHEMA IF NOT EXISTS "usage_partitions"$|^LOCK TABLE /i.test(text)) return true
    if (/^ALTER TABLE "\w+" SET SCHEMA "usage_partitions"$/i.test(text)) return isAttachedTo(table)
    if (/^ALTER TABLE "usage_partitions"."\w+" RENAME TO "\w+"$/i.test(text))
      return isAttachedTo(former) && later === `${former}_before`
    // A block only attaches partitions.
    const rest = text.replaceAll(/EXECUTE format\('ALTER TABLE \w+ ATTACH PARTITION [^;]*;/g, '')
    return /^DO \$\$\s*BEGIN\s*END \$\$$/.test(rest)
  }
  const isSafe = (statement: Statement) => {
    const { text, table } = statement
    if (isOfPartitions(statement)) return true
    if (/^CREATE (TABLE|INDEX) /i.test(text)) return true
    if (/^CREATE UNIQUE INDEX /i.test(text)) return created.has(table)
    if (/^ALTER TABLE "\w+" ADD COLUMN /i.test(text))
      return !/ NOT NULL/i.test(text) || / DEFAULT /i.test(text)
    if (!/^ALTER TABLE "\w+" ADD CONSTRAINT /i.test(text)) return false
    return created.has(table) || (/ CHECK /i.test(text) && isOfNewColumns(statement))
  }
  return statements.filter((statement) => !isSafe(statement)).map(({ text }) => text)
}

t.test('a statement that the version before could fail at is found', async (t) => {
  for (const sql of [
    'DROP TABLE "users"',
    'ALTER TABLE "users" DROP COLUMN "email"',
    'ALTER TABLE "users" RENAME COLUMN "email" TO "address"',
    'ALTER TABLE "users" RENAME TO "people"',
    'ALTER TABLE "users" ALTER COLUMN "name" SET DATA TYPE integer',
    'ALTER TABLE "users" ADD COLUMN "age" integer NOT NULL',
    'ALTER TABLE "users" ADD CONSTRAINT "c" CHECK ("users"."name" <> \'\')',
    'CREATE UNIQUE INDEX "i" ON "users" USING btree ("name")',
    'ALTER TABLE "users" SET SCHEMA "usage_partitions"',
    'ALTER TABLE "usage_partitions"."users" RENAME TO "users_before"',
    "DO $$ BEGIN EXECUTE format('DROP TABLE users'); END $$",
    "DO $$ BEGIN EXECUTE format('ALTER TABLE users DROP COLUMN email'); END $$",
    'DELETE FROM "users"',
    'UPDATE "users" SET "name" = \'\'',
  ])
    t.same(breakingStatements(`CREATE TABLE "other" ("id" text);--> statement-breakpoint\n${sql};`), [sql])
})

t.test('no migration removes, renames or restricts what the version before uses', async (t) => {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  for (const [at, name] of files.entries()) {
    // The first one creates the tables. A later one may break versions that do not start on its tables.
    if (at < NEEDED_MIGRATIONS) continue
    t.same(breakingStatements(await readFile(new URL(name, folder), 'utf8')), [], name)
  }
})
