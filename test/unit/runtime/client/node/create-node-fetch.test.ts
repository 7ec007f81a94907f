import { getEventListeners, once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { createServer, Agent as HttpsAgent } from 'node:https'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { createNodeFetch } from '../../../../../src/runtime/client/node/index.js'
import { until } from '../../../../support/until.js'
import { type Answer, caught, clientOf, json, serve } from '../rpc-server.js'

const answer = JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'é'.repeat(5_000) })

/** Sends one request without a client. */
const send = (url: string, signal: AbortSignal, headers: Record<string, string> = {}) =>
  createNodeFetch()(url, { method: 'POST', headers, body: '{}', signal, redirect: 'manual' })

/** The listeners of a signal. */
const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length

t.test('an answer is decompressed, whatever its coding', async (t) => {
  const rows: readonly [string, Buffer][] = [
    ['gzip', gzipSync(answer)],
    ['GZIP', gzipSync(answer)],
    ['deflate', deflateSync(answer)],
    ['br', brotliCompressSync(answer)],
    ['identity', Buffer.from(answer)],
    ['unknown', Buffer.from(answer)],
    ['constructor', Buffer.from(answer)],
    ['__proto__', Buffer.from(answer)],
  ]
  for (const [coding, bytes] of rows) {
    const { url, all } = await serve(
      t,
      (_, response) => void response.writeHead(200, { 'content-encoding': coding }).end(bytes),
    )
    t.equal(await clientOf(url, { fetch: createNodeFetch() }).add(1), 'é'.repeat(5_000), coding)
    t.equal(all[0]?.request.headers['accept-encoding'], 'gzip, deflate, br')
  }
})

t.test('a broken or truncated compression is an error, and an empty body is an empty answer', async (t) => {
  const cut = (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)
  const rows: readonly [string, Buffer, object][] = [
    ['gzip', Buffer.from(answer), { kind: 'network' }],
    ['gzip', cut(gzipSync(answer)), { kind: 'http', message: /no JSON-RPC/ }],
    ['br', cut(brotliCompressSync(answer)), { kind: 'http', message: /no JSON-RPC/ }],
    ['gzip', Buffer.alloc(0), { kind: 'http', message: /HTTP 200 without a body/ }],
    ['br', Buffer.alloc(0), { kind: 'http', message: /HTTP 200 without a body/ }],
  ]
  for (const [coding, bytes, want] of rows) {
    const { url } = await serve(
      t,
      (_, response) => void response.writeHead(200, { 'content-encoding': coding }).end(bytes),
    )
    t.match(await caught(clientOf(url, { fetch: createNodeFetch() }).add(1)), want, coding)
  }
})

t.test('connections are used again, except that of an answer that is not read to its end', async (t) => {
  const answers: Answer[] = [
    json({ jsonrpc: '2.0', id: 1, result: 1 }),
    json({ jsonrpc: '2.0', id: 2, result: 2 }),
    (_, response) => void response.writeHead(307).write('x'),
    json({ jsonrpc: '2.0', id: 4, result: 4 }),
  ]
  const { url, all } = await serve(t, (came, response) => answers.shift()?.(came, response))
  const client = clientOf(url, { fetch: createNodeFetch() })
  t.same([await client.add(1), await client.add(1)], [1, 2])
  t.match(await caught(client.add(1)), { httpStatus: 307 })
  t.equal(await client.add(1), 4)
  const ports = all.map(({ request }) => request.socket)
  t.ok(ports[0] === ports[1] && ports[1] === ports[2], 'one connection')
  t.ok(ports[2]?.closed && ports[3] !== ports[2], 'another one after the redirect')
})

