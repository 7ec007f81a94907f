import { createHash } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { openStore } from '../../src/gateway/index.js'
import { startConcordat } from '../support/concordat-process.js'
import { openGuide } from '../support/guide.js'
import { awayFromMidnight } from '../support/midnight.js'
import { startPostgres } from '../support/postgres.js'
import { isLong } from '../support/runs.js'
import { call, runConcordat, startService } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Backups and moves of a service that users have used: what is copied, what is refused, and what an interruption leaves. */
const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = await temporaryFolder(t)
const at = (name: string) => join(folder, name)
const guide = await openGuide('docs/operator.md', ['Backup, restore, move'])
const [backupBlock, restoreBlock, moveBlock] = guide.commands()
const postgres = await startPostgres(t)
let databases = 0
const newDatabase = () => {
  databases += 1
  return postgres.createDatabase(`target_${databases}`)
}
const requests = 7
/** More rows than are copied at once. */
const usageRows = isLong ? 50_000 : 8_000

/** Starts a service, sends requests with a key and stops it. */
async function useService(data: string) {
  const service = await startService({ data, isChainless: true })
  const { pathname } = new URL(service.networks.test.url)
  for (let sent = 0; sent < requests; sent += 1) await call(service.networks.test.url, 'eth_chainId')
  await service.stop()
  const store = await openStore({ dataDir: data })
  await store.connection.query(`
    insert into usage_hours (key_id, method, code, requests, microseconds, slowest_microseconds, durations, starts_at)
    select 'key_gone', 'eth_chainId', n, 1, 2, 3, '{1,2}', now() from generate_series(1, ${usageRows}) n`)
  await store.close()
  return { keyPath: pathname, secret: (await readFile(join(data, 'secret'), 'utf8')).trim() }
}

type Rows = Readonly<Record<string, readonly unknown[]>>

const tablesQuery = `
  select table_name as name, string_agg(column_name, ',' order by column_name) as columns
  from information_schema.columns where table_schema = 'public' group by table_name order by table_name`
/** Rows as JSON text. */
const rowsQuery = (table: string) => `select to_jsonb(r)::text as row from "${table}" r order by 1`

/** All rows of an embedded database by table, except its processes. */
async function rowsIn(dataDir: string): Promise<Rows> {
  const store = await openStore({ dataDir })
  try {
    return await allRows(
      async (text) => (await store.connection.query(text)).rows as Record<string, unknown>[],
    )
  } finally {
    await store.close()
  }
}

const rowsOf = (url: string) => allRows((text) => postgres.query(url, text))

async function allRows(query: (text: string) => Promise<readonly Record<string, unknown>[]>): Promise<Rows> {
  const found: Record<string, readonly unknown[]> = {}
  for (const { name } of await query(tablesQuery)) {
    if (name === 'replicas') continue
    const rows = await query(rowsQuery(String(name)))
    found[String(name)] = rows.map(({ row }) => {
      const values = JSON.parse(String(row)) as Record<string, unknown>
      // Sessions of a database may have different time zones.
      return Object.entries(values).map(([column, value]) => [
        column,
        /_(at|on|until)$/.test(column) && value !== null ? new Date(String(value)).getTime() : value,
      ])
    })
  }
  return found
}

const counted = ({ quota_counts: counts = [] }: Rows) =>
  counts
    .map((row) => Object.fromEntries(row as [string, unknown][]))
    .map(({ granted, used }) => [granted, used])

await awayFromMidnight()
const source = at('source')
const { keyPath, secret } = await useService(source)
const sourceRows = await rowsIn(source)

