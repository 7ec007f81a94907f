import { createHash } from 'node:crypto'
import { open, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import t, { type Test } from 'tap'
import { startConcordat } from '../support/concordat-process.js'
import { fillEveryTable } from '../support/every-table.js'
import { openGuide } from '../support/guide.js'
import { awayFromMidnight } from '../support/midnight.js'
import { startPostgres } from '../support/postgres.js'
import { isLong, longTest } from '../support/runs.js'
import { call, runConcordat, startService } from '../support/service.js'
import { startSteadyLoad } from '../support/steady-load.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

/**
 * Backups and moves: what is copied, what is refused, and what an interruption leaves. pg_dump compares the databases.
 * An embedded database is moved to a server first.
 */
const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = await temporaryFolder(t)
const at = (name: string) => join(folder, name)
const guide = await openGuide('docs/operator.md', ['Backup, restore, move'])
const [backupBlock, restoreBlock, moveBlock] = guide.commands()
const postgres = await startPostgres(t)
let databases = 0
const newDatabase = () => {
  databases += 1
  return postgres.createDatabase(`database_${databases}`)
}
/** More rows than are copied at once. */
const usageRows = isLong ? 50_000 : 1_200

const secret = 'the secret of the service that is copied'
const envOf = (url: string) => ({ DATABASE_URL: url, CONCORDAT_SECRET: secret })
const succeeds = async (args: readonly string[], env: Readonly<Record<string, string>>) => {
  const done = await runConcordat(args, env)
  if (done.code !== 0) throw new Error(done.err)
  return done
}

/** Creates a key, and rows in every table. */
async function fill(url: string): Promise<string> {
  const query = (text: string) => postgres.query(url, text)
  const user = ['--user', 'ada@example.com', '--network', 'test', '--name', 'wallet', '--json']
  const { out } = await succeeds(['keys', 'create', ...user], envOf(url))
  await fillEveryTable(query)
  await query(
    `update api_keys set secret_version = (select secret_version from api_keys where name = 'wallet')`,
  )
  await query(`
    insert into usage_hours (key_id, method, code, requests, microseconds, slowest_microseconds, durations, starts_at)
    select 'key_gone', 'eth_chainId', n, 1, 2, 3, '{1,2}', now() from generate_series(1, ${usageRows}) n`)
  return new URL(JSON.parse(out).url).pathname
}

await awayFromMidnight()
const source = await newDatabase()
const keyPath = await fill(source)
const rows = await postgres.dump(source)
/** A session of an administrator, in a transaction. */
async function hold(t: Test, url: string, statement: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('begin')
  await client.query(statement)
  let isReleased = false
  const release = async () => {
    if (isReleased) return
    isReleased = true
    await client.query('rollback')
    await client.end()
  }
  t.teardown(release)
  return { release }
}

const databaseOf = (url: string) => new URL(url).pathname.slice(1)
const sessionsOf = (url: string, condition = '') =>
  postgres.query(
    source,
    `select pid from pg_stat_activity where datname = '${databaseOf(url)}' and application_name like 'concordat%' ${condition}`,
  )
const isUnused = (url: string) => until(async () => (await sessionsOf(url)).length === 0)

/** An empty database whose table of usage accepts rows only after `release`. */
async function slowTarget(t: Test) {
  const url = await newDatabase()
  await succeeds(['keys', 'list'], envOf(url))
  await postgres.query(
    url,
    `create function hold() returns trigger language plpgsql as 'begin perform pg_advisory_xact_lock(1); return null; end';
     create trigger hold before insert on usage_hours for each statement execute function hold()`,
  )
  const { release } = await hold(t, url, 'select pg_advisory_xact_lock(1)')
  return {
    url,
    async release() {
      await release()
      await isUnused(url)
      await postgres.query(url, 'drop function hold cascade')
    },
  }
}

/** Starts a command, and kills it after it has copied the users, while it waits for another table. */
async function killMidway(t: Test, args: readonly string[], env: Readonly<Record<string, string>>) {
  const killed = startConcordat(args, env)
  t.teardown(() => killed.stop('SIGKILL'))
  await killed.said('err', /^users: \d+ rows/m)
  t.equal(await killed.stop('SIGKILL'), null)
}

const isEmpty = async (url: string) =>
  Object.values(await postgres.dump(url)).every((left) => left.length === 0)

t.test('a backup and a restore carry every row of every table', async (t) => {
  const tables = await postgres.query(
    source,
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  )
  t.equal(Object.keys(rows).length, tables.length)
  for (const [table, written] of Object.entries(rows)) t.ok(written.length > 0, `${table} has a row`)

  // Somebody waits for the backup with a file that all can read.
  const prepared = await open(`${at('plain')}.unfinished`, 'w+', 0o666)
  const place = { cwd: root, env: envOf(source), places: { 'concordat.backup': at('plain') } }
  const done = await backupBlock?.run(place)
  t.match(done, { code: 0 })
  t.match(done?.output, `usage_hours: ${usageRows + 1} rows`)
  t.notMatch(await readFile(at('plain'), 'utf8'), secret)
  t.equal((await stat(at('plain'))).mode & 0o777, 0o600)
  t.equal(await prepared.readFile('utf8'), '')
  await prepared.close()
  t.match(await runConcordat(['backup', at('plain')], envOf(source)), { code: 2, err: /exists already/ })

  const restored = await restoreBlock?.run({
    cwd: root,
    // The environment of the service that was backed up.
    env: envOf(source),
    places: { 'concordat.backup': at('plain'), restored: at('restored') },
  })
  t.match(restored, { code: 0 })
  const direct = await newDatabase()
  await succeeds(['restore', at('plain')], envOf(direct))
  t.strictSame(await postgres.dump(direct), rows)
})

t.test('a restore needs the secret of the backup, and an empty database', async (t) => {
  const restore = (data: string, env: Record<string, string> = {}) =>
    runConcordat(['restore', at('plain'), '--data', at(data)], env)
  t.match(await restore('none'), { code: 2, err: /does not contain the secret/ })
  const other = { CONCORDAT_SECRET: 'another secret of more than 32 characters' }
  t.match(await restore('other', other), { code: 2, err: /belongs to another secret/ })
  const full = await restore('source', envOf(source))
  t.match(full, { code: 2, err: /is not empty.*Nothing was changed/ })
  t.strictSame(await postgres.dump(source), rows)
  const nothing = await runConcordat(['backup', at('nothing'), '--data', at('none')], {
    CONCORDAT_SECRET: secret,
  })
  t.match(nothing, { code: 2, err: /contains no database/ })
  await t.rejects(stat(at('none')), 'nothing was created')
})

t.test('a backup with the secret restores it, too', async (t) => {
  await succeeds(['backup', at('full'), '--with-secret'], envOf(source))
  t.match(await readFile(at('full'), 'utf8'), secret)
  if (!isLong) return
  await succeeds(['restore', at('full'), '--data', at('alone')], {})
  t.equal((await readFile(at('alone/secret'), 'utf8')).trim(), secret)
})

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

t.test('a newer program is needed for its backup, and for tables and columns that it added', async (t) => {
  const text = await readFile(at('plain'), 'utf8')
  const lines = text.trimEnd().split('\n').slice(0, -1)
  lines[0] = JSON.stringify({ ...JSON.parse(lines[0] ?? ''), migrations: 1_000 })
  const body = `${lines.join('\n')}\n`
  const sum = createHash('sha256').update(body).digest('hex')
  await writeFile(at('newer'), `${body}${JSON.stringify({ sha256: sum })}\n`)
  const empty = await newDatabase()
  const refused = await runConcordat(['restore', at('newer')], envOf(empty))
  t.match(refused, { code: 2, err: /version 1000.*newer program/ })
  t.strictSame(await postgres.dump(empty), {}, 'no table was left')

  await succeeds(['restore', at('plain')], envOf(empty))
  await postgres.query(empty, 'alter table users add column newer text')
  const message = { code: 2, err: /does not know: newer of the table users/ }
  t.match(await runConcordat(['backup', at('partial')], envOf(empty)), message)
  await t.rejects(stat(at('partial')), 'no file is left')
})

t.test('a backup that is killed leaves no file, and the next one is whole', async (t) => {
  const { release } = await hold(t, source, 'lock table usage_hours in access exclusive mode')
  await killMidway(t, ['backup', at('killed')], envOf(source))
  await release()
  await t.rejects(stat(at('killed')))
  await succeeds(['backup', at('killed')], envOf(source))
  t.equal(await readFile(at('killed'), 'utf8'), await readFile(at('plain'), 'utf8'))
})

t.test('a restore that is killed leaves an empty database, and the next one completes it', async (t) => {
  const target = await slowTarget(t)
  await killMidway(t, ['restore', at('plain')], envOf(target.url))
  await target.release()
  t.ok(await isEmpty(target.url))
  await succeeds(['restore', at('plain')], envOf(target.url))
  t.strictSame(await postgres.dump(target.url), rows)
})

longTest('a restore into an embedded database that is killed leaves it empty', async (t) => {
  await killMidway(t, ['restore', at('full'), '--data', at('embedded')], {})
  await succeeds(['restore', at('full'), '--data', at('embedded')], {})
  const target = await newDatabase()
  await succeeds(['move', '--to', target, '--data', at('embedded')], {})
  t.strictSame(await postgres.dump(target), rows)
})

/** The database that the guide's steps lead to, from a folder that was restored from the backup. */
let moved = ''

t.test('a move that is killed leaves an empty target, and the next one completes it', async (t) => {
  const target = await slowTarget(t)
  moved = target.url
  const own = { CONCORDAT_SECRET: secret }
  const move = (to: string) => runConcordat(['move', '--to', to, '--data', at('restored')], own)
  if (isLong) t.match(await move(source), { code: 2, err: /is not empty.*Nothing was changed/ })
  await killMidway(t, ['move', '--to', moved, '--data', at('restored')], own)
  await target.release()
  t.ok(await isEmpty(moved))
  const halted = await runConcordat(['keys', 'list', '--data', at('restored')], own)
  t.match(halted, { code: 2, err: /was interrupted. Run the same concordat move again/ })
  if (isLong) t.match(await move(await newDatabase()), { code: 2, err: /was interrupted/ })
  const env = { CONCORDAT_DATA: at('restored'), ...envOf(source), TARGET_URL: moved }
  const done = await moveBlock?.run({ cwd: root, env })
  t.match(done, { code: 0 })
  t.notMatch(done?.output, postgres.password)
  t.strictSame(await postgres.dump(moved), rows)

  // The same state as after a kill between the commit and the last mark.
  const mark = at('restored/moved.json')
  const stated = JSON.parse(await readFile(mark, 'utf8'))
  await writeFile(mark, JSON.stringify({ ...stated, state: 'moving' }))
  const description = await hold(t, moved, 'lock table pg_description in access exclusive mode')
  const cut = startConcordat(['move', '--to', moved, '--data', at('restored')], own)
  let isOver = false
  cut.ended.finally(() => (isOver = true)).catch(() => undefined)
  await until(async () => {
    await postgres.query(
      source,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${databaseOf(moved)}' and wait_event_type = 'Lock'`,
    )
    return isOver
  })
  await description.release()
  t.match(cut.output().err, /Run the same command again, which completes the move/)
  t.match(JSON.parse(await readFile(mark, 'utf8')), { state: 'moving' }, 'the first move may be committed')
  t.match(await move(moved), { code: 0, out: /Moved to .*: 0 rows/ }, 'nothing is copied twice')
  t.strictSame(await postgres.dump(moved), rows)
  for (const args of [
    ['keys', 'list'],
    ['backup', at('stale')],
    ['restore', at('plain')],
  ])
    t.match(await runConcordat([...args, '--data', at('restored')], own), {
      code: 2,
      err: /was moved to database_\d+ at 127\.0\.0\.1/,
    })
})

longTest('the leases of a killed service stay counted', async (t) => {
  const data = at('killed-service')
  const service = await startService({ data, isChainless: true })
  await call(service.networks.test.url, 'eth_chainId')
  const busy = await runConcordat(['backup', at('busy'), '--data', data])
  t.match(busy, { code: 2, err: /is in use by another process/ })
  await service.stop('SIGKILL')
  const [target, restored] = [await newDatabase(), await newDatabase()]
  await succeeds(['backup', at('leased'), '--with-secret', '--data', data], {})
  await succeeds(['move', '--to', target, '--data', data], {})
  const env = {
    DATABASE_URL: restored,
    CONCORDAT_SECRET: (await readFile(join(data, 'secret'), 'utf8')).trim(),
  }
  await succeeds(['restore', at('leased')], env)
  const [counted] = await postgres.query(target, 'select granted, used from quota_counts')
  t.ok(Number(counted?.['granted']) > Number(counted?.['used']), JSON.stringify(counted))
  t.strictSame(await postgres.dump(restored), await postgres.dump(target))
})

t.test('a backup of a running service is one moment of it, and the service continues on it', async (t) => {
  await awayFromMidnight()
  const service = await startService({
    data: at('running'),
    command: 'serve',
    isChainless: true,
    env: envOf(moved),
  })
  t.teardown(() => service.stop('SIGKILL'))
  const url = `${service.origin}${keyPath}`
  const load = startSteadyLoad([url], 20)
  await until(
    async () => (await postgres.query(moved, 'select from usage_minutes where code = -32602')).length > 0,
  )
  // The backup waits for this table after it has read the users.
  const { release } = await hold(t, moved, 'lock table two_factors in access exclusive mode')
  const backing = startConcordat(['backup', at('live')], envOf(moved))
  await backing.said('err', /^users: \d+ rows/m)
  await postgres.query(
    moved,
    `insert into users (id, origin, email) values ('usr_later', 'cli', 'later@example.com');
     insert into usage_hours (key_id, method, code, requests, microseconds, slowest_microseconds, starts_at)
       values ('usr_later', '', 0, 1, 1, 1, now())`,
  )
  await release()
  t.equal(await backing.ended, 0, backing.output().err)
  const live = await newDatabase()
  await succeeds(['restore', at('live')], envOf(live))
  const later = `select (select count(*) from users where id = 'usr_later') + (select count(*) from usage_hours where key_id = 'usr_later') as n`
  t.match(await postgres.query(live, later), [{ n: '0' }])
  const ofKey = `key_id = (select id from api_keys where name = 'wallet')`
  const [sums] = await postgres.query(
    live,
    `select (select sum(requests) from usage_minutes where ${ofKey}) as minutes, (select sum(requests) from usage_hours where ${ofKey}) as hours`,
  )
  t.ok(Number(sums?.['minutes']) > 0)
  t.equal(sums?.['minutes'], sums?.['hours'])

  // A write of counts waits, and is committed while the process is stopped, which never reads its answer.
  const counts = await hold(t, moved, 'select from quota_counts for update')
  await until(async () => (await sessionsOf(moved, "and wait_event_type = 'Lock'")).length > 0)
  service.process.kill('SIGSTOP')
  await counts.release()
  await until(async () => (await sessionsOf(moved, "and state = 'active'")).length === 0)
  await succeeds(['backup', at('switched')], envOf(moved))
  const switched = await newDatabase()
  await succeeds(['restore', at('switched')], envOf(switched))
  const [before, after] = [moved, switched].map((each) => databaseOf(each))
  await endSessions(moved)
  await postgres.query(source, `alter database ${before} rename to ${before}_before`)
  await postgres.query(source, `alter database ${after} rename to ${before}`)
  service.process.kill('SIGCONT')
  await call(url, 'eth_chainId')
  const { codes } = await load.stop()
  t.equal(await service.stop(), 0)
  const requests = Object.values(codes).reduce((sum, each) => sum + each, 1)
  const [count] = await postgres.query(
    moved,
    `select granted, used from quota_counts where subject = (select user_id from api_keys where name = 'wallet')`,
  )
  t.strictSame(count, { granted: requests, used: requests })
})

/** Ends the sessions of a database. */
async function endSessions(url: string): Promise<void> {
  await postgres.query(
    source,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${databaseOf(url)}'`,
  )
  await until(
    async () =>
      (await postgres.query(source, `select from pg_stat_activity where datname = '${databaseOf(url)}'`))
        .length === 0,
  )
}
