import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { awayFromMidnight } from '../support/midnight.js'
import { startPostgres } from '../support/postgres.js'
import { isLong } from '../support/runs.js'
import { runConcordat, startService } from '../support/service.js'
import { startSteadyLoad } from '../support/steady-load.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

/** Two replicas with the contract's limit on one PostgreSQL server, as in a failover of the database. */
const postgres = await startPostgres(t)
const databaseUrl = await postgres.createDatabase('service')
const folder = await temporaryFolder(t)
const settings = {
  DATABASE_URL: databaseUrl,
  CONCORDAT_SECRET: 'the secret that these replicas share',
  // No node listens here, so the tests call methods that the service answers itself.
  CONCORDAT_NODES_TEST: 'http://127.0.0.1:9',
  CONCORDAT_NODES_MAIN: 'http://127.0.0.1:9',
  CONCORDAT_LOG_LEVEL: 'silent',
}
const start = (name: string) => startService({ env: settings, data: join(folder, name) })
const services = await Promise.all(['a', 'b'].map(start))
t.teardown(() => Promise.all(services.map((service) => service.stop())))

const requestsPerSecond = 40
/** Seconds of steady use before the outage: a busy machine takes longer for as many requests. */
const activeSeconds = 5
/** Time of the outage, in milliseconds. */
const outageMs = isLong ? 25_000 : 8_000

const body = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }

/** Creates a user with a key, and returns the key's URLs at the replicas and the user's count in the database. */
async function newUser(name: string) {
  await awayFromMidnight()
  const user = ['--user', `${name}@example.com`, '--network', 'test', '--name', 'steady', '--json']
  const { code, out, err } = await runConcordat(['keys', 'create', ...user], settings)
  if (code !== 0) throw new TypeError(err)
  const { url, id } = JSON.parse(out)
  const sql = `select used, granted from quota_counts where subject = (select user_id from api_keys where id = '${id}')`
  const count = async () => {
    const [row] = await postgres.query(databaseUrl, sql).catch(() => [])
    return row as { readonly used: number; readonly granted: number } | undefined
  }
  const { pathname } = new URL(url)
  return { urls: services.map(({ origin }) => `${origin}${pathname}`), count }
}

const outages = {
  stopped: [postgres.stop, postgres.start],
  ...(isLong ? { frozen: [postgres.freeze, async () => postgres.thaw()] } : {}),
} as const

for (const [how, [begin, end]] of Object.entries(outages)) {
  t.test(`an active user far from the limit is not refused while the database is ${how}`, async (t) => {
    const { urls, count } = await newUser(how)
    const load = startSteadyLoad(urls, requestsPerSecond, [body])
    await until(() => load.answered() >= requestsPerSecond * activeSeconds)
    await begin()
    await delay(outageMs)
    await end()
    const before = load.answered()
    await until(() => load.answered() >= before + requestsPerSecond)
    const { statuses } = await load.stop()
    t.strictSame(Object.keys(statuses), ['200'], JSON.stringify(statuses))
    const used = async () => (await count())?.used
    await until(async () => (await used()) === statuses[200])
    t.equal(await used(), statuses[200], 'every request is counted once')
  })
}

const rates = isLong ? [requestsPerSecond, 5 * requestsPerSecond] : [requestsPerSecond]
/** With its second lease, a process holds the most: one minute of its rate. */
const steadySeconds = isLong ? 50 : activeSeconds

for (const rate of rates) {
  t.test(
    `a killed process loses at most one minute of its rate, about ${rate / 2} requests a second`,
    async (t) => {
      const { urls, count } = await newUser(`killed-${rate}`)
      const load = startSteadyLoad(urls, rate, [body])
      await until(() => load.answered() >= rate * steadySeconds)
      const { statuses } = await load.stop()
      const most = load.mostWithinSecond(urls[1] ?? '')
      await services[1]?.stop('SIGKILL')
      // The other process returns its leases when it stops.
      await services[0]?.stop()
      const { granted = 0 } = (await count()) ?? {}
      const lost = granted - (statuses[200] ?? 0)
      t.comment(`${lost} of ${granted} counted requests were not made, at up to ${most} a second`)
      t.ok(lost > 0 && lost <= 60 * most)
      if (rate !== rates.at(-1)) services.splice(0, 2, await start('a'), await start('b'))
    },
  )
}
