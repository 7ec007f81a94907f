import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { limits } from '../../../../generated/contract.js'
import { openServerDatabase } from '../../../../src/gateway/index.js'
import {
  deleteOldUsage,
  durationBounds,
  readKeyMetrics,
  writeUsage,
} from '../../../../src/gateway/usage/index.js'
import { codeBlocks } from '../../../support/markdown-blocks.js'
import { startPostgres } from '../../../support/postgres.js'

/** The SQL of the decision about partitions, tried on PostgreSQL while the service's statements write. */
const decision = fileURLToPath(
  new URL('../../../../docs/decisions/0080-usage-in-partitions-of-time.md', import.meta.url),
)
const [expand = '', ahead = '', remove = ''] = codeBlocks(readFileSync(decision, 'utf8'))
  .filter(({ language }) => language === 'sql')
  .map(({ text }) => text)

const MINUTE_MS = 60_000
const now = new Date()
const boundary = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
const later = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2)
const afterAll = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 6)

t.test('usage becomes partitioned while it is written, and no count changes', async (t) => {
  const postgres = await startPostgres(t)
  const url = await postgres.createDatabase('partitions')
  const database = await openServerDatabase(url)
  t.teardown(() => database.close())
  const { db } = database
  let [number, written] = [0, 0]
  const write = async (at: number, key = 'key_1') => {
    number += 1
    const durations = [...durationBounds, Number.POSITIVE_INFINITY].map((_bound, place) =>
      place === 0 ? 10 : 0,
    )
    const counts = { requests: 10, microseconds: 1_000, slowestMicroseconds: 100, nodeCalls: 1, durations }
    const row = { keyId: key, method: 'eth_call', code: 0, minute: Math.floor(at / MINUTE_MS), ...counts }
    await writeUsage(db, 'rep', { number, rows: [row] })
    written += 10
  }
  const total = async (table = 'usage_hours') => {
    const [row] = await postgres.query(url, `select coalesce(sum(requests), 0)::integer as sum from ${table}`)
    return row?.['sum']
  }
  const inOneTransaction = (text: string) => postgres.query(url, `begin; ${text}; commit`)

  for (let key = 0; key < 50; key += 1) await write(Date.now(), `key_${key}`)
  let isWriting = true
  const writer = (async () => {
    while (isWriting) await write(Date.now())
  })()
  await inOneTransaction(expand)
  const during = written
  while (written < during + 100) await new Promise(setImmediate)
  isWriting = false
  await writer
  t.equal(await total(), written, 'nothing is lost, and nothing is counted twice')
  t.equal(await total('usage_hours_before'), written, 'rows of now have one place')
  const metrics = await readKeyMetrics(db, 'key_1', 'week')
  t.equal(metrics.total.requests, written - 49 * 10, 'a row continues across the change')

  // No process has created partitions yet.
  await write(boundary)
  t.equal(await total('usage_hours_default'), 10)
  await inOneTransaction(ahead)
  await inOneTransaction(ahead)
  t.equal(await total('usage_hours_default'), 0, 'its rows have moved')
  await write(boundary)
  await write(later)
  await write(afterAll)
  const name = (at: number) => `usage_hours_${new Date(at).toISOString().slice(0, 7).replace('-', '_')}`
  t.equal(await total(name(boundary)), 20)
  t.equal(await total(name(later)), 10)
  t.equal(await total('usage_hours_default'), 10)

  const plan = await postgres.query(
    url,
    `explain select * from usage_hours where key_id = 'key_1' and starts_at >= '${new Date(later).toISOString()}'`,
  )
  const read = JSON.stringify(plan)
  t.match(read, name(later))
  t.notMatch(read, 'usage_hours_before', 'old partitions are not read')

  await postgres.query(
    url,
    "insert into usage_hours select key_id, method, code, requests, microseconds, slowest_microseconds, durations, node_calls, starts_at - interval '1 year' from usage_hours_before limit 5",
  )
  const all = Number(await total())
  t.notOk(await deleteOldUsage(db, limits), 'the deletion of old rows works as before')
  t.ok(Number(await total()) < all)
  t.equal(await total(), written)

  await inOneTransaction(remove)
  t.equal(await total(), 40, 'only newer rows are left')
  await write(later)
  t.equal(await total(), 50)
})
