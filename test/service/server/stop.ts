import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { until } from '../../support/until.js'
import {
  call,
  type KeyedServer,
  post,
  postHead,
  type Received,
  rawClient,
  startKeyed,
} from './server-harness.js'

/** A shutdown that waits for it is not clean. */
const DEADLINE = 60_000
/** Gives connected clients a quarter of a minute to learn about the shutdown. */
const LONG_DEADLINE = 600_000

/** A server whose calls wait until the test releases them. */
async function startHeld() {
  const waiting: (() => void)[] = []
  let arrived: (() => void) | undefined
  const server = await startKeyed({
    call: (_method, [value = null]) =>
      new Promise((resolve) => {
        waiting.push(() => resolve(value))
        arrived?.()
      }),
  })
  const inFlight = async (count: number) => {
    while (waiting.length < count) {
      await new Promise<void>((resolve) => {
        arrived = resolve
      })
    }
  }
  const letGo = () => {
    for (const go of waiting.splice(0)) go()
  }
  return { ...server, inFlight, letGo }
}

const stop = (server: Pick<KeyedServer, 'stop'>, deadlineMilliseconds = DEADLINE) =>
  server.stop(deadlineMilliseconds)

t.test('pending requests are answered, and then the server is gone', async (t) => {
  const server = await startHeld()
  const clients = Array.from({ length: 5 }, () => rawClient(server.port))
  for (const [id, { socket }] of clients.entries()) socket.write(post('/good', call('echo', ['x'], id)))
  await server.inFlight(5)
  const idle = rawClient(server.port)
  const stopped = stop(server)
  await until(() => !server.app.server.listening)
  server.letGo()
  for (const [id, { closed }] of clients.entries()) {
    const { text, error } = await closed
    t.match(text, new RegExp(`200 OK[\\s\\S]*"id":${id},"result":"x"}$`))
    t.match(text.toLowerCase(), 'connection: close')
    t.equal(error, undefined)
  }
  t.same(await stopped, { clean: true })
  await idle.closed
  const late = rawClient(server.port)
  t.equal((await late.closed).error, 'ECONNREFUSED')
})

for (const fastLane of [true, false])
  t.test(`connections that arrived before the shutdown are answered, fast lane ${fastLane}`, async (t) => {
    const server = await startKeyed({}, true, fastLane)
    const clients = Array.from({ length: 100 }, () => rawClient(server.port))
    for (const [id, { socket }] of clients.entries()) socket.write(post('/good', call('add', [1, 2], id)))
    // A turn of the event loop connects them all, and accepts only some.
    await new Promise(setImmediate)
    t.ok(server.rpc.connections.size < clients.length)
    t.same(await stop(server), { clean: true })
    for (const [id, { closed }] of clients.entries()) {
      const { text, error } = await closed
      t.match(text, new RegExp(`"id":${id},"result":3}$`))
      t.equal(error, undefined)
    }
  })

t.test('during shutdown new connections are refused, and requests on open ones are answered', async (t) => {
  const server = await startHeld()
  const [old, kept, other] = [rawClient(server.port), rawClient(server.port), rawClient(server.port)]
  old.socket.write(post('/good', call('echo', ['old'])))
  await server.inFlight(1)
  const stopped = stop(server)
  await until(() => !server.app.server.listening)
  t.equal((await rawClient(server.port).closed).error, 'ECONNREFUSED')
  kept.socket.write(post('/good', call('echo', ['new'])))
  other.socket.write(post('/bad', '{'))
  await server.inFlight(2)
  server.letGo()
  for (const [{ closed }, status] of [
    [kept, 200],
    [other, 401],
  ] as const) {
    const { text, error } = await closed
    t.match(text, `HTTP/1.1 ${status} `)
    t.match(text.toLowerCase(), /connection: close\r\n/)
    t.equal(error, undefined)
  }
  t.match((await old.closed).text, '"result":"old"')
  t.same(await stopped, { clean: true })
})

