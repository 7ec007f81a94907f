import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createConnection } from 'node:net'
import t from 'tap'
import { WebSocket } from 'ws'
import { RpcError } from '../../../src/runtime/rpc/index.js'
import { createFetchHandler } from '../../../src/runtime/server/fetch/index.js'
import { mountWebSocket } from '../../../src/runtime/server/web-socket/index.js'
import { until } from '../../support/until.js'
import { connect, counter, create } from './connection-harness.js'
import { call } from './server-harness.js'
import { listening } from './transport-harness.js'

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

t.test('a refused connection gets the headers of its error and of the reports', async (t) => {
  const { service, waiting } = create(counter([]), { onRequest: () => ({ 'x-id': '1' }) })
  const { origin, send, endpoint } = await connect(t, service, {
    context({ url }) {
      if (url === '/ws?busy')
        throw new RpcError({ code: -32005, message: 'Busy', httpStatus: 429, retryAfterSeconds: 7 })
      return undefined
    },
  })
  const refused = async (query: string) => {
    const [, { statusCode, headers }] = await once(
      new WebSocket(`ws://${origin}/ws${query}`),
      'unexpected-response',
    )
    return { statusCode, headers }
  }
  const own = { 'content-type': 'application/json', 'x-id': '1' }
  t.match(await refused('?busy'), { statusCode: 429, headers: { ...own, 'retry-after': '7' } })
  send(call('wait', [], 1))
  await until(() => waiting.length > 0)
  const closed = endpoint.close()
  t.match(await refused(''), { statusCode: 503, headers: { ...own, 'retry-after': '1' } }, 'while it stops')
  waiting.shift()?.()
  await closed
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

t.test('a connection that does not answer pings is ended, and others are kept', async (t) => {
  const { service, aborted, waiting } = create(counter([]))
  const { origin, send, find, endpoint, socket } = await connect(t, service, { pingSeconds: 1 })
  let pings = 0
  socket.on('ping', () => {
    pings += 1
  })
  const dead = new WebSocket(`ws://${origin}/ws`, { autoPong: false })
  await once(dead, 'open')
  dead.send(call('wait', [], 1))
  await until(() => waiting.length > 0)
  t.equal(endpoint.connections.size, 2)
  await once(dead, 'close')
  await until(() => aborted.length > 0)
  t.same(aborted, ['AbortError'], 'the signal fires')
  const before = pings
  await until(() => pings >= before + 2)
  send(call('stop', ['0x1'], 2))
  await find((message) => message.id === 2)
  t.equal(endpoint.connections.size, 1)
})

t.test('a connection that is not read is not pinged', async (t) => {
  const { service, waiting } = create(counter([]))
  const { send, find, socket } = await connect(t, service, { pingSeconds: 0.5, messagesAtOnce: 1 })
  send(call('wait', [], 1))
  send(call('wait', [], 2))
  await until(() => waiting.length > 0)
  let pings = 0
  socket.on('ping', () => {
    pings += 1
  })
  // Another endpoint shows the time in which two pings would have been sent.
  const other = await connect(t, service, { pingSeconds: 1 })
  for (let at = 0; at < 2; at++) await once(other.socket, 'ping')
  t.equal(pings, 0)
  waiting.shift()?.()
  await until(() => waiting.length > 0)
  waiting.shift()?.()
  await find((message) => message.id === 2)
  await until(() => pings > 1)
})

t.test('the interval of pings is a positive number of seconds, or off', (t) => {
  const { service } = create(counter([]))
  const mount = (pingSeconds: number | false) =>
    mountWebSocket(createHttpServer(), { service, path: '/', pingSeconds })
  for (const invalid of [0, -1, Number.NaN, 2_147_484])
    t.throws(() => mount(invalid), { name: 'RangeError', message: /pingSeconds/ })
  for (const valid of [0.001, 30, 2_147_483, false] as const) t.doesNotThrow(() => mount(valid).close())
  t.end()
})

/** Sends requests as text, and returns everything that comes back until the other side closes. */
async function raw(origin: string, text: string): Promise<string> {
  const [host, port] = origin.split(':')
  const socket = createConnection({ host, port: Number(port) })
  socket.write(text)
  let received = ''
  for await (const chunk of socket) received += String(chunk)
  return received
}

t.test('a request to upgrade to another protocol is answered as HTTP', async (t) => {
  const server = createHttpServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const { upgrade, connection, 'http2-settings': settings } = request.headers
    response.end(JSON.stringify([request.method, request.url, body, upgrade, settings, connection]))
  })
  const endpoint = mountWebSocket(server, { service: create(counter([])).service, path: '*' })
  t.teardown(() => endpoint.close())
  const origin = await listening(t, server)
  const h2c = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAEAAEAAAAIAAAAB']
  const post = (body: string) => ['POST /a HTTP/1.1', 'Host: x', `Content-Length: ${body.length}`]
  const last = 'GET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  const long = 'y'.repeat(300_000)
  for (const body of ['', 'hello', long]) {
    const text = await raw(origin, `${[...post(body), ...h2c].join('\r\n')}\r\n\r\n${body}${last}`)
    t.match(text, /^HTTP\/1.1 200 /)
    t.ok(text.includes(JSON.stringify(['POST', '/a', body, null, null, null])), `a body of ${body.length}`)
    t.ok(text.includes('["GET","/b"'), 'the next request of the connection is answered, too')
  }
  const closing = [...post('z'), ...h2c, 'Connection: close'].join('\r\n')
  const text = await raw(origin, `${closing}\r\n\r\nz`)
  t.match(text, /connection: close/i)
  t.ok(text.includes(JSON.stringify(['POST', '/a', 'z', null, null, 'close'])))
  const chunked = ['POST /c HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked', 'Connection: close', ...h2c]
  const answer = await raw(origin, `${chunked.join('\r\n')}\r\n\r\n3\r\nabc\r\n0\r\n\r\n`)
  t.ok(answer.includes('["POST","/c","abc"'))
  const socket = new WebSocket(`ws://${origin}/`)
  await once(socket, 'open')
  socket.terminate()
})
