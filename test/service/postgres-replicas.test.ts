import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { type LoadOutcome, spendAll } from '../support/load.js'
import { awayFromMidnight } from '../support/midnight.js'
import { startShippedNginx } from '../support/nginx.js'
import { startPostgres } from '../support/postgres.js'
import { isLong } from '../support/runs.js'
import { type RunningService, runConcordat, startService } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

/** Three replicas behind nginx on one PostgreSQL server: one limit for all, whatever fails. */
const limit = isLong ? 5_000 : 1_500
const replicaCount = 3
const postgres = await startPostgres(t)
const databaseUrl = await postgres.createDatabase('service')
const secret = 'the secret that these replicas share'
const folder = await temporaryFolder(t)
const settings = {
  DATABASE_URL: databaseUrl,
  CONCORDAT_SECRET: secret,
  CONCORDAT_LIMIT_REQUESTS_PER_DAY: String(limit),
  // No node listens here, so the tests call methods that the service answers itself.
  CONCORDAT_NODES_TEST: 'http://127.0.0.1:9',
  CONCORDAT_NODES_MAIN: 'http://127.0.0.1:9',
  CONCORDAT_LOG_LEVEL: 'error',
}
const start = async (n: number): Promise<RunningService> => {
  const service = await startService({ env: settings, data: join(folder, `${n}-${Math.random()}`) })
  t.teardown(() => service.stop('SIGKILL'))
  return service
}
const services = await Promise.all(Array.from({ length: replicaCount }, (_, n) => start(n)))
const origins = services.map(({ origin }) => origin)
const { origin: balancer } = await startShippedNginx(t, origins)

const keys = async (...args: readonly string[]) => {
  const { code, out, err } = await runConcordat(['keys', ...args], settings)
  if (code !== 0) throw new TypeError(err)
  return out
}
const newKey = async (name: string) => {
  await awayFromMidnight()
  const wanted = ['--user', `${name}@example.com`, '--network', 'test', '--name', name]
  const { id, url } = JSON.parse(await keys('create', ...wanted, '--json'))
  const [row] = await postgres.query(databaseUrl, `select user_id from api_keys where id = '${id}'`)
  return { id, userId: String(row?.['user_id']), path: new URL(url).pathname }
}
const load = { atOnce: 48, untilRefused: 60 }
/** Resolves once a request was refused because the database was needed and did not answer. */
function firstUnavailable() {
  let tell: () => void = () => undefined
  const seen = new Promise<void>((resolve) => {
    tell = resolve
  })
  const onStatus = (status: number) => {
    if (status === 503) tell()
  }
  return { seen, onStatus }
}
const tell = (t: { comment: (text: string) => void }, outcome: LoadOutcome) =>
  t.comment(JSON.stringify(outcome))

/** The defaults, which the file shows. */
const { tuning } = parse(await readFile('deploy/concordat.yaml', 'utf8'))
/** The most that one replica can hold: the largest lease, plus the rest of the last one. */
const mostLeased =
  Math.min(tuning.leaseRequestsMost, limit / (4 * replicaCount)) * (1 + tuning.leaseRefillPercent / 100)

/** Never more than the limit. Grants whose answer was lost are limited by each replica's request or return. */
function isWithinLeases(t: { ok: (fact: boolean) => unknown }, { admitted, unanswered }: LoadOutcome): void {
  t.ok(admitted <= limit)
  t.ok(admitted + unanswered >= limit - 2 * replicaCount * mostLeased)
}

/** The user's granted requests, and those without a reported use. */
async function grantedTo(userId: string): Promise<{ readonly granted: number; readonly stranded: number }> {
  const [row] = await postgres.query(
    databaseUrl,
    `select granted, granted - used as stranded from quota_counts where subject = '${userId}'`,
  )
  return row as { granted: number; stranded: number }
}

/** Successful calls of a key, as far as usage has been written. */
async function answeredBy(keyId: string): Promise<number> {
  const [row] = await postgres.query(
    databaseUrl,
    `select coalesce(sum(requests), 0)::int as requests from usage_minutes where key_id = '${keyId}' and code = 0`,
  )
  return Number(row?.['requests'])
}

t.test('all replicas together admit exactly the limit', async (t) => {
  const { id, path } = await newKey('exact')
  const outcome = await spendAll({ ...load, url: `${balancer}${path}` })
  tell(t, outcome)
  t.equal(outcome.admitted, limit)
  t.equal(outcome.unanswered, 0)
  await until(async () => (await answeredBy(id)) >= limit)
  t.equal(await answeredBy(id), limit, 'usage contains each of them')
  const [{ hours } = {}] = await postgres.query(
    databaseUrl,
    `select sum(requests)::int as hours from usage_hours where key_id = '${id}' and code = 0`,
  )
  t.equal(hours, limit)
})

