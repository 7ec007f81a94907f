import { join } from 'node:path'
import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { openServerDatabase, openStore } from '../../../../../src/service/gateway/index.js'
import { migrate, migrateIn } from '../../../../../src/service/gateway/store/migrate.js'
import {
  deleteOldUsage,
  durationBounds,
  readKeyMetrics,
  writeUsage,
} from '../../../../../src/service/gateway/usage/index.js'
import { bothDatabases } from '../../../../support/databases.js'
import { startPostgres } from '../../../../support/postgres.js'
import { temporaryFolder } from '../../../../support/temporary-folder.js'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
/** The migrations before the one that creates the partitions. */
const migrationsBefore = 7
/** 1970 began on a Thursday. */
const monday = 4 * DAY_MS
const nextWeek = Math.ceil((Date.now() - monday) / WEEK_MS) * WEEK_MS + monday

type Opened = Pick<Awaited<ReturnType<typeof openServerDatabase>>, 'db' | 'connection'>

const durations = [...durationBounds, Number.POSITIVE_INFINITY].map((_bound, place) => (place === 0 ? 10 : 0))

type Write = (opened: Opened, number: number, at: number, keyId: string) => Promise<unknown>

const writeNow: Write = ({ db }, number, at, keyId) => {
  const counts = {
    requests: 10,
    microseconds: 1_000,
    slowestMicroseconds: 100,
    nodeCalls: 1,
    free: 0,
    durations,
  }
  const row = { keyId, method: 'eth_call', code: 0, minute: Math.floor(at / MINUTE_MS), ...counts }
  return writeUsage(db, 'rep', { number, rows: [row] })
}

/** Writes as the versions did that know no partitions. */
const writeAsBefore: Write = ({ connection }, _number, at, keyId) => {
  const insertInto = (table: string, unit: string) => `
    insert into ${table} as known (key_id, starts_at, method, code,
      requests, microseconds, slowest_microseconds, durations, node_calls)
    values ($1, date_trunc('${unit}', $2::timestamptz, 'UTC'), 'eth_call', 0, 10, 1000, 100, $3::bigint[], 1)
    on conflict (key_id, starts_at, method, code) do update set requests = known.requests + excluded.requests`
  const statement = `with minutes as (${insertInto('usage_minutes', 'minute')}) ${insertInto('usage_hours', 'hour')}`
  return connection.query(statement, [keyId, new Date(at).toISOString(), `{${durations.join(',')}}`])
}

/** Writes and reads usage of a database. */
function usageOf(opened: Opened, write = writeNow) {
  const { connection } = opened
  let [number, written] = [0, 0]
  return {
    written: () => written,
    async write(at: number, keyId = 'key_1') {
      number += 1
      await write(opened, number, at, keyId)
      written += 10
    },
    async total(table = 'usage_hours') {
      const { rows } = await connection.query(
        `select coalesce(sum(requests), 0)::integer as sum from ${table}`,
      )
      return (rows[0] as { sum: number }).sum
    },
    /** Names of the partitions, without those that always exist. */
    async partitions() {
      const { rows } = await connection.query(`
        select relname as name from pg_inherits join pg_class on oid = inhrelid
        where inhparent in ('usage_hours'::regclass, 'usage_minutes'::regclass)
          and relname !~ '_(before|default)$' order by 1`)
      return (rows as { name: string }[]).map(({ name }) => name)
    },
  }
}

const partitionOf = (table: string, at: number) =>
  `${table}_${new Date(at).toISOString().slice(0, 10).replaceAll('-', '_')}`

