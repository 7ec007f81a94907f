import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { startHeldNode } from '../support/held-node.js'
import { awayFromMidnight } from '../support/midnight.js'
import { post, startService } from '../support/service.js'
import { until } from '../support/until.js'

const folder = await mkdtemp(join(tmpdir(), 'concordat-health-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))
const answers = { eth_chainId: '0x1f', eth_blockNumber: '0x10' }
const request = (method: string) => ({ jsonrpc: '2.0', id: 1, method, params: [] })

/** The response of a health path: status and body. */
async function say(origin: string, path: string) {
  const response = await fetch(`${origin}${path}`)
  const body = (await response.json()) as {
    readonly status: string
    readonly networks: Readonly<Record<string, string>>
  }
  return { status: response.status, body }
}

t.test(
  'ready with every node, with those of one network, and without any: another process would have none either',
  async (t) => {
    const [test, main] = [
      await startHeldNode(answers),
      await startHeldNode({ ...answers, eth_chainId: '0x1e' }),
    ]
    const service = await startService({
      env: { CONCORDAT_NODES_TEST: test.url, CONCORDAT_NODES_MAIN: main.url },
    })
    t.teardown(() => service.stop())
    t.match(await say(service.origin, '/healthz'), { status: 200, body: { status: 'ok' } })
    t.match(await say(service.origin, '/readyz'), {
      status: 200,
      body: { status: 'ok', networks: { test: 'ok', main: 'ok' }, database: 'ok' },
    })
    main.close()
    const changed = (isUnchanged: (answer: Awaited<ReturnType<typeof say>>) => boolean) =>
      until(async () => {
        const answer = await say(service.origin, '/readyz')
        return !isUnchanged(answer) && answer
      })
    t.match(await changed(({ body }) => body.status === 'ok'), {
      status: 200,
      body: { status: 'degraded', networks: { test: 'ok', main: 'no node' } },
    })
    test.close()
    t.match(await changed(({ body }) => body.networks['test'] === 'ok'), {
      status: 200,
      body: { status: 'degraded', networks: { test: 'no node', main: 'no node' } },
    })
    t.equal((await say(service.origin, '/healthz')).status, 200)
  },
)

t.test('a network whose only node is syncing is served, and says so everywhere', async (t) => {
  const syncing = { startingBlock: '0x0', currentBlock: '0x10', highestBlock: '0x100' }
  const node = await startHeldNode({ ...answers, eth_syncing: syncing, eth_gasPrice: '0x1' })
  const main = await startHeldNode({ ...answers, eth_chainId: '0x1e' })
  const service = await startService({
    env: { CONCORDAT_NODES_TEST: node.url, CONCORDAT_NODES_MAIN: main.url, CONCORDAT_METRICS_PORT: '0' },
  })
  t.teardown(async () => {
    await service.stop()
    node.close()
    main.close()
  })
  t.match(await say(service.origin, '/readyz'), {
    status: 200,
    body: { status: 'degraded', networks: { test: 'syncing', main: 'ok' } },
  })
  t.match((await post(service.networks.test.url, request('eth_gasPrice'))).json, { result: '0x1' })
  const metrics = await (await fetch(`${service.metrics}`)).text()
  t.match(metrics, 'concordat_node_state{network="test",node="test-1",state="syncing"} 1')
  t.match(metrics, 'concordat_node_state{network="test",node="test-1",state="ok"} 0')
  t.ok(await service.said('err', '"readiness":"syncing"'))
  t.ok(await service.said('err', 'a node is syncing'))
  const page = await (await fetch(new URL('/status', service.origin))).text()
  t.match(page, 'Parts of the service are degraded.')
  t.match(page, 'degraded: the nodes are syncing, and blocks are missing')
})

t.test('shutdown: no new connections, pending requests are answered, and leases are returned', async (t) => {
  await awayFromMidnight()
  const node = await startHeldNode(answers)
  t.teardown(() => node.close())
  const data = join(folder, 'data')
  const env = { CONCORDAT_NODES_TEST: node.url, CONCORDAT_NODES_MAIN: node.url }
  const service = await startService({ data, env })
  const { url } = service.networks.test
  const inFlight = post(url, request('eth_gasPrice'))
  await node.arrived('eth_gasPrice')
  const ended = service.stop()
  const ready = await until(() =>
    say(service.origin, '/readyz').then(
      (answer) => answer.status !== 200 && answer,
      () => 'refused' as const,
    ),
  )
  if (ready !== 'refused') t.match(ready, { status: 503, body: { status: 'draining' } })
  node.release('eth_gasPrice', '0x1')
  const answer = await inFlight
  t.equal(answer.status, 200)
  t.equal(await ended, 0)
  const next = await startService({ data, env })
  t.teardown(() => next.stop())
  const { headers } = await post(next.networks.test.url, request('eth_chainId'))
  t.match(headers.get('ratelimit'), '"daily";r=24998;', 'two requests were used, and no others')
})
