import { readFile } from 'node:fs/promises'
import { PGlite } from '@electric-sql/pglite'
import t from 'tap'
import type { Connection, RunQuery } from '../../../../src/gateway/store/connection.js'
import { migrate } from '../../../../src/gateway/store/migrate.js'
import { openServerDatabase } from '../../../../src/gateway/store/open-store.js'
import { sharedPostgres } from '../../../support/shared.js'

const fixture = (name: string) =>
  readFile(new URL(`../../../fixtures/databases/${name}`, import.meta.url), 'utf8')
/**
 * A database of the last version with journals in each of its forms, and the counts that this version computed from it.
 */
const [copy, counts] = await Promise.all([fixture('journals.sql'), fixture('journals-added-up.json')])

const minuteOf = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI')`
const usageOf = (table: string) => `
  select key_id || ' ' || ${minuteOf('starts_at')} || ' ' || method || ' ' || code || ': ' || requests || ' ' || microseconds
    || ' ' || slowest_microseconds || ' ' || array_to_string(durations, ',') as row from ${table} order by 1`
const questions = {
  usage_minutes: usageOf('usage_minutes'),
  usage_hours: usageOf('usage_hours'),
  quota_counts: `
    select subject || ' ' || period || ' ' || starts_on || ': ' || granted || ' ' || used as row
    from quota_counts order by 1`,
  api_keys: `select id || ' ' || ${minuteOf('last_used_at')} as row from api_keys order by 1`,
}

async function readCounts(query: RunQuery) {
  const found: Record<string, readonly unknown[]> = {}
  for (const [table, question] of Object.entries(questions))
    found[table] = (await query(question)).rows.map((row) => (row as { row: unknown }).row)
  return found
}

/** A connection to the embedded database's engine, in memory. */
function connectionTo(engine: PGlite): Connection {
  const query: RunQuery = async (text, params = []) => {
    const { rows, affectedRows = 0 } = await engine.query(text, params)
    return { rows, count: affectedRows }
  }
  return {
    query,
    async transaction(work) {
      await query('begin')
      const result = await work(query)
      await query('commit')
      return result
    },
    close: () => engine.close(),
  }
}

t.test('a server database with journals keeps their counts', async (t) => {
  const postgres = await sharedPostgres()
  const url = await postgres.createDatabase('copied')
  await postgres.query(url, copy)
  const { connection, close } = await openServerDatabase(url)
  t.teardown(() => close())
  t.strictSame(await readCounts(connection.query), JSON.parse(counts))
})

t.test('an embedded database with journals keeps their counts', async (t) => {
  const connection = connectionTo(await PGlite.create())
  t.teardown(() => connection.close())
  for (const statement of copy.split(/;\n/).filter((text) => text.trim() !== ''))
    await connection.query(statement)
  await migrate(connection)
  t.strictSame(await readCounts(connection.query), JSON.parse(counts))
  const { rows } = await connection.query("select from pg_tables where tablename like '%journal'")
  t.same(rows, [], 'and the journals are gone')
})
