import { existsSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openServerDatabase, openStore, QueryError } from '../../../../../src/service/gateway/index.js'
import { joinReplicas, users } from '../../../../../src/service/gateway/store/index.js'
import { checkServerVersion, openServer } from '../../../../../src/service/gateway/store/server-connection.js'
import { startChild } from '../../../../support/child.js'
import { freePort } from '../../../../support/free-port.js'
import { startPostgres } from '../../../../support/postgres.js'
import { isLong } from '../../../../support/runs.js'
import { temporaryFolder } from '../../../../support/temporary-folder.js'
import { until } from '../../../../support/until.js'
import { runCommand } from '../../../cli/conform/conform-harness.js'

const postgres = await startPostgres(t)

t.test('an unusable database is reported in one sentence, without the password', async (t) => {
  const good = await postgres.createDatabase('reached')
  const closedPort = await freePort()
  for (const [url, message] of [
    ['postgres://nobody:pa55-word@127.0.0.1:x/db', /DATABASE_URL is invalid/],
    [
      `postgres://u:pa55-word@127.0.0.1:${closedPort}/db`,
      /db at 127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED/,
    ],
    [good.replace('/reached', '/missing'), /missing at .* refuses the connection: .*does not exist/],
    [good.replace(postgres.password, 'pa55-wrong'), /refuses the connection: password authentication failed/],
  ] as const) {
    await t.rejects(openServerDatabase(url), { name: 'OperatorError', code: 'database_unusable', message })
    const error = await openServerDatabase(url).catch((error: unknown) => error)
    t.notMatch(chain(error), /pa55/)
  }
})

t.test('an outdated server is refused by name', async (t) => {
  t.throws(() => checkServerVersion(120_017, 'db at host:5432'), {
    code: 'database_unusable',
    message: 'The database db at host:5432 runs PostgreSQL 12; version 13 or later is required',
  })
  checkServerVersion(130_000, 'db')
})

t.test('concurrent processes migrate an empty database once', async (t) => {
  const url = await postgres.createDatabase('migrated')
  const count = isLong ? 8 : 4
  const file = new URL('../../../../support/store-process.ts', import.meta.url)
  const children = Array.from({ length: count }, () => startChild(file, ['migrate', url]))
  for (const child of children) t.teardown(() => child.kill())
  await Promise.all(children.map((child) => child.hasWritten(1)))
  t.same(
    children.map(({ lines }) => lines[0]),
    Array(count).fill('migrated'),
  )
  const [row] = await postgres.query(url, 'select count(*)::int as n from drizzle.__drizzle_migrations')
  const migrations = await readdir(
    new URL('../../../../../src/service/gateway/store/migrations', import.meta.url),
  )
  t.same(row, { n: migrations.filter((name) => name.endsWith('.sql')).length })
})

t.test('statements, transactions and errors work as with the embedded database', async (t) => {
  const url = await postgres.createDatabase('same')
  const { connection, db, close } = await openServerDatabase(url)
  t.teardown(close)
  const { query } = connection
  t.same(
    (await query('select 9007199254740993::bigint as big, now()::date is not null as day, null as nothing'))
      .rows,
    [{ big: '9007199254740993', day: true, nothing: null }],
  )
  t.same((await query('select $1::int + 1 as sum', [41], 'array')).rows, [[42]])
  t.type((await query('select now() as now')).rows[0], 'object')
  await t.rejects(query('select 1/0'), { name: 'QueryError', code: '22012', message: /division by zero/ })
  await db.insert(users).values({ id: 'usr_1', origin: 'cli', email: 'a@example.com' })
  const [user] = await db.select().from(users)
  t.ok(user?.createdAt instanceof Date)
  await t.rejects(db.insert(users).values({ id: 'usr_2', origin: 'cli', email: 'A@example.com' }).execute(), {
    cause: { code: '23505', constraint: 'users_email' },
  })
  await t.rejects(
    connection.transaction(async (run) => {
      await run("insert into users (id, origin, email) values ('usr_t', 'cli', 't@example.com')")
      throw new RangeError('changed its mind')
    }),
    RangeError,
  )
  t.equal(await db.$count(users), 1)
})

t.test('a frozen server times out, and is used again when it continues', async (t) => {
  const url = await postgres.createDatabase('frozen')
  const { connection, close } = await openServerDatabase(url)
  await connection.query('select 1')
  await postgres.freeze()
  const asked = Array.from({ length: 20 }, () => connection.query('select 1'))
  for (const outcome of await Promise.allSettled(asked)) {
    if (outcome.status === 'fulfilled') t.fail('it answered')
    else if (!(outcome.reason instanceof QueryError) || outcome.reason.code !== undefined)
      t.fail(`${outcome.reason}`)
  }
  postgres.thaw()
  t.same((await connection.query('select 1 as one')).rows, [{ one: 1 }])
  await postgres.freeze()
  const closing = close()
  await closing
  postgres.thaw()
  t.pass('a frozen server does not keep this process from exiting')
})

t.test('a restarted server is found again', async (t) => {
  const url = await postgres.createDatabase('restarted')
  const { connection, close } = await openServerDatabase(url)
  t.teardown(close)
  await Promise.all([1, 2, 3].map(() => connection.query('select 1')))
  await postgres.stop()
  await t.rejects(connection.query('select 1'), { name: 'QueryError', code: undefined })
  await postgres.start()
  t.same((await connection.query('select 1 as one')).rows, [{ one: 1 }])
})

