import { once } from 'node:events'
import t, { type Test } from 'tap'
import { type JsonSource, RawJsonStream } from '../../../src/runtime/rpc/index.js'
import { call, post, rawClient, startKeyed } from './server-harness.js'

const lastChunk = '\r\n0\r\n\r\n'

/** A server with streamed answers. */
async function startStreaming(t: Test, next: () => Promise<Uint8Array | undefined>, answerStallSeconds = 30) {
  let cancelled = () => undefined as unknown
  const isCancelled = new Promise<void>((resolve) => {
    cancelled = resolve
  })
  const source: JsonSource = { next, cancel: () => cancelled() }
  const server = await startKeyed({ limits: { answerStallSeconds }, call: () => new RawJsonStream(source) })
  t.teardown(() => server.app.close())
  return { server, isCancelled }
}

/** Yields the chunks one after another, and fails after them on request. */
function giving(texts: readonly string[], failure?: Error) {
  const left = [...texts]
  return async () => {
    await new Promise(setImmediate)
    const text = left.shift()
    if (text === undefined && failure !== undefined) throw failure
    return text === undefined ? undefined : Buffer.from(text)
  }
}

t.test('the answer ends with the last chunk, and the connection stays open', async (t) => {
  const { server } = await startStreaming(t, giving(['[1,', '2]']))
  const client = rawClient(server.port)
  client.socket.write(post('/good', call('add', [1, 2])))
  const text = await client.until(/\r\n0\r\n\r\n$/)
  t.match(text, /^HTTP\/1\.1 200 OK\r\n/)
  t.match(text.toLowerCase(), 'transfer-encoding: chunked')
  t.match(text, 'RateLimit: "daily";r=9;t=60')
  t.notMatch(text.toLowerCase(), 'content-length')
  t.match(text, '{"jsonrpc":"2.0","id":1,"result":')
  t.equal(server.rpc.connections.size, 1)
  client.socket.end()
  await client.closed
})

t.test('a failure during streaming closes the connection without the last chunk', async (t) => {
  const { server, isCancelled } = await startStreaming(t, giving(['[1,'], new TypeError('broken')))
  const client = rawClient(server.port)
  client.socket.write(post('/good', call('add', [1, 2])))
  const { text } = await client.closed
  t.match(text, '[1,')
  t.notOk(text.endsWith(lastChunk))
  t.match(server.reports, [{ kind: 'handlerFailed' }])
  await isCancelled
})

const piece = Buffer.alloc(65_536, 'x')

t.test('streaming stops when the caller disconnects or stalls', async (t) => {
  for (const leaves of [true, false]) {
    let given = 0
    const endless = async () => {
      given += piece.length
      return piece
    }
    const { server, isCancelled } = await startStreaming(t, endless, leaves ? 30 : 0.3)
    const client = rawClient(server.port)
    client.socket.pause()
    client.socket.write(post('/good', call('add', [1, 2])))
    if (leaves) {
      client.socket.resume()
      await once(client.socket, 'data')
      client.socket.destroy()
    }
    await isCancelled
    while (server.rpc.connections.size > 0) await new Promise(setImmediate)
    const before = given
    await new Promise(setImmediate)
    t.equal(given, before, leaves ? 'one who left' : 'a stalled caller')
    client.socket.destroy()
  }
})

t.test('an answer that arrives after the disconnect is not read', async (t) => {
  let answer: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  let cancelled: () => void = () => undefined
  const isCancelled = new Promise<void>((resolve) => {
    cancelled = resolve
  })
  let reads = 0
  const source: JsonSource = {
    async next() {
      reads++
      return undefined
    },
    cancel: () => cancelled(),
  }
  let arrived: () => void = () => undefined
  const hasArrived = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const server = await startKeyed({
    async call() {
      arrived()
      await held
      return new RawJsonStream(source)
    },
  })
  t.teardown(() => server.app.close())
  const client = rawClient(server.port)
  client.socket.write(post('/good', call('add', [1, 2])))
  await hasArrived
  client.socket.destroy()
  while (server.rpc.connections.size > 0) await new Promise(setImmediate)
  answer()
  await isCancelled
  t.equal(reads, 0)
})
