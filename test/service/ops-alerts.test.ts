import { readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import t from 'tap'
import { parse, stringify } from 'yaml'
import { limits } from '../../generated/contract.js'
import { startHeldNode } from '../support/held-node.js'
import { startNodeServer } from '../support/node-server.js'
import { promtool } from '../support/prometheus.js'
import { post, type RunningService, runConcordat, startService } from '../support/service.js'
import { sharedPostgres } from '../support/shared-postgres.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'
import { createVisitor, newAddress, password } from '../support/visitor.js'

/**
 * Each alert of deploy/prometheus-rules.yml fires for what it is about. The samples are scraped from a service before and
 * during the fault; only their times are made up, because some rules look at six hours.
 */
type Samples = ReadonlyMap<string, number>

const rulesFile = resolve('deploy/prometheus-rules.yml')
const rules = await readFile(rulesFile, 'utf8')
const postgres = await sharedPostgres()
const databaseUrl = await postgres.createDatabase('alerts')
const held = await startHeldNode({ eth_chainId: '0x1f', eth_blockNumber: '0x10' })
const node = await startNodeServer({ chainId: '0x1e', blockTime: Math.floor(Date.now() / 1_000) })
t.teardown(() => held.close())
t.teardown(() => node.close())
const env = {
  DATABASE_URL: databaseUrl,
  CONCORDAT_SECRET: 'the secret of a service in a test',
  CONCORDAT_NODES_TEST: held.url,
  CONCORDAT_NODES_MAIN: node.url,
  CONCORDAT_METRICS_PORT: '0',
  CONCORDAT_LOG_LEVEL: 'silent',
}

/** True for a series that some rule reads. */
const isRead = (series: string) => new RegExp(`\\b${series.slice(0, series.indexOf('{'))}\\b`).test(rules)

const up = 'up{job="concordat",instance="a"}'

/** The samples of the service, with the labels that Prometheus adds, as it takes them: `up` is 0 without an answer. */
async function scrape(service: RunningService): Promise<Samples> {
  const answer = await fetch(service.metrics ?? '').catch(() => undefined)
  if (answer === undefined) return new Map([[up, 0]])
  const text = await answer.text()
  const samples = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(
    ([, name = '', labels = '', value]) => {
      const all = ['job="concordat"', 'instance="a"', ...(labels === '' ? [] : [labels])]
      return [`${name}{${all.join()}}`, Number(value)] as const
    },
  )
  return new Map([...samples.filter(([series]) => isRead(series)), [up, 1]])
}

const isCounter = (series: string) => /^\w+_(total|bucket|count|sum)\{/.test(series)
/** Minutes before the fault, and of the fault. */
const [calm, fault] = [10, 80]

/**
 * The fault's samples: gauges stay as they were during it, and counters go on as they grew. Nothing is known of the growth
 * of a counter that begins with the fault.
 */
function seriesOf(before: Samples, during: Samples) {
  return [...during].map(([series, value]) => {
    const first = before.get(series)
    const growth = isCounter(series) && first !== undefined ? value - first : 0
    return [series, `${first ?? '_'}x${calm} ${value}+${growth}x${fault}`] as const
  })
}

/** What each process showed after its start. */
const starts: Samples[] = []
const tests: object[] = []
const fired = new Set<string>()
/** Expects alerts during a fault, and none of them before it. */
const expectAlerts = (before: Samples, during: Samples, ...alerts: readonly string[]) =>
  expectValues(seriesOf(before, during), fault, alerts)

/** The alerts about the states of nodes. If one of them is expected, the others must not fire. */
const stateAlerts = ['ConcordatNetworkWithoutNode', 'ConcordatNodeNotOk', 'ConcordatNodeLimited']

/**
 * Expects alerts so many minutes into a fault.
 * @param values the values of each series, in minutes
 */
function expectValues(
  values: readonly (readonly [string, string])[],
  after: number,
  alerts: readonly string[],
) {
  for (const alert of alerts) fired.add(alert)
  const expr = (alert: string) => `count(ALERTS{alertname="${alert}",alertstate="firing"})`
  tests.push({
    interval: '1m',
    input_series: values.map(([series, each]) => ({ series, values: each })),
    promql_expr_test: [
      ...alerts.flatMap((alert) => [
        { expr: expr(alert), eval_time: `${calm - 1}m`, exp_samples: [] },
        {
          expr: `${expr(alert)} > bool 0`,
          eval_time: `${calm + after}m`,
          exp_samples: [{ labels: '{}', value: 1 }],
        },
      ]),
      ...stateAlerts
        .filter((alert, _, all) => all.some((one) => alerts.includes(one)) && !alerts.includes(alert))
        .map((alert) => ({ expr: expr(alert), eval_time: `${calm + after}m`, exp_samples: [] })),
    ],
  })
}

/** A sample of the process, without further labels. */
const own = (name: string) => `${name}{job="concordat",instance="a"}`

/** The lag of the event loop that fires an alert, in seconds. */
const longLag = 0.25
const eventLoopLag = (samples: Samples) => Number(samples.get(own('nodejs_eventloop_lag_p99_seconds')))

async function newKey(service: RunningService, network: 'test' | 'main', user: string) {
  const args = ['--user', `${user}@example.com`, '--network', network, '--name', user, '--json']
  const { out } = await runConcordat(['keys', 'create', ...args], env)
  return `${service.origin}${new URL(JSON.parse(out).url).pathname}`
}
const request = (method: string, ...params: readonly unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params })

/** Sends a request for each item, and again whenever it ends, for example because it waited too long. */
function repeated<Item>(items: readonly Item[], send: (item: Item) => Promise<unknown>) {
  let isEnded = false
  const all = items.map(async (item) => {
    do await send(item)
    while (!isEnded)
  })
  return {
    async end() {
      isEnded = true
      await Promise.all(all)
    },
  }
}

t.test('through one service', async (t) => {
  const service = await startService({ env, command: 'serve' })
  t.teardown(() => service.stop())
  const main = await newKey(service, 'main', 'main')
  t.match(await post(main, request('eth_getBalance', `0x${'0'.repeat(40)}`, 'latest')), { status: 200 })
  node.fault = ({ calls }, response) => {
    if (!calls.some(({ method }) => method === 'eth_gasPrice')) return false
    response.end('nonsense')
    return true
  }
  // One failed request does not fire an alert.
  t.match(await post(main, request('eth_gasPrice')), { status: 502 })
  // The start may block the event loop on a busy machine. Each scrape begins a new measurement.
  const before = await until(async () => {
    const samples = await scrape(service)
    return eventLoopLag(samples) < longLag && samples
  })
  starts.push(before)

  t.match(await post(main, request('eth_getBlockByNumber', 'latest', false)), { status: 200 })
  expectAlerts(before, await scrape(service), 'ConcordatAnswersViolateContract')

  t.match(await post(main, request('eth_gasPrice')), { status: 502 })
  t.match(await post(main, request('eth_getBalance', 'x')), { json: { error: { code: -32602 } } })
  const failed = await scrape(service)
  expectAlerts(before, failed, 'ConcordatErrorBudgetBurnsFast', 'ConcordatErrorBudgetBurnsSlowly')

  // Each user waits with what is over the requests at once.
  const urls = [await newKey(service, 'test', 'one'), await newKey(service, 'test', 'two')]
  const each = limits.requestsAtOncePerUser + 700
  const waiting = repeated(
    urls.flatMap((url) => Array.from({ length: each }, () => url)),
    (url) => post(url, request('eth_gasPrice')),
  )
  const queued = async () => (await scrape(service)).get(own('concordat_queued_requests'))
  await until(async () => Number(await queued()) > 1_000)
  expectAlerts(before, await scrape(service), 'ConcordatRequestsWait')
  held.release('eth_gasPrice', '0x1')
  await waiting.end()

  const visitor = createVisitor(service.origin)
  t.equal((await visitor.post('/signup', { email: newAddress(), password })).status, 303)
  const { release } = await lockSessions()
  const pages = repeated(Array.from({ length: 20 }), () => visitor.get('/account'))
  const stuck = async () => (await scrape(service)).get(own('concordat_database_waiting'))
  await until(async () => Number(await stuck()) > 0)
  expectAlerts(before, await scrape(service), 'ConcordatDatabaseBusy')
  await release()
  await pages.end()

  const blocked = await until(async () => {
    await scrape(service)
    service.process.kill('SIGSTOP')
    await delay(500)
    service.process.kill('SIGCONT')
    const samples = await scrape(service)
    return eventLoopLag(samples) > longLag && samples
  })
  expectAlerts(before, blocked, 'ConcordatEventLoopBlocked')
})

t.test('a node that is slow, one that limits, and one that is gone', async (t) => {
  const service = await startService({ env, command: 'serve' })
  t.teardown(() => service.stop())
  const main = await newKey(service, 'main', 'slow')
  t.match(await post(main, request('eth_getBalance', `0x${'0'.repeat(40)}`, 'latest')), { status: 200 })
  const before = await scrape(service)
  starts.push(before)
  node.fault = ({ calls: [call] }, response) => {
    if (call?.method !== 'eth_gasPrice') return false
    setTimeout(() => response.end(`{"jsonrpc":"2.0","id":${call.id},"result":"0x1"}`), 5_500)
    return true
  }
  t.match(await post(main, request('eth_gasPrice')), { status: 200 })
  expectAlerts(before, await scrape(service), 'ConcordatNodeSlow')
  const labels = 'job="concordat",instance="a",network="main",node="main-1"'
  const isIn = (samples: Samples, state: string) =>
    samples.get(`concordat_node_state{${labels},state="${state}"}`) === 1
  node.fault = (_, response) => {
    response.writeHead(429).end()
    return true
  }
  const limited = await until(async () => {
    const samples = await scrape(service)
    return isIn(samples, 'limited') && samples
  })
  expectAlerts(before, limited, 'ConcordatNodeLimited')
  await node.close()
  const gone = await until(async () => {
    const samples = await scrape(service)
    return isIn(samples, 'unreachable') && samples
  })
  expectAlerts(before, gone, 'ConcordatNetworkWithoutNode', 'ConcordatNodeNotOk')
})

t.test('processes that turn connections away, start again and again, and are gone', async (t) => {
  const first = await startService({ env: { ...env, CONCORDAT_LIMIT_CONNECTIONS: '2' }, command: 'serve' })
  t.teardown(() => first.stop())
  const before = await scrape(first)
  const port = Number(new URL(first.origin).port)
  const sockets = Array.from({ length: 5 }, () => connect(port, '127.0.0.1'))
  t.teardown(() => sockets.map((socket) => socket.destroy()))
  const turnedAway = async () => (await scrape(first)).get(own('concordat_connections_turned_away_total'))
  await until(async () => Number(await turnedAway()) > 0)
  expectAlerts(before, await scrape(first), 'ConcordatConnectionsTurnedAway')
  await first.stop('SIGKILL')
  expectAlerts(before, await scrape(first), 'ConcordatProcessDown')
  const last = await startService({ env, command: 'serve' })
  t.teardown(() => last.stop())
  const since = [...starts, before, await scrape(last)].map((samples) =>
    samples.get(own('process_start_time_seconds')),
  )
  t.equal(new Set(since).size, 4)
  const [calmly, ...again] = since
  expectValues([[own('process_start_time_seconds'), `${calmly}x${calm} ${again.join(' ')}`]], again.length, [
    'ConcordatProcessRestarts',
  ])
})

t.test('each alert fires during its fault, and not before', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'alerts.yml')
  await writeFile(file, stringify({ rule_files: [rulesFile], evaluation_interval: '1m', tests }))
  t.match(await promtool('test', 'rules', file), 'SUCCESS')
  const { groups } = parse(rules) as {
    readonly groups: readonly { readonly rules: readonly { alert?: string }[] }[]
  }
  const alerts = groups.flatMap((group) =>
    group.rules.map(({ alert }) => alert).filter((alert) => alert !== undefined),
  )
  t.same([...fired].sort(), alerts.sort())
})

/** Locks the table of sessions, so that each page holds a connection. */
async function lockSessions() {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('begin')
  await client.query('lock table sessions in access exclusive mode')
  return {
    async release() {
      await client.query('rollback')
      await client.end()
    },
  }
}
