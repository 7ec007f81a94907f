import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { freePort } from '../support/free-port.js'
import { startHeldNode } from '../support/held-node.js'
import { awayFromMidnight } from '../support/midnight.js'
import { post as postKeptAlive, runInProcess, startService } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

const secretPath = '/v2/0123456789abcdef'
const node = await startHeldNode({ eth_chainId: '0x1f', eth_blockNumber: '0x10', eth_gasPrice: '0x1' })
t.teardown(() => node.close())
const service = await startService({
  env: {
    CONCORDAT_METRICS_PORT: '0',
    CONCORDAT_NODES_TEST: `${node.url}${secretPath}`,
    CONCORDAT_NODES_MAIN: node.url,
    CONCORDAT_LIMIT_REQUESTS_PER_DAY: '12',
  },
})
t.teardown(() => service.stop())
const { url } = service.networks.test
const key = new URL(url).pathname.slice(1)
/** Closes its connection, because the tests below count connections. */
const closing = { connection: 'close' }
const post = (to: string, body: unknown) => postKeptAlive(to, body, closing)
const request = (method: string, params: unknown = []) => ({ jsonrpc: '2.0', id: 1, method, params })

/** The samples of the metrics: name and labels, and their value. */
async function samples(): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(service.metrics ?? '')).text()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  )
}

t.test('requests are counted and timed by method, outcome and network', async (t) => {
  await post(url, request('eth_chainId'))
  await post(url, [request('eth_chainId'), request('eth_gasPrice'), request('eth_getBalance', ['x'])])
  await post(url, request('no_such_method_of_mine'))
  await post(url, '{')
  const all = await samples()
  const count = (method: string, outcome: string) =>
    all.get(`concordat_requests_total{network="test",method="${method}",outcome="${outcome}"}`)
  t.equal(count('eth_chainId', 'ok'), 2)
  t.equal(count('eth_gasPrice', 'ok'), 1)
  t.equal(count('eth_getBalance', 'invalidParams'), 1)
  t.equal(count('unknown', 'methodNotFound'), 1)
  t.equal(count('unknown', 'parseError'), 1)
  const histogram = 'concordat_request_duration_seconds'
  const labels = 'network="test",method="eth_chainId"'
  t.equal(all.get(`${histogram}_count{${labels}}`), 2)
  t.equal(all.get(`${histogram}_bucket{${labels},le="+Inf"}`), 2)
  t.ok((all.get(`${histogram}_sum{${labels}}`) ?? 0) > 0)
})

t.test('requests refused before their body are counted by failure', async (t) => {
  await post(`${service.origin}/${'A'.repeat(30)}-T`, request('eth_chainId'))
  await post(`${service.origin}/a/b`, request('eth_chainId'))
  await fetch(url, { headers: closing })
  const all = await samples()
  for (const failure of ['refusedKey', 'missingKey', 'wrongVerb'])
    t.equal(all.get(`concordat_refused_total{failure="${failure}"}`), 1, failure)
})

t.test('nodes: calls, times, state and lag, by name', async (t) => {
  await post(url, request('eth_gasPrice'))
  const all = await samples()
  const labels = 'network="test",node="test-1"'
  t.ok((all.get(`concordat_node_calls_total{${labels},outcome="result"}`) ?? 0) >= 1)
  t.ok((all.get(`concordat_node_call_duration_seconds_count{${labels}}`) ?? 0) >= 1)
  t.match([...all.keys()].join('\n'), /concordat_node_state{network="main",node="main-1",state="ok"}/)
})

t.test('connections, leases, the process and its event loop', async (t) => {
  const { hostname, port } = new URL(url)
  await until(async () => (await samples()).get('concordat_connections') === 0)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const open = await until(async () => (await samples()).get('concordat_connections') || undefined)
  socket.destroy()
  t.equal(open, 1)
  const all = await samples()
  for (const name of [
    'concordat_leased_requests',
    'nodejs_eventloop_lag_seconds',
    'process_cpu_seconds_total',
  ])
    t.type(all.get(name), 'number', name)
  t.equal(all.get('concordat_connections_turned_away_total'), 0)
})

t.test('requests over the daily limit are counted by its scope', async (t) => {
  await awayFromMidnight()
  let answer = await post(url, request('eth_chainId'))
  for (let sent = 0; answer.status === 200 && sent < 20; sent++)
    answer = await post(url, request('eth_chainId'))
  t.equal(answer.status, 429)
  t.equal((await samples()).get('concordat_quota_refusals_total{scope="daily"}'), 1)
})

t.test('metrics contain no key, no node address and no text of a caller', async (t) => {
  const text = await (await fetch(service.metrics ?? '')).text()
  for (const secret of [key, secretPath, new URL(node.url).host, 'no_such_method_of_mine'])
    t.notOk(text.includes(secret), secret)
})

t.test('the metrics port serves nothing else, and the service serves no metrics', async (t) => {
  const { origin } = new URL(service.metrics ?? '')
  t.equal((await fetch(origin)).status, 404)
  t.equal((await fetch(`${service.origin}/metrics`)).status, 405)
  t.equal((await post(`${origin}/${key}`, request('eth_chainId')).catch(() => undefined))?.status, undefined)
})

t.test('an unusable address is reported with its setting', async (t) => {
  const { port } = new URL(service.metrics ?? '')
  const folder = await temporaryFolder(t)
  const nodes = { CONCORDAT_NODES_TEST: node.url, CONCORDAT_NODES_MAIN: node.url }
  const other = await freePort()
  const rows: [metrics: object, own: number, said: string][] = [
    [{ port }, 0, `127.0.0.1:${port} is in use: choose another port with CONCORDAT_METRICS_PORT`],
    [{ port: 0, host: '192.0.2.1' }, 0, '192.0.2.1:0 is not an address of this machine: change metrics.host'],
    [
      { port: 0, host: 'nowhere.invalid' },
      0,
      'nowhere.invalid:0 is not an address of this machine: change metrics.host',
    ],
    [{ port: other }, other, `metrics.port) must differ from the port of the service, ${other}`],
  ]
  for (const [at, [metrics, own, said]] of rows.entries()) {
    const config = join(folder, `${at}.json`)
    await writeFile(config, JSON.stringify({ metrics }))
    const args = ['--config', config, '--port', String(own), '--data', join(folder, 'data')]
    const { code, err } = await runInProcess(['serve', ...args], nodes)
    t.equal(code, 2, err)
    t.match(err, said)
  }
})

t.test('any path is answered, also an invalid URL', async (t) => {
  const { hostname, port } = new URL(service.metrics ?? '')
  const socket = connect(Number(port), hostname)
  socket.end('GET // HTTP/1.1\r\nhost: metrics\r\nconnection: close\r\n\r\n')
  let text = ''
  for await (const chunk of socket.setEncoding('utf8')) text += chunk
  t.match(text, /^HTTP\/1.1 404 /)
  t.equal((await fetch(service.metrics ?? '')).status, 200)
})
