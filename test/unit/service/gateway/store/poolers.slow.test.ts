import t from 'tap'
import { QueryError } from '../../../../../src/service/gateway/index.js'
import { openServer } from '../../../../../src/service/gateway/store/server-connection.js'
import { startPgbouncer } from '../../../../support/pgbouncer.js'
import { startPostgres } from '../../../../support/postgres.js'
import { call, post, startService } from '../../../../support/service.js'
import { startSwitch } from '../../../../support/switch.js'
import { until } from '../../../../support/until.js'
import { runCommand } from '../../../cli/conform/conform-harness.js'

/** PostgreSQL behind the usual infrastructure: clusters with failover, and poolers. */
const primary = await startPostgres(t)
const standby = await startPostgres(t, { standbyOf: primary })
const request = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
const secret = 'the secret that these replicas share'
const isolated = {
  CONCORDAT_SECRET: secret,
  CONCORDAT_NODES_TEST: 'http://127.0.0.1:9',
  CONCORDAT_NODES_MAIN: 'http://127.0.0.1:9',
}
const atPort = (url: string, port: number) => {
  const other = new URL(url)
  other.port = String(port)
  return other.href
}
const urlIn = (text: string) => /http:\S+-T/.exec(text)?.[0] ?? text

t.test('behind pgbouncer in transaction mode two replicas start, count and follow changes', async (t) => {
  const direct = await primary.createDatabase('pooled')
  const env = {
    ...isolated,
    DATABASE_URL: await startPgbouncer(t, direct),
    CONCORDAT_LIMIT_REQUESTS_PER_DAY: '60',
  }
  const services = await Promise.all([startService({ env }), startService({ env })])
  for (const service of services) t.teardown(() => service.stop())
  const made = await runCommand(
    'keys',
    ['create', '--user', 'a@example.com', '--network', 'test', '--name', 'k'],
    env,
  )
  t.equal(made.code, 0, made.err)
  const path = new URL(urlIn(made.out)).pathname
  const urls = services.map(({ origin }) => `${origin}${path}`)
  const statuses = await Promise.all(
    Array.from({ length: 100 }, (_, n) => post(urls[n % 2] ?? '', request).then(({ status }) => status)),
  )
  t.equal(statuses.filter((status) => status === 200).length, 60, 'the limit is exact')
  t.equal(statuses.filter((status) => status === 429).length, 40)
  for (const service of services) {
    const line = await service.said('err', 'no notifications from the database')
    t.match(line, /polled twice a second/)
    t.notMatch(service.output().err, 'prepared statement')
  }
  const id = /key_\w+/.exec(made.out + made.err)?.[0] ?? ''
  t.equal((await runCommand('keys', ['disable', id], env)).code, 0)
  for (const url of urls) await until(async () => (await post(url, request)).status === 401)
})

t.test('a serialization failure is retried, and other failures are not', async (t) => {
  const server = await openServer(await primary.createDatabase('serialized'))
  t.teardown(() => server.close())
  await server.query('create table counts (n integer)')
  await server.query('insert into counts values (0)')
  const raise = async (n: number) => {
    let tries = 0
    await server.transaction(async (query) => {
      tries += 1
      await query('set transaction isolation level repeatable read')
      const { rows } = await query('select n from counts')
      if (tries === 1 && n === 0) await raise(1)
      await query('update counts set n = $1', [(rows[0] as { n: number }).n + 1])
    })
    return tries
  }
  t.equal(await raise(0), 2)
  t.same((await server.query('select n from counts')).rows, [{ n: 2 }])
  let tries = 0
  const work = server.transaction(async (query) => {
    tries += 1
    await query('select 1 / 0')
  })
  await t.rejects(work, { code: '22012' })
  t.ok((await work.catch((error: unknown) => error)) instanceof QueryError)
  t.equal(tries, 1)
})

t.test('after a switchover the service writes to the new primary within seconds', async (t) => {
  const direct = await primary.createDatabase('switched')
  const way = await startSwitch(t, primary.port)
  const env = { ...isolated, DATABASE_URL: atPort(direct, way.port) }
  const service = await startService({ env })
  t.teardown(() => service.stop())
  const made = await runCommand(
    'keys',
    ['create', '--user', 'a@example.com', '--network', 'test', '--name', 'k'],
    env,
  )
  const url = `${service.origin}${new URL(urlIn(made.out)).pathname}`
  t.equal(await call(url, 'eth_chainId'), '0x1f')
  const [{ lsn } = {}] = await primary.query(direct, 'select pg_current_wal_lsn()::text as lsn')
  const replayed = `select pg_last_wal_replay_lsn() >= '${String(lsn)}' as done`
  await until(async () => Boolean((await standby.query(atPort(direct, standby.port), replayed))[0]?.['done']))

  await standby.promote()
  way.turnTo(standby.port)
  // Sessions of the old primary stay, but become read-only.
  await primary.query(direct, 'alter system set default_transaction_read_only = on')
  await primary.query(direct, 'select pg_reload_conf()')
  let failed = 0
  let succeeded = 0
  const use = async () => {
    const { status } = await post(url, request)
    if (status === 200) succeeded += 1
    else failed += 1
  }
  // The load lasts until the new primary has grants or counts of it.
  const moved = `select coalesce(sum(granted + used), 0)::int as used from quota_counts`
  const usedThere = async () => {
    const [row] = await standby.query(atPort(direct, standby.port), moved)
    return Number(row?.['used'])
  }
  const before = await usedThere()
  await until(async () => {
    await use()
    return (await usedThere()) > before
  })
  t.comment(`${succeeded} answered, ${failed} refused`)
  t.equal(failed, 0, 'no request is refused')
  t.ok(succeeded > 0)
  const after = await runCommand(
    'keys',
    ['create', '--user', 'b@example.com', '--network', 'test', '--name', 'k'],
    env,
  )
  t.equal(after.code, 0, after.err)
  const used = `select coalesce(sum(granted), 0)::int as granted from quota_counts`
  const granted = async () =>
    Number((await standby.query(atPort(direct, standby.port), used))[0]?.['granted'])
  await until(async () => (await granted()) >= 2)
})
