import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createConnection } from 'node:net'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { type HandlerCall, type JsonValue, type MethodDescriptor, RpcError } from '../../src/rpc/index.js'
import { createFetchHandler } from '../../src/server/fetch/index.js'
import { createService, type ErrorReport, type ServiceOptions } from '../../src/server/index.js'
import { mountWebSocket, type WebSocketOptions } from '../../src/server/web-socket/index.js'
import { until } from '../support/until.js'
import { method } from '../unit/server/calculator.js'
import { call } from './server-harness.js'
import { listening } from './transport-harness.js'

const isAnything = () => undefined
const isNumber = (value: unknown) => (typeof value === 'number' ? undefined : 'must be a number')
const isText = (value: unknown) => (typeof value === 'string' ? undefined : 'must be a string')
const id = { name: 'subscription', check: isText }

const withExtensions = <Own extends MethodDescriptor['extensions']>(
  own: MethodDescriptor,
  extensions: Own,
) => ({
  ...own,
  extensions,
})

/** A contract with a subscription, and with methods in both directions. */
const methods = {
  count: withExtensions(method('count', [{ name: 'to', check: isNumber }], { result: isText }), {
    'x-subscription': { notification: 'counted', unsubscribe: 'stop', end: 'ended' },
  } as const),
  counted: withExtensions(
    method('counted', [id, { name: 'result', check: isNumber }], {
      structure: 'by-name',
      notification: true,
    }),
    { 'x-direction': 'serverToClient' } as const,
  ),
  ended: withExtensions(method('ended', [id], { structure: 'by-name', notification: true }), {
    'x-direction': 'serverToClient',
  } as const),
  stop: method('stop', [id], { result: isAnything }),
  double: withExtensions(method('double', [{ name: 'value', check: isNumber }]), {
    'x-direction': 'serverToClient',
  } as const),
  quadruple: method('quadruple', [{ name: 'value', check: isNumber }]),
  wait: method('wait', [], { result: isAnything }),
}

interface ClientMethods {
  readonly double: { readonly params: { readonly value: number }; readonly result: number }
}

type Count = (
  params: { to: number },
  context: undefined,
  call: HandlerCall,
) => AsyncIterable<JsonValue> | Promise<never>

function create(count: Count, options: Partial<ServiceOptions<typeof methods, undefined>> = {}) {
  const reports: ErrorReport<undefined>[] = []
  const aborted: string[] = []
  const waiting: (() => void)[] = []
  const service = createService<typeof methods, undefined>({
    methods,
    handlers: {
      count,
      quadruple: async ({ value }: { value: number }, _: undefined, { peer }: HandlerCall<ClientMethods>) =>
        2 * (await peer.request('double', { value })),
      wait: (_: object, __: undefined, { signal }: HandlerCall) =>
        new Promise<null>((resolve) => {
          waiting.push(() => resolve(null))
          signal.addEventListener('abort', () => {
            aborted.push(signal.reason.name)
            resolve(null)
          })
        }),
    },
    onError: (report) => {
      reports.push(report)
    },
    ...options,
  })
  return { service, reports, aborted, waiting }
}

interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: { readonly subscription: string; readonly result: number }
  readonly result?: unknown
  readonly error?: { readonly code: number }
}

type Service = ReturnType<typeof create>['service']

/** A WebSocket to a service, with everything that it received. */
async function connect(t: Test, service: Service, options: Partial<WebSocketOptions<undefined>> = {}) {
  const server = createHttpServer()
  const endpoint = mountWebSocket(server, { service, path: '/ws', ...options })
  const origin = await listening(t, server)
  t.teardown(() => endpoint.close())
  const socket = new WebSocket(`ws://${origin}/ws`)
  t.teardown(() => socket.terminate())
  const received: Message[] = []
  socket.on('message', (data) => received.push(JSON.parse(String(data))))
  await once(socket, 'open')
  const find = (test: (message: Message) => unknown) => until(() => received.find(test))
  return { socket, received, find, endpoint, origin, send: (text: string) => socket.send(text) }
}

/** Counts to a number, and records how the generator ended. */
function counter(ends: string[], delivered: number[] = []): Count {
  return async function* ({ to }, _, { signal }) {
    try {
      for (let at = 1; at <= to && !signal.aborted; at++) {
        delivered.push(at)
        yield at
      }
      await new Promise<void>((resolve) => {
        if (signal.aborted || to < 10) resolve()
        else signal.addEventListener('abort', () => resolve())
      })
    } finally {
      ends.push(signal.aborted ? 'aborted' : 'done')
    }
  }
}

t.test('the answer comes first, then every item in order, then the end', async (t) => {
  const ends: string[] = []
  const { send, received, find } = await connect(t, create(counter(ends)).service)
  send(call('count', [3]))
  await find(({ method }) => method === 'ended')
  const subscription = received[0]?.result
  t.match(subscription, /^0x[1-9a-f][0-9a-f]{31}$/)
  t.match(received, [
    { id: 1 },
    ...[1, 2, 3].map((result) => ({ method: 'counted', params: { subscription, result } })),
    { method: 'ended', params: { subscription } },
  ])
  t.equal(received.length, 5)
  t.same(ends, ['done'])
})