/** Spends a key while the database is away, from a third of the limit until the first 503. */
async function spendDuring(
  t: Test,
  name: string,
  begin: () => Promise<void>,
  end: () => void | Promise<void>,
) {
  const { path } = await newKey(name)
  let outage: Promise<void> | undefined
  const { seen, onStatus } = firstUnavailable()
  const outcome = await spendAll({
    ...load,
    onStatus,
    url: `${balancer}${path}`,
    onAdmitted(admitted) {
      if (admitted >= limit / 3) outage ??= begin().then(() => seen.then(end))
    },
  })
  await outage
  tell(t, outcome)
  isWithinLeases(t, outcome)
  t.ok((outcome.statuses[503] ?? 0) > 0, 'requests without a lease were refused meanwhile')
  t.ok(services.every(({ process }) => process.exitCode === null && process.signalCode === null))
}

t.test(
  'during a database restart: never more than the limit, and fewer only by stranded leases',
  async (t) => {
    await spendDuring(t, 'restart', postgres.stop, postgres.start)
  },
)

t.test(
  'with a frozen database leased requests are admitted, then 503; later the service recovers',
  async (t) => {
    await spendDuring(t, 'frozen', postgres.freeze, postgres.thaw)
  },
)

const statusAt = (origin: string, path: string) =>
  fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
  }).then(async (response) => {
    await response.arrayBuffer()
    return response.status
  })
/** Waits until every replica answers a key with the status; returns the time that it took. */
async function everywhere(
  t: { comment: (text: string) => void },
  what: string,
  path: string,
  status: number,
) {
  const began = performance.now()
  for (const origin of origins) {
    await until(async () => (await statusAt(origin, path)) === status)
  }
  t.comment(`${what}: ${Math.round(performance.now() - began)} ms`)
}

t.test('a change of a key reaches every replica, with or without a notification', async (t) => {
  const key = await newKey('changed')
  await everywhere(t, 'created', key.path, 200)
  await keys('disable', key.id)
  await everywhere(t, 'disabled', key.path, 401)
  await keys('enable', key.id)
  await everywhere(t, 'enabled', key.path, 200)
  const deleted = await newKey('deleted')
  await everywhere(t, 'created', deleted.path, 200)
  await keys('delete', deleted.id)
  await everywhere(t, 'deleted', deleted.path, 401)
  await postgres.query(
    databaseUrl,
    `update api_keys set state = 'disabled', changed_at = now() where id = '${key.id}'`,
  )
  await everywhere(t, 'disabled without an announcement', key.path, 401)
  const onChange = 'before update on api_keys for each row execute function keep_time()'
  await postgres.query(
    databaseUrl,
    "create function keep_time() returns trigger language plpgsql as 'begin new.changed_at = old.changed_at; return new; end'",
  )
  await postgres.query(databaseUrl, `create trigger keep_time ${onChange}`)
  await keys('enable', key.id)
  await everywhere(t, 'enabled without a time that polls find', key.path, 200)
  await postgres.query(databaseUrl, 'drop trigger keep_time on api_keys')
})

t.test('a listening connection that died silently is replaced', async (t) => {
  const key = await newKey('deaf')
  await everywhere(t, 'created', key.path, 200)
  const listening = "select pid from pg_stat_activity where application_name = 'concordat, listening'"
  const before = (await postgres.query(databaseUrl, listening)).map(({ pid }) => Number(pid))
  t.equal(before.length, replicaCount)
  for (const pid of before) process.kill(pid, 'SIGSTOP')
  t.teardown(() => {
    for (const pid of before) process.kill(pid, 'SIGCONT')
  })
  await keys('disable', key.id)
  await everywhere(t, 'disabled', key.path, 401)
  for (const pid of before.splice(0)) process.kill(pid, 'SIGCONT')
})

t.test('with a killed replica: never more than the limit, and fewer only by its leases', async (t) => {
  const { path, userId } = await newKey('killed')
  let killed: Promise<unknown> | undefined
  const outcome = await spendAll({
    ...load,
    url: `${balancer}${path}`,
    onAdmitted(admitted) {
      if (admitted >= limit / 3) killed ??= services[replicaCount - 1]?.stop('SIGKILL')
    },
  })
  await killed
  tell(t, outcome)
  t.equal((await grantedTo(userId)).granted, limit)
  t.ok(outcome.admitted <= limit)
  t.ok(outcome.admitted + outcome.unanswered >= limit - mostLeased)
})

t.test('stopped replicas return all leases, write all counts and deregister', async (t) => {
  const { id, userId, path } = await newKey('stopped')
  const statuses = await Promise.all(Array.from({ length: 20 }, () => statusAt(origins[0] ?? '', path)))
  t.ok(statuses.every((status) => status === 200))
  await services[0]?.stop()
  t.equal(await answeredBy(id), 20)
  t.match(await grantedTo(userId), { granted: 20, stranded: 0 })
  await services[1]?.stop()
  const registered = await postgres.query(
    databaseUrl,
    "select id from replicas where seen_at > now() - interval '30 minutes'",
  )
  t.equal(registered.length, 1, 'only the killed replica is registered')
})
