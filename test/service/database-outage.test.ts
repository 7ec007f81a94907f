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
const services = await Promise.all(
  ['a', 'b'].map((name) => startService({ env: settings, data: join(folder, name) })),
)
t.teardown(() => Promise.all(services.map((service) => service.stop())))

const requestsPerSecond = 40
/** Time of steady use before the outage, and of the outage, in milliseconds. */
const activeMs = 5_000
const outageMs = isLong ? 25_000 : 8_000

const outages = {
  stopped: [postgres.stop, postgres.start],
  ...(isLong ? { frozen: [postgres.freeze, async () => postgres.thaw()] } : {}),
} as const

for (const [how, [begin, end]] of Object.entries(outages)) {
  t.test(`an active user far from the limit is not refused while the database is ${how}`, async (t) => {
    await awayFromMidnight()
    const user = ['--user', `${how}@example.com`, '--network', 'test', '--name', 'steady', '--json']
    const { code, out, err } = await runConcordat(['keys', 'create', ...user], settings)
    t.equal(code, 0, err)
    const { url, id } = JSON.parse(out)
    const { pathname } = new URL(url)
    const body = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
    const urls = services.map(({ origin }) => `${origin}${pathname}`)
    const load = startSteadyLoad(urls, requestsPerSecond, [body])
    await delay(activeMs)
    await begin()
    await delay(outageMs)
    await end()
    await delay(1_000)
    const { statuses } = await load.stop()
    t.strictSame(Object.keys(statuses), ['200'], JSON.stringify(statuses))
    const counted = async () => {
      const sql = `select used from quota_counts where subject = (select user_id from api_keys where id = '${id}')`
      const [row] = await postgres.query(databaseUrl, sql).catch(() => [])
      return Number(row?.['used'])
    }
    await until(async () => (await counted()) === statuses[200])
    t.equal(await counted(), statuses[200], 'every request is counted once')
  })
}