t.test('a subscription ends on unsubscribe, and its id is unknown afterwards', async (t) => {
  const ends: string[] = []
  const { send, find, received } = await connect(t, create(counter(ends)).service)
  send(call('count', [10], 1))
  await find(({ params }) => params?.result === 10)
  send(call('stop', [received[0]?.result], 2))
  t.equal((await find(({ id }) => id === 2)).result, true)
  await until(() => ends.length > 0)
  t.same(ends, ['aborted'])
  send(call('stop', [received[0]?.result], 3))
  t.equal((await find(({ id }) => id === 3)).result, false)
  t.notOk(received.some(({ method }) => method === 'ended'))
})

t.test('subscriptions and calls end on disconnect', async (t) => {
  const ends: string[] = []
  const { service, aborted, waiting, reports } = create(counter(ends))
  const { send, find, socket } = await connect(t, service)
  send(`[${call('count', [10], 1)},${call('count', [11], 2)}]`)
  await find(({ params }) => params?.result === 11)
  send(call('wait', []))
  await until(() => waiting.length > 0)
  socket.terminate()
  await until(() => ends.length === 2 && aborted.length === 1)
  t.same([ends, aborted], [['aborted', 'aborted'], ['AbortError']])
  t.same(reports, [])
})

t.test('a refused subscription is an error, and an invalid item ends it and is reported', async (t) => {
  const refused = create(() => Promise.reject(new RpcError({ code: 9, message: 'No' })))
  const one = await connect(t, refused.service)
  one.send(call('count', [1]))
  t.match(await one.find(({ id }) => id === 1), { error: { code: 9 } })
  const broken = create(async function* () {
    yield 1
    yield 'no number'
  })
  const two = await connect(t, broken.service)
  two.send(call('count', [1]))
  await until(() => broken.reports.length > 0)
  t.match(broken.reports, [{ method: 'count', cause: { message: /must be a number/ } }])
  two.send(call('quadruple', ['x'], 2))
  await two.find(({ id }) => id === 2)
  t.equal(two.received.filter(({ method }) => method === 'counted').length, 1)
})

t.test('a slow reader gets items one by one, and is disconnected when it reads nothing', async (t) => {
  const ends: string[] = []
  let delivered = 0
  const count: Count = async function* (_, __, { signal }) {
    try {
      for (; !signal.aborted; delivered++) yield 0.5
    } finally {
      ends.push('ended')
    }
  }
  const { service } = create(count, { limits: { answerStallSeconds: 1 } })
  const { send, socket, endpoint } = await connect(t, service)
  socket.pause()
  send(call('count', [1]))
  const [own] = await until(() => endpoint.connections.size > 0 && [...endpoint.connections])
  let highest = 0
  await until(() => {
    highest = Math.max(highest, own?.bufferedAmount ?? 0)
    return ends.length > 0
  })
  t.ok(delivered > 0)
  t.ok(highest < 100_000, `${highest} bytes wait in the process`)
  await until(() => endpoint.connections.size === 0)
})

t.test('the server calls the client, and responses are never answered', async (t) => {
  const { service } = create(counter([]))
  const { send, find, received } = await connect(t, service)
  send(call('quadruple', [3], 'q'))
  const { id } = await find(({ method }) => method === 'double')
  send(JSON.stringify({ jsonrpc: '2.0', id, result: 6 }))
  t.equal((await find((message) => message.id === 'q')).result, 12)
  send(JSON.stringify({ jsonrpc: '2.0', id: 99, result: 6 }))
  send(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: 1, message: 'x' } }))
  send(call('quadruple', [3], 'r'))
  const second = await find((message) => message.method === 'double' && message.id !== id)
  send(JSON.stringify({ jsonrpc: '2.0', id: second.id, error: { code: 5, message: 'no' } }))
  t.match(await find((message) => message.id === 'r'), { error: { code: 5 } })
  t.equal(received.length, 4)
  send(call('double', [1], 's'))
  t.match(await find((message) => message.id === 's'), { error: { code: -32601 } }, 'clients cannot call it')
})

t.test('over HTTP there are no subscriptions and no peer', async (t) => {
  const { service, reports } = create(counter([]))
  const handle = createFetchHandler({ service })
  const post = async (body: string) => {
    const headers = { 'content-type': 'application/json' }
    return (await handle(new Request('http://localhost/', { method: 'POST', headers, body }))).json()
  }
  t.match(await post(call('count', [1])), { error: { code: -32601, message: /needs a connection/ } })
  t.match(await post(call('stop', ['0x1'])), { result: false })
  t.match(await post(call('quadruple', [1])), { error: { code: -32603 } })
  t.match(reports, [{ cause: { name: 'PeerClosedError' } }])
})

