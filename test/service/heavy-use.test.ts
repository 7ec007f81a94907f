import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { limits } from '../../generated/contract.js'
import { startHeldNode } from '../support/held-node.js'
import { awayFromMidnight } from '../support/midnight.js'
import { call, post, startService } from '../support/service.js'
import { until } from '../support/until.js'

/** Callers with heavy requests, disconnects or unusual HTTP: each is limited, and none affects another. */
const gasPrice = { jsonrpc: '2.0', id: 1, method: 'eth_gasPrice' }
const chainId = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }
/** A call about an account that the node holds until the test releases it. */
const heldCall = (method: string) =>
  JSON.stringify({ ...chainId, method, params: [`0x${'a1'.repeat(20)}`, 'latest'] })

const node = await startHeldNode({ eth_chainId: '0x1f', eth_blockNumber: '0x10' })
const {
  origin,
  networks,
  metrics,
  process: serving,
  stop,
} = await startService({
  env: { CONCORDAT_NODES_TEST: node.url, CONCORDAT_NODES_MAIN: node.url, CONCORDAT_METRICS_PORT: '0' },
})
const { url } = networks.test
t.teardown(async () => {
  node.close()
  await stop()
})

/** The bytes of a request. */
function bytes(url: string, body: string, version = '1.1', headers = '') {
  const head = `POST ${new URL(url).pathname} HTTP/${version}\r\nhost: x\r\n`
  return `${head}content-type: application/json\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

const open = (url: string) => connect(Number(new URL(url).port), '127.0.0.1')

/** Reads from a connection until the received text matches. */
async function readUntil(socket: Socket, wanted: RegExp | ((text: string) => boolean)): Promise<string> {
  let text = ''
  socket.setEncoding('utf8')
  const isWhole = wanted instanceof RegExp ? () => wanted.test(text) : () => wanted(text)
  while (!isWhole()) {
    const [chunk] = await once(socket, 'data')
    text += chunk
  }
  return text
}

/** The remaining requests in `RateLimit`. */
const left = ({ headers }: { headers: Headers }) =>
  Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])

/** Requests in the service's queue. */
async function queued(): Promise<number> {
  const text = await (await fetch(metrics ?? '')).text()
  return Number(/^concordat_queued_requests (\d+)$/m.exec(text)?.[1])
}
const untilQueued = (count: number) => until(async () => (await queued()) === count)

const atOnce = limits.requestsAtOncePerUser
/** The statuses of answers in the text of a connection. */
const statusesIn = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status))

/**
 * Sends requests of one body. They share few connections, because a request waits for at most `queueSeconds`. Within
 * this time, the service must have read all of them, even on a busy machine.
 * @returns the statuses of the answers, for each connection
 */
function send(count: number, body: string): Promise<readonly number[]>[] {
  const text = bytes(url, body)
  return Array.from({ length: Math.ceil(count / atOnce) }, async (_, at) => {
    const requests = Math.min(atOnce, count - at * atOnce)
    const socket = open(url)
    socket.write(text.repeat(requests))
    const answers = await readUntil(socket, (received) => statusesIn(received).length === requests)
    socket.destroy()
    return statusesIn(answers)
  })
}
const statusesOf = async (sent: readonly Promise<readonly number[]>[]) => (await Promise.all(sent)).flat()
/** So many answers with the status 200. */
const allAnswered = (count: number) => Array.from({ length: count }, () => 200)
const statusOf = async (answer: ReturnType<typeof post>) => [(await answer).status]

for (const [way, connections, each, method] of [
  ['on connections of their own', atOnce, 1, 'eth_gasPrice'],
  ['on one connection', 1, atOnce, 'eth_protocolVersion'],
] as const)
  t.test(`requests whose callers disconnect keep their places until the node answers, ${way}`, async (t) => {
    const leavers = Array.from({ length: connections }, () => open(url))
    const held = JSON.stringify({ ...gasPrice, method })
    for (const socket of leavers) socket.write(bytes(url, held).repeat(each))
    const waiting: Promise<readonly number[]>[] = []
    await until(async () => {
      waiting.push(statusOf(post(url, chainId)))
      return (await queued()) > 0
    })
    for (const socket of leavers) socket.resetAndDestroy()
    node.release(method, '0x1')
    t.same(await statusesOf(waiting), allAnswered(waiting.length))
  })

t.test('the queue accepts requests up to its limit, and one more is refused free of charge', async (t) => {
  await awayFromMidnight()
  const before = left(await post(url, chainId))
  const body = heldCall('eth_getBalance')
  const count = atOnce + limits.queuedRequestsPerUser
  const sent = send(count, body)
  await untilQueued(limits.queuedRequestsPerUser)
  const refused = await post(url, body)
  t.equal(refused.status, 429)
  t.match(refused.json, { id: 1, error: { code: -32005 } })
  t.equal(refused.headers.get('retry-after'), '1')
  t.match(refused.headers.get('ratelimit-policy'), /^"daily"/)
  node.release('eth_getBalance', '0x1')
  t.same(await statusesOf(sent), allAnswered(count))
  t.equal(before - left(await post(url, chainId)) - 1, count, 'answered requests are charged')
})

t.test('requests are not charged when the caller leaves the queue', async (t) => {
  await awayFromMidnight()
  const before = left(await post(url, chainId))
  const body = heldCall('eth_getCode')
  const held = send(atOnce + 1, body)
  await untilQueued(1)
  const [alone, ahead, pipelined] = [open(url), open(url), open(url)]
  alone.write(bytes(url, body))
  ahead.write(bytes(url, body))
  pipelined.write(bytes(url, body).repeat(10))
  await untilQueued(13)
  // The first two requests prove that the service has read both, once its metrics show them.
  for (let sent = 0; sent < 2; sent++) {
    ahead.write(bytes(url, body))
    await queued()
  }
  for (const socket of [alone, pipelined]) socket.resetAndDestroy()
  ahead.destroy()
  await untilQueued(1)
  node.release('eth_getCode', '0x')
  t.same(await statusesOf(held), allAnswered(atOnce + 1))
  t.equal(before - left(await post(url, chainId)) - 1, atOnce + 1)
})

t.test('waiting bodies are limited in bytes', async (t) => {
  const body = heldCall('eth_getTransactionCount')
  const held = send(atOnce + 1, body)
  await untilQueued(1)
  const room = limits.queuedBytesPerUser - Buffer.byteLength(body)
  const sizes = [limits.bodyBytes, limits.bodyBytes, limits.bodyBytes, room - 3 * limits.bodyBytes]
  const fitting = sizes.map((size) => statusOf(post(url, body.padEnd(size))))
  await untilQueued(5)
  t.equal((await post(url, body)).status, 429)
  node.release('eth_getTransactionCount', '0x1')
  t.same(await statusesOf([...held, ...fitting]), allAnswered(atOnce + 1 + sizes.length))
})

t.test(
  'a batch may contain logs up to the contract’s size, and further calls are refused with advice',
  async (t) => {
    const service = await startService()
    t.teardown(() => service.stop())
    const { url } = service.networks.test
    const head = Number(await call(url, 'eth_blockNumber'))
    const params = [{ fromBlock: `0x${(head - 1999).toString(16)}` }]
    const alone = await post(url, { ...chainId, method: 'eth_getLogs', params })
    t.equal(alone.status, 200)
    const fit = Math.floor((16 * 1024 * 1024) / alone.text.length)
    t.ok(fit < 20, 'the chain has enough logs for this test')
    const batch = Array.from({ length: 20 }, (_, id) => ({ ...chainId, id, method: 'eth_getLogs', params }))
    const { status, json } = await post(url, [...batch, { ...chainId, id: 20 }])
    t.equal(status, 200)
    const codes = json.map((item: { error?: { code: number } }) => item.error?.code)
    t.equal(
      codes.filter((code: number | undefined) => code === undefined).length,
      fit + 1,
      'the fitting items, and the last item',
    )
    t.equal(codes.filter((code: number | undefined) => code === -32602).length, 20 - fit)
    t.equal(json[20].result, '0x1f')
  },
)

t.test('a connection is still usable after every kind of error', async (t) => {
  const socket = open(url)
  t.teardown(() => socket.destroy())
  const rows: [string, number][] = [
    [bytes(url, '{'), 400],
    [bytes(url, '[]'), 400],
    [bytes(url, '['.repeat(70)), 400],
    [bytes(url, `[${Array(limits.batchItems + 1).fill(1)}]`), 413],
    [bytes(url, '{"jsonrpc":"2.0","id":1,"method":"nope"}'), 200],
    [bytes(url, 'x', '1.1', 'content-encoding: gzip\r\n'), 415],
    [bytes(`${origin}/unknown`, '{}'), 401],
    [bytes(`${origin}/v2`, '{}'), 401],
    [`GET ${new URL(url).pathname} HTTP/1.1\r\nhost: x\r\n\r\n`, 405],
    ['GET /a/b HTTP/1.1\r\nhost: x\r\n\r\n', 401],
    ['DELETE /a/b HTTP/1.1\r\nhost: x\r\n\r\n', 401],
    [bytes(url, JSON.stringify(chainId)), 200],
  ]
  for (const [request, status] of rows) {
    socket.write(request)
    const text = await readUntil(socket, /\r\n\r\n.*}$/s)
    const what = request.split('\r\n')[0] ?? ''
    t.match(text, `HTTP/1.1 ${status} `, what)
    t.match(text, /\r\ncontent-type: application\/json\r\naccess-control-allow-origin: \*\r\n/, what)
    t.match(text, /\r\n\r\n{"jsonrpc":"2.0","id":/, what)
  }
})

t.test('a request in single bytes, and one by HTTP/1.0, are answered', async (t) => {
  const slow = open(url).setNoDelay()
  for (const byte of bytes(url, JSON.stringify(chainId))) {
    slow.write(byte)
    await new Promise(setImmediate)
  }
  t.match(await readUntil(slow, /}$/), '{"jsonrpc":"2.0","id":1,"result":"0x1f"}')
  slow.destroy()
  const old = open(url)
  old.write(bytes(url, JSON.stringify(chainId), '1.0'))
  const text = await readUntil(old, /}$/)
  t.match(text, /^HTTP\/1\.1 200 [\s\S]*connection: close/i)
  await once(old, 'close')
})

t.test('pipelined requests are answered in order', async (t) => {
  const socket = open(url)
  const count = 40
  const method = (id: number) => (id % 3 === 0 ? 'eth_blockNumber' : 'eth_chainId')
  for (let id = 0; id < count; id++)
    socket.write(bytes(url, JSON.stringify({ ...chainId, id, method: method(id) })))
  const text = await readUntil(socket, new RegExp(`"id":${count - 1},"result":"[^"]+"}$`))
  t.same(
    [...text.matchAll(/"id":(\d+),"result"/g)].map(([, id]) => Number(id)),
    [...Array(count).keys()],
  )
  socket.destroy()
})

t.test('connections are established while the event loop is busy', async (t) => {
  const pid = serving.pid ?? 0
  process.kill(pid, 'SIGSTOP')
  t.teardown(() => process.kill(pid, 'SIGCONT'))
  const sockets = Array.from({ length: 1_000 }, () => open(url))
  t.teardown(() => sockets.forEach((socket) => void socket.destroy()))
  // The system would hold back connections beyond the backlog of the listening socket.
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  process.kill(pid, 'SIGCONT')
  const last = sockets.at(-1) as Socket
  last.write(bytes(url, JSON.stringify(chainId)))
  t.match(await readUntil(last, /\}$/), /"result":"0x1f"/)
})
