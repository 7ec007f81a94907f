import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { startConcordat } from '../support/concordat-process.js'
import { startHeldNode } from '../support/held-node.js'
import { gone, processesBelow } from '../support/processes.js'
import { call, cleanEnvironment, post, startService } from '../support/service.js'
import { until } from '../support/until.js'

const folder = await mkdtemp(join(tmpdir(), 'concordat-signals-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

// Most tests wait, one of them for ten seconds, so they run concurrently.
t.jobs = 3
const together = { buffered: true }

const gasPrice = { jsonrpc: '2.0', id: 1, method: 'eth_gasPrice', params: [] }
const blockNumber = { ...gasPrice, method: 'eth_blockNumber' }

/** `npm start` as typed in a terminal, in its own process group like a terminal's job. */
async function npmStart(name: string) {
  const ready = join(folder, `${name}.json`)
  const args = ['start', '--silent', '--', '--port', '0', '--data', join(folder, name), '--ready-file', ready]
  const child = spawn('npm', args, { detached: true, env: cleanEnvironment(), stdio: 'ignore' })
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>
  const { pid = 0 } = child
  await until(() => child.exitCode !== null || existsSync(ready))
  return { child, pid, ended, below: await processesBelow(pid) }
}

t.test(
  'SIGTERM to npm reaches the service, which exits with 0 and leaves no processes',
  together,
  async (t) => {
    const { child, ended, below } = await npmStart('term')
    t.equal(
      below.filter(({ command }) => /\/anvil --host/.test(command)).length >= 2,
      true,
      'both chains ran',
    )
    child.kill('SIGTERM')
    t.same(await ended, [0, null])
    for (const { pid } of below) await gone(pid)
  },
)

t.test(
  'Ctrl-C reaches the service twice, from the terminal and from npm, and counts once',
  together,
  async (t) => {
    const { pid, ended, below } = await npmStart('interrupt')
    process.kill(-pid, 'SIGINT')
    t.same(await ended, [0, null], 'a clean shutdown, not the immediate exit of a second Ctrl-C')
    for (const facts of below) await gone(facts.pid)
  },
)

t.test('a killed service takes its chains with it', together, async (t) => {
  const service = await startService()
  const below = await processesBelow(service.process.pid ?? 0)
  t.ok(below.length >= 2)
  await service.stop('SIGKILL')
  for (const { pid } of below) await gone(pid)
})

t.test('SIGHUP during shutdown loses no answer, and repeated ones end nothing', together, async (t) => {
  const node = await startHeldNode({ eth_chainId: '0x1f', eth_blockNumber: '0x10' })
  t.teardown(() => node.close())
  const service = await startService({
    env: { CONCORDAT_NODES_TEST: node.url, CONCORDAT_NODES_MAIN: node.url },
  })
  for (let time = 0; time < 50; time++) service.process.kill('SIGHUP')
  const answer = post(service.networks.test.url, gasPrice)
  await node.arrived('eth_gasPrice')
  const stopped = service.stop()
  const isReady = async () => (await fetch(`${service.origin}/readyz`)).status === 200
  await until(async () => !(await isReady().catch(() => false)))
  service.process.kill('SIGHUP')
  node.release('eth_gasPrice', '0x7')
  t.equal((await answer).json.result, '0x7')
  t.equal(await stopped, 0)
})

t.test(
  'SIGHUP before the service is ready does not end it, and reloads the configuration afterwards',
  together,
  async (t) => {
    const node = await startHeldNode({ eth_chainId: '0x1f', eth_blockNumber: '0x10' })
    t.teardown(() => node.close())
    const config = join(folder, 'config.fifo')
    await promisify(execFile)('mkfifo', [config])
    const ready = join(folder, 'early.json')
    const args = ['--config', config, '--port', '0', '--data', join(folder, 'early'), '--ready-file', ready]
    const service = startConcordat(['serve', ...args])
    t.teardown(() => service.stop('SIGKILL'))
    /** Opens the file once the service reads it; the service waits until it is closed. */
    const write = async (requestsPerDay: number, meanwhile: () => void = () => undefined) => {
      const file = await open(config, 'w')
      meanwhile()
      const settings = { nodes: { test: [node.url], main: [node.url] }, limits: { requestsPerDay } }
      await file.writeFile(JSON.stringify(settings))
      await file.close()
    }
    await write(5, () => service.child.kill('SIGHUP'))
    t.ok(await service.ready(ready), service.output().err)
    await write(4)
    t.ok(await service.said('err', '"changed":["limits.requestsPerDay"]'))
    t.equal(await service.stop(), 0)
  },
)

t.test('a node that never answers does not delay the shutdown beyond its deadline', together, async (t) => {
  const node = await startHeldNode({ eth_chainId: '0x1f', eth_blockNumber: '0x10' })
  t.teardown(() => node.close())
  const service = await startService({
    env: { CONCORDAT_NODES_TEST: node.url, CONCORDAT_NODES_MAIN: node.url },
  })
  const cut = post(service.networks.test.url, gasPrice).catch(({ cause }) => cause.code)
  await node.arrived('eth_gasPrice')
  const began = performance.now()
  t.equal(await service.stop(), 0)
  const seconds = (performance.now() - began) / 1000
  t.ok(seconds >= 9, `it waited for the answer until the deadline: ${seconds.toFixed(1)} s`)
  t.match(await cut, /ECONNRESET|UND_ERR_SOCKET/)
})

t.test(
  'a lost database ends the process with a clear line, and the next start keeps its data',
  together,
  async (t) => {
    const preload = join(folder, 'end-thread.mjs')
    const sign = join(folder, 'end-thread')
    await writeFile(
      preload,
      `import { existsSync } from 'node:fs'
    import { isMainThread } from 'node:worker_threads'
    if (!isMainThread) setInterval(() => existsSync(${JSON.stringify(sign)}) && process.exit(7), 20)`,
    )
    const data = join(folder, 'lost')
    const env = { NODE_OPTIONS: `--import=${preload}` }
    const service = await startService({ data, env, isChainless: true })
    const { pathname } = new URL(service.networks.test.url)
    const ended = once(service.process, 'exit')
    await writeFile(sign, '')
    t.same(await ended, [2, null])
    t.ok(await service.said('err', /"level":60.*the embedded database ended/))
    await service.stop()
    const next = await startService({ data, isChainless: true })
    t.teardown(() => next.stop())
    t.equal(new URL(next.networks.test.url).pathname, pathname)
    t.equal(await call(next.networks.test.url, 'eth_chainId'), '0x1f')
  },
)

t.test('a killed chain is logged and replaced', together, async (t) => {
  const service = await startService()
  t.teardown(() => service.stop())
  const { url } = service.networks.test
  const chains = async () =>
    (await processesBelow(service.process.pid ?? 0)).filter(({ command }) =>
      /anvil --host.*--chain-id 31/.test(command),
    )
  const [first] = await chains()
  // The chain is suspended before it is killed, so that its loss is visible even if the replacement starts quickly.
  process.kill(first?.pid ?? 0, 'SIGSTOP')
  const ready = async () => (await fetch(`${service.origin}/readyz`)).json()
  const health = await until(async () => {
    const found = await ready()
    return found.networks.test === 'no node' && found
  })
  t.match(health, { status: 'degraded', networks: { test: 'no node', main: 'ok' } })
  process.kill(first?.pid ?? 0, 'SIGKILL')
  await until(async () => (await post(url, blockNumber)).status === 200)
  t.match(await call(url, 'eth_blockNumber'), /^0x/)
  const err = await service.said('err', /"network":"test".*the development chain \(anvil\) exited/)
  t.equal(err.split('anvil').length, 2, 'once')
  const [second] = await chains()
  t.not(second?.pid, first?.pid)
})