t.test('a signal has no listener after the answer, or after an error', async (t) => {
  const rows: Readonly<Record<string, [Answer, RegExp?]>> = {
    'an answer': [json({})],
    'a reset': [(_, response) => void response.socket?.destroy(), /socket hang up/],
    'a broken body': [(_, response) => void response.write('{', () => response.socket?.destroy()), /aborted/],
    'another protocol': [
      ({ request: { socket } }) =>
        void socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      /switched protocols \(HTTP 101\)/,
    ],
    'no HTTP': [({ request: { socket } }) => void socket.write('SSH-2.0\r\n'), /Parse Error/],
  }
  for (const [name, [reply, message]] of Object.entries(rows)) {
    const { url } = await serve(t, reply)
    const { signal } = new AbortController()
    const read = send(url, signal).then((answered) => answered.text())
    if (message) t.match(await caught(read), { message }, name)
    else t.equal(await read, '{}', name)
    await until(() => listeners(signal) === 0)
  }
})

t.test("an aborted request rejects with the signal's reason and closes its connection", async (t) => {
  const { url, server } = await serve(t, () => void server.emit('held'))
  for (const reason of [undefined, new Error('enough')]) {
    const controller = new AbortController()
    const { signal } = controller
    const held = once(server, 'held')
    const connected = once(server, 'connection')
    const sent = caught(send(url, signal))
    const [socket] = await connected
    await held
    controller.abort(reason)
    t.equal(await sent, signal.reason)
    if (!socket.closed) await once(socket, 'close')
    await until(() => listeners(signal) === 0)
  }
  const before = caught(send(url, AbortSignal.abort('before')))
  t.equal(await before, 'before', 'nothing is sent')
})

t.test('an aborted answer whose body was not read ends without an uncaught error', async (t) => {
  for (const coding of ['gzip', 'identity']) {
    const { url, all } = await serve(t, (_, response) => {
      response.writeHead(200, { 'content-encoding': coding }).write(gzipSync(answer).subarray(0, 30))
    })
    const controller = new AbortController()
    t.equal((await send(url, controller.signal)).status, 200, coding)
    controller.abort()
    const socket = all[0]?.request.socket
    if (socket && !socket.closed) await once(socket, 'close')
    await until(() => listeners(controller.signal) === 0)
  }
})

t.test('headers of the request are sent, and those of the answer are found in any case', async (t) => {
  const { url, all } = await serve(t, json({}, 200, { 'X-Limit': '5', 'set-cookie': 'a=1' }))
  const { headers, text } = await send(url, new AbortController().signal, { 'accept-encoding': 'identity' })
  t.equal(await text(), '{}')
  t.match(all[0]?.request.headers, { 'accept-encoding': 'identity', 'content-length': '2' })
  t.same([headers.get('x-limit'), headers.get('X-LIMIT'), headers.get('x-none')], ['5', '5', null])
})

t.test('an agent opens the connections, also those of https', async (t) => {
  const { url } = await serve(t, json({ jsonrpc: '2.0', id: 1, result: 'plain' }))
  const agent = new Agent({ keepAlive: true })
  const sent = clientOf(url, { fetch: createNodeFetch({ agent }) }).add(1)
  t.same((await Promise.all([sent, once(agent, 'free')]))[0], 'plain')

  const file = (name: string) => readFile(new URL(`../../../../fixtures/tls/${name}.pem`, import.meta.url))
  const [key, cert] = [await file('key'), await file('certificate')]
  const secure = createServer({ key, cert }, (_, response) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'secure' })),
  ).listen(0, '127.0.0.1')
  await once(secure, 'listening')
  t.teardown(() => promisify(secure.close.bind(secure))())
  const address = `https://127.0.0.1:${(secure.address() as AddressInfo).port}/`
  t.match(await caught(clientOf(address, { fetch: createNodeFetch() }).add(1)), {
    kind: 'network',
    message: /certificate/,
  })
  const trusting = new HttpsAgent({ rejectUnauthorized: false })
  t.equal(await clientOf(address, { fetch: createNodeFetch({ agent: trusting }) }).add(1), 'secure')
})