t.test('notifications have their own connection, and its end is reported', async (t) => {
  const url = await postgres.createDatabase('heard')
  const server = await openServer(url)
  t.teardown(() => server.close())
  const heard: string[] = []
  let ended = 0
  const ear = await server.listen(
    'some channel',
    (payload) => heard.push(payload),
    () => (ended += 1),
  )
  t.same((await ear.query('select 2 as two')).rows, [{ two: 2 }])
  await server.query("select pg_notify('some channel', $1)", ['word'])
  await until(() => heard.length > 0)
  t.same(heard, ['word'])
  await server.query("select pg_terminate_backend(pid) from pg_stat_activity where query like 'select 2%'")
  await until(() => ended > 0)
  await t.rejects(ear.query('select 1'), { name: 'QueryError', code: undefined })
  ear.close()
  t.equal(ended, 1)
})

t.test('a store on a server still has its folder, only for the control socket', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'data')
  const store = await openStore({ dataDir, databaseUrl: await postgres.createDatabase('folder') })
  await t.rejects(openStore({ dataDir }), { code: 'data_folder_in_use' })
  t.ok(store.server)
  await store.close()
})

t.test('concordat keys works on the named database, without a folder', async (t) => {
  const missing = join(await temporaryFolder(t), 'missing')
  const env = {
    DATABASE_URL: await postgres.createDatabase('keys'),
    CONCORDAT_SECRET: 'the secret of these tests, long enough',
  }
  const run = (...args: string[]) => runCommand('keys', [...args, '--data', missing], env)
  const created = await run(
    'create',
    '--user',
    'ada@example.com',
    '--network',
    'test',
    '--name',
    'k',
    '--json',
  )
  t.equal(created.code, 0, created.err)
  const { id } = JSON.parse(created.out) as { id: string }
  t.match(await run('set', id, '--monthly-limit', '100', '--json'), { code: 0, out: /"monthlyLimit": 100/ })
  t.notOk(existsSync(missing))
  const { DATABASE_URL, CONCORDAT_SECRET } = env
  const file = join(await temporaryFolder(t), 'concordat.yaml')
  await writeFile(file, `dataFolder: ${missing}\ndatabaseUrl: \${URL}\nsecret: ${CONCORDAT_SECRET}\n`)
  const listed = await runCommand('keys', ['list', id, '--config', file], { URL: DATABASE_URL })
  t.match(listed, { code: 0, out: /100 a month/ }, 'also when the configuration file names it')
  t.notOk(existsSync(missing))
  t.match(await runCommand('keys', ['list'], { DATABASE_URL }), {
    code: 2,
    err: /CONCORDAT_SECRET must be set/,
  })
})

t.test('a read-only database user gets one sentence from keys, without the written values', async (t) => {
  const url = await postgres.createDatabase('reading')
  const keys = (DATABASE_URL: string) =>
    runCommand('keys', ['create', '--user', 'ada@example.com', '--network', 'test', '--name', 'k'], {
      DATABASE_URL,
      CONCORDAT_SECRET: 'the secret of these tests, long enough',
    })
  t.equal((await keys(url)).code, 0)
  await postgres.query(
    url,
    `create role reader login password '${postgres.password}'; grant usage on schema drizzle to reader;
    grant select on all tables in schema drizzle, public to reader`,
  )
  t.same(await keys(url.replace('//postgres:', '//reader:')), {
    code: 2,
    out: '',
    err: 'concordat keys: the database rejected the command or did not answer: permission denied for table users',
  })
})

/** Everything that an error would show. */
function chain(error: unknown): string {
  const texts: string[] = []
  for (let each = error; each instanceof Error; each = each.cause)
    texts.push(`${each.stack} ${JSON.stringify(each)}`)
  return texts.join('\n')
}

t.test('while the listening connection is silent, changes are polled over another one', async (t) => {
  const url = await postgres.createDatabase('silent')
  const database = await openServerDatabase(url)
  t.teardown(() => database.close())
  const heard: string[] = []
  let asked = 0
  const replica = await joinReplicas(database, {
    changesWithinSeconds: 1,
    channel: 'silent_test',
    onNotice: (payload) => heard.push(payload),
    async onBeat(query) {
      await query('select 1')
      asked += 1
    },
    onError: () => undefined,
    onDeaf: () => undefined,
  })
  t.teardown(() => replica.leave())
  const ear = async () => {
    const backends = await postgres.query(
      url,
      `select pid from pg_stat_activity where application_name = 'concordat, listening' and datname = 'silent'`,
    )
    return backends.map(({ pid }) => Number(pid))
  }
  // A slow machine may declare the connection dead before the poll has answered, so one success in five is enough.
  let wasAskedMeanwhile = false
  for (let tries = 0; tries < 5 && !wasAskedMeanwhile; tries++) {
    await until(async () => (await ear()).length === 1)
    const [pid = 0] = await ear()
    process.kill(pid, 'SIGSTOP')
    const before = asked
    try {
      await until(() => asked > before + 1)
      wasAskedMeanwhile = (await ear()).join() === String(pid)
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    if (!wasAskedMeanwhile) await until(async () => !(await ear()).includes(pid))
  }
  t.ok(wasAskedMeanwhile)
  await until(async () => {
    await database.connection.query("select pg_notify('silent_test', 'again')")
    return heard.includes('again')
  })
})