t.test('a message over the limit closes its connection', async (t) => {
  const { service } = create(counter([]), { limits: { bodyBytes: 100 } })
  const { socket, send, find } = await connect(t, service)
  send(call('stop', ['x'.repeat(100 - call('stop', ['']).length)]))
  t.match(await find(({ id }) => id === 1), { result: false })
  send(' '.repeat(101))
  const [code] = await once(socket, 'close')
  t.equal(code, 1009)
})

t.test('a connection handles a bounded number of messages at once', async (t) => {
  const { service, waiting } = create(counter([]))
  const { send, received } = await connect(t, service, { messagesAtOnce: 2 })
  for (const at of [1, 2, 3]) send(call('wait', [], at))
  send(call('stop', ['0x1'], 4))
  await until(() => waiting.length === 2)
  // The paused connection reads nothing until the time of a round trip to another connection has passed.
  const other = await connect(t, service)
  other.send(call('stop', ['0x1'], 5))
  await other.find(({ id }) => id === 5)
  t.equal(waiting.length, 2)
  t.same(received, [])
  for (const release of waiting) release()
  await until(() => waiting.length === 3)
  waiting[2]?.()
  await until(() => received.length === 4)
  t.same(received.map(({ id }) => id).sort(), [1, 2, 3, 4])
})

t.test('a connection at its bound still gets the responses that its handlers await', async (t) => {
  const { service } = create(counter([]))
  const { send, find } = await connect(t, service, { messagesAtOnce: 1 })
  send(call('quadruple', [2], 'q'))
  const { id } = await find(({ method }) => method === 'double')
  send(call('stop', ['0x1'], 'over'))
  t.match(await find((message) => message.id === 'over'), { error: { code: -32000 } })
  send(JSON.stringify({ jsonrpc: '2.0', id, result: 4 }))
  t.match(await find((message) => message.id === 'q'), { result: 8 })
})

t.test('the end of the server answers the messages in hand and closes connections', async (t) => {
  const { service } = create(counter([]))
  const { socket, send, find, endpoint, origin } = await connect(t, service)
  send(call('quadruple', [2], 'q'))
  const { id } = await find(({ method }) => method === 'double')
  const closed = endpoint.close()
  send(call('stop', ['0x1'], 'late'))
  send(JSON.stringify({ jsonrpc: '2.0', id, result: 4 }))
  const [code] = await once(socket, 'close')
  t.equal(code, 1001)
  await closed
  t.match(await find((message) => message.id === 'q'), { result: 8 })
  t.match(await find((message) => message.id === 'late'), { error: { code: -32002 } })
  await t.rejects(once(new WebSocket(`ws://${origin}/ws`), 'open'), { message: /404/ })
})

t.test('a context function refuses connections, and other paths are not touched', async (t) => {
  const server = createHttpServer((_, response) => response.end('home'))
  const { service } = create(counter([]))
  const context = () => {
    throw new RpcError({ code: -32001, message: 'Unauthorized', httpStatus: 401 })
  }
  const one = mountWebSocket(server, { service, path: '/one', context })
  const two = mountWebSocket(server, { service, path: '/two' })
  t.teardown(() => Promise.all([one.close(), two.close()]))
  t.throws(() => mountWebSocket(server, { service, path: '/two' }), { name: 'TypeError' })
  const origin = await listening(t, server)
  await t.rejects(once(new WebSocket(`ws://${origin}/one`), 'open'), { message: /401/ })
  await t.rejects(once(new WebSocket(`ws://${origin}/three`), 'open'), { message: /404/ })
  const socket = new WebSocket(`ws://${origin}/two?key=1`)
  await once(socket, 'open')
  socket.send(call('stop', ['0x1']))
  t.match(JSON.parse(String((await once(socket, 'message'))[0])), { result: false })
  t.equal(await (await fetch(`http://${origin}/two`)).text(), 'home')
  server.on('upgrade', ({ url }, other) => {
    if (url === '/three') other.end('HTTP/1.1 418 Own\r\n\r\n')
  })
  await t.rejects(
    once(new WebSocket(`ws://${origin}/three`), 'open'),
    { message: /418/ },
    'the application has its own',
  )
})

t.test('a broken frame closes only its connection', async (t) => {
  const { service } = create(counter([]))
  const { origin, send, find } = await connect(t, service)
  const [host, port] = origin.split(':')
  const raw = createConnection({ host, port: Number(port) })
  const head = ['GET /ws HTTP/1.1', 'Host: x', 'Upgrade: websocket', 'Connection: Upgrade']
  raw.write(
    [...head, 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==', '', ''].join(
      '\r\n',
    ),
  )
  await once(raw, 'data')
  raw.resume()
  raw.write(Buffer.from([0xff, 0xff, 0xff, 0xff]))
  await once(raw, 'close')
  send(call('stop', ['0x1']))
  t.match(await find(({ id }) => id === 1), { result: false })
})