t.test('a backup contains every table and column of the database, and no secret', async (t) => {
  const done = await backupBlock?.run({
    cwd: root,
    env: { CONCORDAT_DATA: source },
    places: { 'concordat.backup': at('plain') },
  })
  t.match(done, { code: 0 })
  t.match(done?.output, `usage_hours: ${usageRows} rows`)
  const text = await readFile(at('plain'), 'utf8')
  t.notMatch(text, secret)
  t.equal((await stat(at('plain'))).mode & 0o777, 0o600)
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const copied = lines
    .filter((line) => line.table !== undefined)
    .map(({ table, columns }) => [table, [...columns].sort().join()])
  const url = await newDatabase()
  const other = await runConcordat(['keys', 'list'], { DATABASE_URL: url, CONCORDAT_SECRET: secret })
  t.equal(other.code, 0, other.err)
  const tables = (await postgres.query(url, tablesQuery))
    .filter(({ name }) => name !== 'replicas')
    .map(({ name, columns }) => [name, String(columns).split(',').sort().join()])
  t.same(copied.sort(), tables.sort())
  const again = await runConcordat(['backup', at('plain'), '--data', source])
  t.match(again, { code: 2, err: /exists already/ })
})

t.test('a restored service has the same rows, and its keys and counts work', async (t) => {
  const done = await restoreBlock?.run({
    cwd: root,
    env: { CONCORDAT_SECRET: secret },
    places: { 'concordat.backup': at('plain'), restored: at('restored') },
  })
  t.match(done, { code: 0 })
  const rows = await rowsIn(at('restored'))
  t.ok(isDeepStrictEqual(rows, sourceRows))
  t.strictSame(counted(rows), [[requests, requests]], 'no lease is outstanding')
  const service = await startService({
    data: at('restored'),
    command: 'serve',
    isChainless: true,
    env: { CONCORDAT_SECRET: secret },
  })
  t.equal(await call(`${service.origin}${keyPath}`, 'eth_chainId'), '0x1f')
  await service.stop()
  t.strictSame(counted(await rowsIn(at('restored'))), [[requests + 1, requests + 1]])
})

t.test(
  'a restore is refused with another secret, without one, and into a database that is not empty',
  async (t) => {
    const restore = (data: string, env: Record<string, string> = {}) =>
      runConcordat(['restore', at('plain'), '--data', at(data)], env)
    t.match(await restore('none'), { code: 2, err: /does not contain the secret/ })
    const other = { CONCORDAT_SECRET: 'another secret of more than 32 characters' }
    t.match(await restore('other', other), { code: 2, err: /belongs to another secret/ })
    t.match(await restore('source'), { code: 2, err: /is not empty/ })
    const full = await runConcordat(['backup', at('full'), '--with-secret', '--data', source])
    t.equal(full.code, 0, full.err)
    const alone = await runConcordat(['restore', at('full'), '--data', at('alone')])
    t.equal(alone.code, 0, alone.err)
    t.equal((await readFile(join(at('alone'), 'secret'), 'utf8')).trim(), secret)
  },
)

