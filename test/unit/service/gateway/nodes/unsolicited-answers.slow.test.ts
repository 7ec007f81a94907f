import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import type { NodeAnswer } from '../../../../../src/service/gateway/nodes/index.js'
import type { NodeServerCall } from '../../../../support/node-server.js'
import { startNodeServer } from '../../../../support/node-server.js'
import { until } from '../../../../support/until.js'
import { address, balance, settings, unchecked, upstreamOf } from '../../../../support/upstream-of.js'

/** Results of calls that no test makes. */
const foreignBalance = '0xdeadbeef'
const foreignHead = '0xffffff'

/** The time at which the second response to a request is sent. */
type Moment = 'with the first' | 'while the connection is idle' | 'when the next request arrives'

interface RawNode {
  readonly url: string
  /** The id of each second response, given that of the previous call; undefined omits the member. */
  idOf: (id: number) => unknown
  moment: Moment
  /** Second responses that are still to be sent. */
  left: number
  /** Second responses that were sent. */
  sent: number
}

const answers: Readonly<Record<string, [own: string, foreign: string]>> = {
  eth_chainId: ['0x1f', '0x1f'],
  eth_blockNumber: ['0x64', foreignHead],
}

const resultsOf = ({ method, params }: NodeServerCall): readonly [own: string, foreign: string] =>
  answers[method] ?? [`0x${Number(params[0]).toString(16)}`, foreignBalance]

const http = (body: unknown) => {
  const text = JSON.stringify(body)
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`
}

/** Starts a node that answers every request, and then sends a second, unsolicited result. */
async function startRawNode(t: Test, changes: Partial<RawNode> = {}): Promise<RawNode> {
  const sockets = new Set<Socket>()
  const answer = (socket: Socket, pending: { text: string }, body: NodeServerCall | NodeServerCall[]) => {
    socket.write(pending.text)
    pending.text = ''
    const calls = [body].flat()
    const own = calls.map((call) => ({ jsonrpc: '2.0', id: call.id, result: resultsOf(call)[0] }))
    const foreign = calls.map((call) => ({
      jsonrpc: '2.0',
      id: node.idOf(call.id),
      result: resultsOf(call)[1],
    }))
    const [first, second] = [own, foreign].map((list) => http(Array.isArray(body) ? list : list[0]))
    const isDoubled = node.left > 0
    if (isDoubled) {
      node.left--
      node.sent++
    }
    if (isDoubled && node.moment === 'with the first') socket.write(`${first}${second}`)
    else socket.write(first ?? '')
    if (isDoubled && node.moment === 'while the connection is idle')
      setImmediate(() => socket.write(second ?? ''))
    if (isDoubled && node.moment === 'when the next request arrives') pending.text = second ?? ''
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    let text = ''
    const pending = { text: '' }
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      for (;;) {
        const at = text.indexOf('\r\n\r\n') + 4
        const end = at + Number(/content-length: (\d+)/i.exec(text)?.[1])
        if (at < 4 || text.length < end) return
        const body = JSON.parse(text.slice(at, end))
        text = text.slice(end)
        answer(socket, pending, body)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const node: RawNode = {
    url: `http://127.0.0.1:${port}`,
    idOf: (id) => id,
    moment: 'when the next request arrives',
    left: Number.POSITIVE_INFINITY,
    sent: 0,
    ...changes,
  }
  return node
}

const settingsOf = ({ url }: RawNode) => ({ name: 'raw', url, weight: 1, headers: {}, timeoutMs: 60_000 })

const moments: readonly Moment[] = [
  'with the first',
  'while the connection is idle',
  'when the next request arrives',
]
const ids: Readonly<Record<string, RawNode['idOf']>> = {
  'no id': () => undefined,
  'id null': () => null,
  'id "null"': () => 'null',
  'the id of the call before': (id) => id,
}

t.test('a second response to a request is never the result of another call', async (t) => {
  let [foreign, own, sent] = [0, 0, 0]
  for (const moment of moments) {
    for (const [why, idOf] of Object.entries(ids)) {
      const node = await startRawNode(t, { moment, idOf, left: 0 })
      const settings = { ...unchecked, failures: Number.POSITIVE_INFINITY }
      const upstream = upstreamOf(t, [], { nodes: [settingsOf(node)], settings })
      await upstream.ready()
      node.left = Number.POSITIVE_INFINITY
      const wrong: NodeAnswer[] = []
      for (let round = 0; round < 25; round++) {
        const asked = [1, 2, 3, 4, 5, 6].map((n) => round * 6 + n)
        const methods = asked.map((n) => (n % 2 === 0 ? 'eth_getBalance' : 'eth_getTransactionCount'))
        const outcomes = await Promise.allSettled(
          asked.map((n, at) => upstream.call(methods[at] ?? '', [address(n), 'latest'])),
        )
        outcomes.push(...(await Promise.allSettled([balance(upstream, 7_000 + round)])))
        const wanted = [...asked, 7_000 + round].map((n) => `0x${n.toString(16)}`)
        for (const [at, outcome] of outcomes.entries()) {
          if (outcome.status === 'rejected') t.match(outcome.reason, { code: -32603 })
          else if (outcome.value.result === wanted[at]) own++
          else wrong.push(outcome.value)
        }
      }
      t.strictSame(wrong, [], `${moment}, ${why}`)
      foreign += wrong.length
      sent += node.sent
    }
  }
  t.comment(`${foreign} foreign and ${own} own results, ${sent} second responses`)
  t.ok(sent > 500 && own > 500)
})

t.test('a second response to a check never moves the head', async (t) => {
  for (const idOf of Object.values(ids)) {
    const node = await startRawNode(t, { idOf })
    const upstream = upstreamOf(t, [], {
      nodes: [settingsOf(node)],
      settings: { ...settings, checkEveryMs: 1, checkAgainMs: 1 },
    })
    await until(() => node.sent >= 30)
    t.not(upstream.head(), BigInt(foreignHead))
  }
})

t.test('another node is asked when a connection delivers the answer to another call', async (t) => {
  const raw = await startRawNode(t)
  const honest = await startNodeServer()
  const upstream = upstreamOf(t, [honest], {
    nodes: [settingsOf(raw), honest.settings()],
    settings: unchecked,
  })
  await until(() => upstream.status().every(({ state }) => state === 'ok'))
  for (let number = 1; number <= 50; number++)
    t.strictSame(await balance(upstream, number), { result: `0x${number.toString(16)}` })
})

t.test('a connection that is out of step is not used again', async (t) => {
  const node = await startRawNode(t, { left: 0 })
  const upstream = upstreamOf(t, [], { nodes: [settingsOf(node)], settings: unchecked })
  await upstream.ready()
  await balance(upstream, 1)
  node.left = 1
  await balance(upstream, 2)
  for (let number = 3; number <= 50; number++)
    t.strictSame(await balance(upstream, number), { result: `0x${number.toString(16)}` })
})
