import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { startHeldNode } from '../support/held-node.js'
import { createKey } from '../support/keys.js'
import { startNodeServer } from '../support/node-server.js'
import { post, type RunningService, runConcordat, runInProcess, startService } from '../support/service.js'
import { timeCode } from '../support/time-code.js'
import { until } from '../support/until.js'
import { createVisitor, newAddress, password } from '../support/visitor.js'

const folder = await mkdtemp(join(tmpdir(), 'concordat-serve-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))
const network = { eth_chainId: '0x1f', eth_blockNumber: '0x10' }
const first = await startHeldNode({ ...network, eth_gasPrice: '0x1' })
const second = await startHeldNode({ ...network, eth_gasPrice: '0x2' })
t.teardown(() => first.close())
t.teardown(() => second.close())

/** Starts `concordat serve` with a configuration. */
async function serve(t: Test, config: object, env: Record<string, string> = {}) {
  const file = join(await mkdtemp(join(folder, 'run-')), 'concordat.yaml')
  const write = async (next: object | string) => {
    await writeFile(`${file}.new`, typeof next === 'string' ? next : JSON.stringify(next))
    await rename(`${file}.new`, file)
  }
  await write(config)
  const service = await startService({ command: 'serve', args: ['--config', file], env })
  t.teardown(() => service.stop())
  return { service, write, url: await newKey(service) }
}

/** A new key of the test network, created while the service runs. */
async function newKey(service: RunningService, user = 'ada@example.com'): Promise<string> {
  return (await createKey(service, '--user', user, '--network', 'test', '--name', 'wallet')).url
}

/** Sends a signal and waits for the next log line that contains a text. */
async function signalled(service: RunningService, text: string): Promise<Record<string, unknown>> {
  const before = service.output().err.length
  service.process.kill('SIGHUP')
  const line = await until(() => {
    const lines = service.output().err.slice(before).split('\n')
    return lines.slice(0, -1).find((candidate) => candidate.includes(text))
  })
  return JSON.parse(line)
}

const request = (method: string) => ({ jsonrpc: '2.0', id: 1, method, params: [] })
const balance = { ...request('eth_getBalance'), params: [`0x${'1'.repeat(40)}`, 'latest'] }
const nodes = { test: [first.url], main: [first.url] }

t.test('another secret is refused on the same database, unless the previous one is given', async (t) => {
  const data = join(await mkdtemp(join(folder, 'secret-')), 'data')
  const start = (CONCORDAT_SECRET: string, env = {}) =>
    startService({ command: 'serve', data, isChainless: true, env: { CONCORDAT_SECRET, ...env } })
  const [own, other] = ['the secret of these tests, long enough', 'another secret, long enough as well']
  const before = await start(own)
  const url = await newKey(before)
  const email = newAddress()
  const ada = createVisitor(before.origin)
  await ada.post('/signup', { email, password })
  const { html } = await ada.post('/account/second-factor', { setUpPassword: password })
  const [, factor = ''] = /secret=(\w+)/.exec(html) ?? []
  t.equal((await ada.post('/account/second-factor/confirm', { code: timeCode(factor) })).status, 200)
  await before.stop()
  const refused = await runInProcess(['serve', '--data', data, '--port', '0'], { CONCORDAT_SECRET: other })
  t.equal(refused.code, 2)
  t.match(refused.err, /encrypted with another CONCORDAT_SECRET.*CONCORDAT_SECRET_PREVIOUS/s)
  t.notMatch(refused.err, other)
  const after = await start(other, { CONCORDAT_SECRET_PREVIOUS: own })
  const { pathname } = new URL(url)
  t.equal(
    (await post(`${after.origin}${pathname}`, request('eth_chainId'))).status,
    200,
    'the key still works',
  )
  await after.stop()
  const again = await start(other)
  t.equal(
    (await post(`${again.origin}${pathname}`, request('eth_chainId'))).status,
    200,
    'and no longer needs the old one',
  )
  const elsewhere = createVisitor(again.origin)
  await elsewhere.post('/login', { email, password }, { from: '/login' })
  const code = timeCode(factor, Date.now() + 30_000)
  const { location } = await elsewhere.post('/login/code', { code }, { from: '/login/code' })
  t.equal(location, '/keys', 'nor does the second factor')
  await again.stop()
  const back = await runInProcess(['serve', '--data', data, '--port', '0'], { CONCORDAT_SECRET: own })
  t.equal(back.code, 2, 'the old secret is refused now')
})

t.test('the configuration file applies, without banner and development keys', async (t) => {
  const { service, url } = await serve(t, { nodes, publicUrls: { main: 'https://rpc.example.net/base' } })
  t.equal(service.networks.test.url, `${service.origin}/`)
  t.equal(service.networks.main.url, 'https://rpc.example.net/base/')
  t.equal((await post(url, request('eth_gasPrice'))).json.result, '0x1')
  const { out } = await runConcordat(['keys', 'list'], { CONCORDAT_DATA: service.data })
  t.notMatch(out, /demo@example\.com/)
  t.equal(await service.stop(), 0)
  t.equal(service.output().out, '')
  for (const line of service.output().err.trim().split('\n')) t.type(JSON.parse(line), 'object')
})

t.test('without nodes a development chain answers, and the log warns about it', async (t) => {
  const { service, url } = await serve(t, { nodes: { main: [first.url] } })
  t.equal((await post(url, request('eth_chainId'))).json.result, '0x1f')
  t.match((await post(url, request('eth_blockNumber'))).json.result, /^0x[0-9a-f]+$/)
  const lines = (await service.said('err', 'the service is ready')).trim().split('\n')
  const warnings = lines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg.includes('no nodes are configured'))
  t.match(warnings, [{ level: 40, network: 'test' }])
  t.equal(warnings.length, 1)
})

t.test('invalid input: one clear line, exit code 2', async (t) => {
  const file = join(folder, 'bad.yaml')
  await writeFile(file, 'nodes: { test: embedded }\nport: x\n')
  const rows: [string[], Record<string, string>, RegExp][] = [
    [['--config', join(folder, 'missing.yaml')], {}, /configuration file cannot be read: .*missing\.yaml/],
    [['--config', file], {}, /bad\.yaml:2:7 port must be/],
    [[], { DATABASE_URL: 'postgres://127.0.0.1/x' }, /CONCORDAT_SECRET \(in a file secret\) is required/],
    [['--config', ''], {}, /--config needs/],
    [['--confg', 'x'], {}, /--confg/],
  ]
  for (const [args, env, message] of rows) {
    const { code, out, err } = await runInProcess(['serve', '--data', join(folder, 'x'), ...args], env)
    t.equal(code, 2, args.join(' '))
    t.equal(out, '')
    t.match(err, message)
    t.equal(err.trim().split('\n').length, 1, err)
  }
})

t.test('SIGHUP reloads the configuration', async (t) => {
  const { service, write, url } = await serve(t, { nodes })

  await t.test('an invalid configuration leaves the previous one in force', async (t) => {
    for (const [broken, reason] of [
      ['nodes: [', /:1:\d+/],
      [{ nodes, logLevel: 'loud' }, /logLevel must be one of/],
    ] as const) {
      await write(broken)
      const line = await signalled(service, 'the previous one stays in effect')
      t.match(line, { level: 50, reason })
      t.equal((await post(url, request('eth_gasPrice'))).json.result, '0x1')
    }
    await write({ nodes: { test: 'embedded', main: [first.url] } })
    t.match(await signalled(service, 'need a restart'), { needRestart: ['nodes.test'] })
    await write({ nodes: { main: [first.url] }, host: 'localhost' })
    t.match(await signalled(service, 'need a restart'), {
      needRestart: ['host', 'metrics.host', 'nodes.test'],
    })
    await write({ nodes })
    t.match(await signalled(service, 'configuration reloaded'), { changed: [] }, 'unchanged')
    t.equal((await post(url, request('eth_gasPrice'))).json.result, '0x1')
  })

  await t.test('pending calls are finished by the node that received them', async (t) => {
    const slow = await startHeldNode(network)
    t.teardown(() => slow.close())
    await write({ nodes: { test: [slow.url], main: [first.url] } })
    await signalled(service, 'configuration reloaded')
    const underWay = post(url, balance)
    await slow.arrived('eth_getBalance')
    await write({ nodes })
    await signalled(service, 'configuration reloaded')
    slow.release('eth_getBalance', '0x3')
    t.equal((await underWay).json.result, '0x3')
  })

  await t.test(
    'nodes, requests per day and log level change at runtime, and other changes are reported',
    async (t) => {
      // A user without requests today.
      const url = await newKey(service, 'grace@example.com')
      await write({ nodes, limits: { requestsPerDay: 100 } })
      await signalled(service, 'configuration reloaded')
      t.equal((await post(url, request('eth_gasPrice'))).json.result, '0x1')
      const landing = async () => (await fetch(`${service.origin}/`)).text()
      t.match(await landing(), 'up to 100 requests per day')
      await write({
        nodes: { test: [{ url: second.url, name: 'second' }], main: [first.url] },
        limits: { requestsPerDay: 3 },
        logLevel: 'debug',
        publicUrls: { test: 'https://rpc.example.net' },
      })
      const line = await signalled(service, 'need a restart')
      t.same(line['needRestart'], ['publicUrls.test'])
      t.ok(await service.said('err', '"changed":["limits.requestsPerDay","logLevel","nodes.test"]'))
      const again = await signalled(service, 'need a restart')
      t.same(
        again['needRestart'],
        ['publicUrls.test'],
        'as long as it differs from the configuration in force',
      )
      const answer = await until(async () => {
        const answer = await post(url, request('eth_gasPrice'))
        return answer.status !== 200 && answer
      })
      t.match(answer.json, { error: { code: -32005, data: { limit: 3 } } })
      t.match(await landing(), 'up to 3 requests per day', 'users see the limit in force')
      const { headers } = answer
      t.ok(await service.said('err', headers.get('x-request-id') ?? 'no id'))
      t.ok(await service.said('err', /"level":20/), 'debugging')
    },
  )
})

t.test('tuning applies: batches to a node have the configured size', async (t) => {
  const node = await startNodeServer()
  t.teardown(() => node.close())
  const nodes = { test: [node.url], main: 'embedded' }
  const { url } = await serve(t, { nodes, tuning: { nodeBatchItems: 2 } })
  const balances = Array.from({ length: 9 }, (_, id) => ({
    ...{ jsonrpc: '2.0', id, method: 'eth_getBalance' },
    params: [`0x${`${id + 1}`.padStart(40, '0')}`, 'latest'],
  }))
  node.requests.length = 0
  const { json } = await post(url, balances)
  t.match(json, [{ result: '0x1' }, { result: '0x2' }])
  const sizes = node.requests.map(({ calls }) => calls.length)
  t.equal(Math.max(...sizes), 2, `${sizes}`)
})

t.test('connections are served up to the limit, and one more is refused', async (t) => {
  const connections = 3
  const { service, write } = await serve(
    t,
    { nodes, limits: { connections }, metrics: { port: 0 } },
    { CONCORDAT_LIMIT_CONNECTIONS_PER_ADDRESS: '' },
  )
  const { hostname, port } = new URL(service.origin)
  const head = 'OPTIONS /x HTTP/1.1\r\nhost: x\r\n\r\n'
  const open = async (): Promise<{ socket: Socket; isServed: boolean }> => {
    const socket = connect(Number(port), hostname).on('error', () => undefined)
    t.teardown(() => socket.destroy())
    socket.write(head)
    const isServed = await new Promise<boolean>((resolve) => {
      socket.once('data', () => resolve(true)).once('close', () => resolve(false))
    })
    return { socket, isServed }
  }
  // Connections of the test's own client may still be open.
  await until(async () => (await openNow()) === 0)
  const served = [await open(), await open(), await open()]
  t.same(
    served.map(({ isServed }) => isServed),
    [true, true, true],
  )
  t.equal((await open()).isServed, false)
  t.equal(await sample('concordat_connections_turned_away_total'), 1)
  served[0]?.socket.destroy()
  await until(async () => (await openNow()) < connections)
  t.equal((await open()).isServed, true, 'a released place is used again')
  await write({ nodes, limits: { connections: connections + 1 }, metrics: { port: 0 } })
  t.match(await signalled(service, 'configuration reloaded'), { changed: ['limits.connections'] })
  t.equal((await open()).isServed, true, 'more are served with a higher limit')
  await write({
    nodes,
    limits: { connections: 100, connectionsPerAddress: connections },
    metrics: { port: 0 },
  })
  const changed = ['limits.connections', 'limits.connectionsPerAddress']
  t.match(await signalled(service, 'configuration reloaded'), { changed })
  t.equal((await open()).isServed, false, 'one more of the same address')

  function openNow() {
    return sample('concordat_connections')
  }
  async function sample(name: string): Promise<number> {
    const text = await (await fetch(service.metrics ?? '')).text()
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
  }
})