t.test('a restore refuses files that are truncated, altered or of a newer version', async (t) => {
  const text = await readFile(at('plain'), 'utf8')
  const [head = '', ...rest] = text.split('\n')
  const newer = JSON.stringify({ ...JSON.parse(head), version: 2 })
  const given = [
    ['truncated', text.slice(0, -200), /is truncated/],
    ['altered', text.replace('key_gone', 'key_gonf'), /is damaged/],
    ['without a row', text.replace(/\n\{"rows".*/, ''), /is damaged/],
    ['newer', [newer, ...rest].join('\n'), /newer version/],
    ['empty', '', /is not a backup/],
  ] as const
  for (const [name, content, message] of given) {
    await writeFile(at('bad'), content)
    const refused = await runConcordat(['restore', at('bad'), '--data', at('bad-data')], {
      CONCORDAT_SECRET: secret,
    })
    t.match(refused, { code: 2, err: message }, name)
  }
})

t.test('a database with migrations of a newer program is neither restored from nor lost', async (t) => {
  const text = await readFile(at('plain'), 'utf8')
  const lines = text.trimEnd().split('\n').slice(0, -1)
  lines[0] = JSON.stringify({ ...JSON.parse(lines[0] ?? ''), migrations: 1_000 })
  const body = `${lines.join('\n')}\n`
  const sum = createHash('sha256').update(body).digest('hex')
  await writeFile(at('newer'), `${body}${JSON.stringify({ sha256: sum })}\n`)
  const env = { DATABASE_URL: await newDatabase(), CONCORDAT_SECRET: secret }
  t.match(await runConcordat(['restore', at('newer')], env), { code: 2, err: /version 1000.*newer program/ })
  t.strictSame((await rowsOf(env.DATABASE_URL))['users'], [])
})

t.test('data of a newer program is neither left out of a backup nor of a move', async (t) => {
  const data = at('alone')
  const store = await openStore({ dataDir: data })
  await store.connection.query('alter table users add column newer text')
  await store.close()
  const message = { code: 2, err: /does not know: newer of the table users/ }
  t.match(await runConcordat(['backup', at('partial'), '--data', data]), message)
  await t.rejects(stat(at('partial')), 'no file is left')
  t.match(await runConcordat(['move', '--to', await newDatabase(), '--data', data]), message)
  t.equal((await runConcordat(['keys', 'list', '--data', data])).code, 0, 'the source is not marked')
})

t.test('a move that is killed leaves an empty target, and the next one completes it', async (t) => {
  const target = await newDatabase()
  const used = await newDatabase()
  const filled = await runConcordat(['restore', at('full')], { DATABASE_URL: used, CONCORDAT_SECRET: secret })
  t.equal(filled.code, 0, filled.err)
  const refused = await runConcordat(['move', '--to', used, '--data', source])
  t.match(refused, { code: 2, err: /is not empty.*Nothing was changed/ })
  t.ok(isDeepStrictEqual(await rowsIn(source), sourceRows), 'the source can still be opened')

  const killed = startConcordat(['move', '--to', target, '--data', source])
  await killed.said('err', /usage_hours: \d+ rows/)
  await killed.stop('SIGKILL')
  const left = Object.values(await rowsOf(target)).flat()
  t.strictSame(left, [])
  const halted = await runConcordat(['keys', 'list', '--data', source])
  t.match(halted, { code: 2, err: /was interrupted. Run the same concordat move again/ })
  t.match(await runConcordat(['move', '--to', used, '--data', source]), { code: 2, err: /was interrupted/ })

  const moved = await moveBlock?.run({ cwd: root, env: { CONCORDAT_DATA: source, TARGET_URL: target } })
  t.match(moved, { code: 0 })
  t.notMatch(moved?.output, postgres.password)
  t.ok(isDeepStrictEqual(await rowsOf(target), sourceRows))
  const mark = join(source, 'moved.json')
  const stated = JSON.parse(await readFile(mark, 'utf8'))
  await writeFile(mark, JSON.stringify({ ...stated, state: 'moving' }))
  const finished = await runConcordat(['move', '--to', target, '--data', source])
  t.match(finished, { code: 0, out: /Moved to .*: 0 rows/ }, 'a kill after the commit copies nothing twice')
  t.ok(isDeepStrictEqual(await rowsOf(target), sourceRows))

  const old = await runConcordat(['serve', '--port', '0', '--data', source])
  t.match(old, { code: 2, err: /was moved to target_\d+ at 127\.0\.0\.1/ })
  const service = await startService({
    data: source,
    command: 'serve',
    isChainless: true,
    env: { DATABASE_URL: target, CONCORDAT_SECRET: secret },
  })
  t.equal(await call(`${service.origin}${keyPath}`, 'eth_chainId'), '0x1f')
  await service.stop()
  t.strictSame(counted(await rowsOf(target)), [[requests + 1, requests + 1]])
})

t.test('the leases of a killed service stay counted in a backup and a move', async (t) => {
  const data = at('killed')
  const service = await startService({ data, isChainless: true })
  await call(service.networks.test.url, 'eth_chainId')
  const busy = await runConcordat(['backup', at('busy'), '--data', data])
  t.match(busy, { code: 2, err: /is in use by another process/ })
  await service.stop('SIGKILL')
  const before = await rowsIn(data)
  t.ok(counted(before).some(([granted]) => Number(granted) >= 1))
  const target = await newDatabase()
  const moved = await runConcordat(['move', '--to', target, '--data', data])
  t.equal(moved.code, 0, moved.err)
  t.strictSame(await rowsOf(target), before)
})
