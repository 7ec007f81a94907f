import { once } from 'node:events'
import t from 'tap'
import { call, post, postHead, rawClient, startKeyed } from './server-harness.js'

/** Answers of calls, in order of arrival. */
const results = (text: string) => [...text.matchAll(/"result":([^}]+)\}/g)].map(([, result]) => result)
const request = (result: number) => post('/good', call('add', [result, 0], result))

t.test('plain and other requests on one connection are answered in order', async (t) => {
  const server = await startKeyed()
  t.teardown(() => server.app.close())
  const client = rawClient(server.port)
  const body = call('add', [3, 0], 3)
  const parts: readonly (readonly [string, RegExp])[] = [
    [request(1), /"result":1\}/],
    [request(2), /"result":2\}/],
    [
      `${postHead('/good', { 'transfer-encoding': 'chunked' })}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      /"result":3\}/,
    ],
    [request(4), /"result":4\}/],
  ]
  for (const [text, answer] of parts) {
    client.socket.write(text)
    await client.until(answer)
  }
  client.socket.end()
  const { text } = await client.closed
  t.same(results(text), ['1', '2', '3', '4'])
  t.equal(text.match(/HTTP\/1\.1 200 OK\r$/gm)?.length, 4)
  t.equal(text.match(/^date: .+ GMT\r$/gim)?.length, 4)
  t.equal(text.match(/^keep-alive: timeout=\d+\r$/gim)?.length, 4)
})

t.test('requests in one chunk, or split at any place, are answered in order', async (t) => {
  const server = await startKeyed()
  t.teardown(() => server.app.close())
  const text = request(1) + request(2)
  for (let cut = 1; cut <= text.length; cut += 7) {
    const client = rawClient(server.port)
    client.socket.setNoDelay(true)
    await once(client.socket, 'connect')
    client.socket.write(text.slice(0, cut))
    await new Promise(setImmediate)
    client.socket.end(text.slice(cut) + request(3))
    await client.until(/"result":3\}/)
    t.same(results((await client.closed).text), ['1', '2', '3'], `cut at ${cut}`)
  }
})

t.test('requests wait while an earlier one is answered, in any form', async (t) => {
  const waiting: (() => void)[] = []
  const server = await startKeyed({
    call: (_method, [value = null]) => new Promise((resolve) => waiting.push(() => resolve(value))),
  })
  t.teardown(() => server.app.close())
  const letGo = async () => {
    while (waiting.length === 0) await new Promise(setImmediate)
    waiting.shift()?.()
  }
  const client = rawClient(server.port)
  client.socket.write(request(1))
  while (waiting.length === 0) await new Promise(setImmediate)
  const [connection] = server.rpc.connections
  const second = request(2)
  client.socket.write(second.slice(0, 9))
  while (connection?.bytesRead !== request(1).length + 9) await new Promise(setImmediate)
  client.socket.write(second.slice(9) + request(3))
  await letGo()
  await client.until(/"result":1\}/)
  await letGo()
  await letGo()
  await client.until(/"result":3\}/)
  t.same(results(await client.until(/"result":3\}/)), ['1', '2', '3'])
  client.socket.end()
  await client.closed
})

t.test('an answer to a disconnected caller is dropped without an error', async (t) => {
  let answered = 0
  const server = await startKeyed({
    async call() {
      while (server.rpc.connections.size > 0) await new Promise(setImmediate)
      answered += 1
      return 1
    },
  })
  t.teardown(() => server.app.close())
  const client = rawClient(server.port)
  client.socket.write(request(1))
  while (![...server.rpc.connections].some(({ bytesRead }) => bytesRead > 0)) await new Promise(setImmediate)
  client.socket.resetAndDestroy()
  while (answered === 0) await new Promise(setImmediate)
  t.same(server.reports, [])
})

t.test('the length of non-ASCII text is counted in bytes', async (t) => {
  const server = await startKeyed({ call: () => 'é\u{1f600}' })
  t.teardown(() => server.app.close())
  const client = rawClient(server.port)
  client.socket.write(request(1))
  const text = Buffer.from(await client.until(/"result":"[^"]+"\}/), 'latin1').toString()
  const [head = '', body = ''] = text.split('\r\n\r\n')
  t.equal(body, '{"jsonrpc":"2.0","id":1,"result":"é\u{1f600}"}')
  t.match(head.toLowerCase(), `content-length: ${Buffer.byteLength(body)}`)
  client.socket.end()
})

t.test('bodies with non-ASCII or binary data are read as bytes', async (t) => {
  const server = await startKeyed()
  t.teardown(() => server.app.close())
  const client = rawClient(server.port)
  const received = (pattern: RegExp) =>
    client.until(pattern).then((text) => Buffer.from(text, 'latin1').toString())
  client.socket.write(post('/good', call('add', [1, 0], 'é\u{1f600}')))
  t.match(await received(/"result":1\}/), '"id":"é\u{1f600}"')
  const broken = Buffer.from([0x22, 0xff, 0x22])
  client.socket.write(Buffer.concat([Buffer.from(postHead('/good', { 'content-length': 3 })), broken]))
  await received(/HTTP\/1\.1 400[\s\S]+-32700/)
  client.socket.write(post('/good', call('add', [2, 0], 'plain')))
  t.match(await received(/"result":2\}/), '"id":"plain"')
  client.socket.end()
})