t.test('a body that is still arriving when the shutdown begins is answered', async (t) => {
  const server = await startKeyed()
  const { socket, closed, until: received } = rawClient(server.port)
  const body = call('add', [1, 2])
  socket.write(postHead('/good', { 'content-length': body.length, expect: '100-continue' }))
  await received(/100 Continue/)
  const stopped = stop(server)
  socket.write(body)
  t.match((await closed).text, '"result":3')
  t.same(await stopped, { clean: true })
})

t.test('clients that keep sending on one connection lose no request', async (t) => {
  const server = await startKeyed()
  const clients = Array.from({ length: 10 }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  const send = (agent: Agent) => sendOnce(server.url, agent)
  t.same(new Set(await Promise.all(clients.map(send))), new Set(['200']), 'all are connected')
  const sendUntilTold = async (agent: Agent): Promise<string[]> => {
    const outcomes: string[] = []
    while ((outcomes.at(-1) ?? '200') === '200') outcomes.push(await send(agent))
    agent.destroy()
    return outcomes
  }
  const told = clients.map(sendUntilTold)
  // The share of the deadline for notices outlasts any stall of the machine. It ends once all clients are notified.
  t.same(await stop(server, LONG_DEADLINE), { clean: true })
  for (const outcomes of await Promise.all(told)) t.match(outcomes.join(' '), /^(?:200 )+ECONNREFUSED$/)
})

/** The status of the answer to a call, or the error code instead. */
function sendOnce(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json' }
    const sent = request(`${url}/good`, { method: 'POST', agent, headers })
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)))
    sent.on('response', (response) => {
      response.resume()
      response.on('error', (error: NodeJS.ErrnoException) => resolve(`cut: ${error.code}`))
      response.on('end', () => resolve(String(response.statusCode)))
    })
    sent.end(call('later', [1]))
  })
}

t.test('requests that are pending at the deadline are cancelled', async (t) => {
  const server = await startHeld()
  const { socket, closed } = rawClient(server.port)
  socket.write(post('/good', call('echo', ['x'])))
  await server.inFlight(1)
  t.same(await stop(server, 200), { clean: false })
  t.equal((await closed).text, '')
  server.letGo()
})

t.test('a connection that never sends anything does not delay the shutdown', async (t) => {
  const server = await startKeyed()
  const silent = rawClient(server.port)
  const used = rawClient(server.port)
  used.socket.write(post('/good', call('add', [1, 2])))
  await used.until(/"result":3/)
  t.same(await stop(server), { clean: true })
  await Promise.all([silent.closed, used.closed])
})

/** Sends a request from another thread while this thread blocks, so that the server cannot accept the connection. */
function sendUnseen(port: number, request: string): Promise<Received> {
  const isSent = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const client = new Worker(
    `const { connect } = require('node:net')
    const { parentPort, workerData: { port, request, isSent } } = require('node:worker_threads')
    let text = '', error
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('data', (chunk) => { text += chunk })
    socket.on('error', ({ code }) => { error = code })
    socket.on('close', () => parentPort.postMessage({ text, error }))
    socket.write(request, () => {
      Atomics.store(isSent, 0, 1)
      Atomics.notify(isSent, 0)
    })`,
    { eval: true, execArgv: [], workerData: { port, request, isSent } },
  )
  Atomics.wait(isSent, 0, 0, DEADLINE)
  return once(client, 'message').then(([received]) => received)
}

t.test(
  'a request that was sent before the shutdown is answered, though its connection was not accepted yet',
  async (t) => {
    const server = await startKeyed()
    const received = sendUnseen(server.port, post('/good', call('add', [1, 2])))
    t.equal(server.rpc.connections.size, 0)
    t.same(await stop(server), { clean: true })
    const { text, error } = await received
    t.match(text, /^HTTP\/1.1 200[\s\S]*"result":3/)
    t.equal(error, undefined)
  },
)

t.test('without connections the shutdown does not wait', async (t) => {
  const server = await startKeyed()
  t.same(await stop(server), { clean: true })
})
