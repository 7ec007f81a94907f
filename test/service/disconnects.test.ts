import t from 'tap'
import { startHeldNode } from '../support/held-node.js'
import { createKey } from '../support/keys.js'
import { post, startService } from '../support/service.js'
import { until } from '../support/until.js'

/** A user who disconnects causes no more work at a node than one who waits. */

/** The most requests for one user that a node has at once. */
const atNode = 32
/** More than the connections of two users. Closed ones would be replaced with others. */
const connections = 2 * atNode
/** The most requests of one user that the service works on at once. */
const atOnce = 64
const requests = 100

const node = await startHeldNode({ eth_chainId: '0x1f', eth_blockNumber: '0x10' })
const service = await startService({
  env: {
    CONCORDAT_NODES_TEST: node.url,
    CONCORDAT_NODES_MAIN: node.url,
    CONCORDAT_METRICS_PORT: '0',
    CONCORDAT_LOG_LEVEL: 'silent',
  },
})
t.teardown(async () => {
  node.close()
  await service.stop()
})

const result = `0x${'1'.padStart(64, '0')}`
let calls = 0

/** Sends a call that no other call shares an answer with. Resolves to its status; 0 after a disconnect. */
async function send(url: string, signal?: AbortSignal): Promise<number> {
  const to = `0x${(++calls).toString(16).padStart(40, '0')}`
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ to }, 'latest'] })
  const headers = { 'content-type': 'application/json' }
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal: signal ?? null })
    await response.text()
    return response.status
  } catch {
    return 0
  }
}

const sendMany = (url: string, signal?: AbortSignal) =>
  Array.from({ length: requests }, () => send(url, signal))

/** Number of requests that wait for a place. */
async function queued(): Promise<number> {
  const text = await (await fetch(service.metrics ?? '')).text()
  return Number(/^concordat_queued_requests (\d+)$/m.exec(text)?.[1])
}

t.test(
  'calls of disconnected callers keep their turns, places and connections until the node answers',
  async (t) => {
    const { url } = service.networks.test
    const other = await createKey(
      service,
      '--user',
      'other@example.net',
      '--network',
      'test',
      '--name',
      'other',
    )
    const leaving = new AbortController()
    const left = sendMany(url, leaving.signal)
    await until(async () => node.held('eth_call') === atNode && (await queued()) === requests - atOnce)
    leaving.abort()
    t.strictSame(new Set(await Promise.all(left)), new Set([0]))

    const staying = sendMany(url)
    const waiting = requests - (atOnce - atNode)
    await until(async () => node.held('eth_call') > atNode || (await queued()) === waiting)
    t.equal(node.held('eth_call'), atNode, 'the user has its share already')
    const others = send(other.url)
    await until(() => node.held('eth_call') === atNode + 1)

    node.release('eth_call', result)
    t.equal(await others, 200)
    t.strictSame(new Set(await Promise.all(staying)), new Set([200]))
    t.ok(node.connections('eth_call') <= connections, `${node.connections('eth_call')} connections`)
    t.equal((await post(url, { jsonrpc: '2.0', id: 1, method: 'eth_chainId' })).status, 200)
  },
)