t.test('the migration keeps every row while PostgreSQL is written to', async (t) => {
  const postgres = await startPostgres(t)
  const database = await openServerDatabase(await postgres.createDatabase('partitions'), true)
  t.teardown(() => database.close())
  const { connection, db } = database
  await connection.transaction((query) => migrateIn(query, migrationsBefore))
  const { write, written, total } = usageOf(database, writeAsBefore)
  for (let key = 0; key < 50; key += 1) await write(Date.now(), `key_${key}`)
  t.same(await total('usage_hours'), written())
  let isWriting = true
  const writer = (async () => {
    while (isWriting) await write(Date.now())
  })()
  await migrate(connection)
  const during = written()
  while (written() < during + 100) await new Promise(setImmediate)
  isWriting = false
  await writer
  for (const table of ['usage_hours', 'usage_minutes']) {
    t.equal(await total(table), written(), `${table}: nothing is lost, and nothing is counted twice`)
    t.equal(await total(`usage_partitions.${table}_before`), written(), 'rows of now have one place')
  }
  const metrics = await readKeyMetrics(db, ['key_1'], 'week')
  t.equal(metrics.total.requests, written() - 49 * 10, 'a row continues across the change')
})

t.test('partitions are created ahead of time, by one of several processes at once', async (t) => {
  for (const [name, opened] of await bothDatabases(t)) {
    const { db, connection } = opened
    const { write, written, total, partitions } = usageOf(opened)
    // No process has created partitions yet.
    await write(nextWeek)
    t.equal(await total('usage_partitions.usage_hours_default'), 10, name)
    t.same(await partitions(), [])
    const results = await Promise.all(Array.from({ length: 5 }, () => deleteOldUsage(db, limits)))
    t.notOk(results.includes(true))
    const created = await partitions()
    t.ok(created.includes(partitionOf('usage_hours', nextWeek)), created.join())
    t.ok(created.includes(partitionOf('usage_minutes', Date.now() + DAY_MS)), created.join())
    t.equal(await total('usage_partitions.usage_hours_default'), 0, 'its rows have moved')
    for (const each of [nextWeek, nextWeek + WEEK_MS, nextWeek + 20 * WEEK_MS, Date.now()]) await write(each)
    t.equal(await total(`usage_partitions.${partitionOf('usage_hours', nextWeek)}`), 20)
    t.equal(await total('usage_partitions.usage_hours_default'), 10, 'a row without a partition')
    t.equal(await total(), written())
    t.equal(await total('usage_minutes'), written())

    const { rows } = await connection.query(`
      explain select * from usage_hours where key_id = 'key_1' and starts_at >= '${new Date(nextWeek).toISOString()}'`)
    t.notMatch(JSON.stringify(rows), 'usage_hours_before', 'partitions of other times are not read')
    t.same(await partitions(), created)
  }
})

t.test('a partition is dropped once all of its rows are too old', async (t) => {
  const store = await openStore({ dataDir: join(await temporaryFolder(t), 'data') })
  t.teardown(() => store.close())
  const { write, written, total, partitions } = usageOf(store)
  await deleteOldUsage(store.db, limits)
  await write(Date.now())
  await write(nextWeek)
  const created = await partitions()
  /** The partitions without those of usage by the hour that start at these times. */
  const without = (...starts: readonly number[]) => {
    const names = starts.map((start) => partitionOf('usage_hours', start))
    return created.filter((name) => !names.includes(name))
  }
  // A negative retention deletes what is too old some days from now.
  const daysUntil = (at: number) => -Math.ceil((at - Date.now()) / DAY_MS)
  await deleteOldUsage(store.db, { ...limits, usageHoursKeptDays: daysUntil(nextWeek + WEEK_MS) + 1 })
  t.same(await partitions(), without(nextWeek - WEEK_MS), 'its last rows are not too old')
  t.equal(await total(), written() - 10, 'older rows are deleted')
  await deleteOldUsage(store.db, { ...limits, usageHoursKeptDays: daysUntil(nextWeek + WEEK_MS) })
  t.same(await partitions(), without(nextWeek - WEEK_MS, nextWeek))
  t.equal(await total(), 0)
  await write(nextWeek)
  t.equal(await total('usage_partitions.usage_hours_default'), 10, 'late usage is kept')
})
