import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import type { Fault, FaultHooks } from '../../../../src/judge/index.js'
import { createFaultyTransport } from '../../../../src/judge/selftest/faulty-connections.js'
import type { AttemptRequest } from '../../../../src/judge/send/connections.js'
import { createConnections } from '../../../../src/judge/send/http-attempt.js'

/** A request as the service received it. */
interface Got {
  readonly verb: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly from: string
}

const call = (id: string, method = 'a') => `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`

/** Answers each call with its method, compressed if the request accepts that. */
function respond({ verb, headers, body }: Got, response: ServerResponse): void {
  const text = body.replaceAll(/"method":("[^"]*")/g, '"result":$1')
  const isCompressed = headers['accept-encoding'] === 'gzip'
  const bytes = isCompressed ? gzipSync(text) : Buffer.from(text)
  response.writeHead(verb === 'GET' ? 405 : 200, {
    'content-length': bytes.length,
    ...(isCompressed && { 'content-encoding': 'gzip' }),
  })
  response.end(bytes)
}

/** Starts a service, and sends requests to it with a fault. */
async function faulty(t: Test, begin: () => FaultHooks, answer = respond) {
  const got: Got[] = []
  const server = createServer(async (incoming, response) => {
    const body = (await buffer(incoming)).toString()
    const { method: verb = '', url = '', headers, socket } = incoming
    const one = { verb, url, headers, body, from: socket.remoteAddress ?? '' }
    got.push(one)
    answer(one, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const fault: Fault = { name: 'own', rule: 'none', description: 'Something is wrong.', begin }
  const transport = createFaultyTransport(fault)
  const connections = transport.wrap(createConnections(2, true))
  t.teardown(() => {
    connections.close()
    server.closeAllConnections()
    server.close()
  })
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/key?a=1`)
  const limits = { maximumBytes: 10_000, timeoutMilliseconds: 60_000, signal: new AbortController().signal }
  const send = (request: Partial<Omit<AttemptRequest, 'body'>> & { readonly body?: string }) =>
    connections.attempt(
      { verb: 'POST', url, headers: {}, pauses: [], ...request, body: Buffer.from(request.body ?? '') },
      limits,
    )
  return { got, send, transport, limits }
}

const unchanged: FaultHooks = {
  request: (request) => request,
  call: (one) => one,
  answer: (answer) => answer,
  reply: (reply) => reply,
}

t.test('exchanges that a fault does not change pass as they are', async (t) => {
  const { got, send, transport } = await faulty(t, () => unchanged)
  for (const body of [call('12345678901234567890'), ` [${call('1.50')} , 7]`, '{', '']) {
    const { text, status, headers } = await send({ body, headers: { 'accept-encoding': 'gzip', 'x-a': '1' } })
    t.same([text, status], [body.replace('method', 'result'), 200])
    t.equal(headers['content-encoding'], 'gzip')
    t.match(got.at(-1), { verb: 'POST', url: '/key?a=1', body, headers: { 'x-a': '1' } })
  }
  t.same([transport.changes(), transport.troubles()], [0, []])
})

t.test('calls and answers are changed, compressed or not, and keep the digits of their ids', async (t) => {
  const { got, send, transport } = await faulty(t, () => ({
    call: (one) => (one.method === 'b' ? { ...one, method: 'c' } : one),
    answer: (answer, { method }) =>
      method === 'b' ? { ...answer, result: [answer.result ?? null] } : answer,
  }))
  for (const headers of [{}, { 'accept-encoding': 'gzip' }]) {
    const { text, headers: shown } = await send({
      body: `[${call('1')},${call('12345678901234567890', 'b')}]`,
      headers,
    })
    t.equal(
      text,
      '[{"jsonrpc":"2.0","id":1,"result":"a"},{"jsonrpc":"2.0","id":12345678901234567890,"result":["c"]}]',
    )
    t.equal(shown['content-length'], String(text?.length))
    t.equal(shown['content-encoding'], undefined)
  }
  t.match(got[0]?.body, '"method":"c"')
  t.equal(transport.changes(), 2)
})

t.test('whole replies are changed; their bodies are decoded, and HEAD has none', async (t) => {
  const { send } = await faulty(t, () => ({
    reply: (reply, { verb }) => {
      const body = gzipSync('page')
      const headers = ['X-A', '1', 'x-a', '2', 'Content-Encoding', 'gzip']
      return verb === 'POST' ? reply : { ...reply, status: 418, headers, body }
    },
  }))
  const expected = { status: 418, headers: { 'x-a': '1, 2', 'content-encoding': 'gzip' } }
  t.match(await send({ verb: 'GET' }), { ...expected, text: 'page' })
  t.match(await send({ verb: 'HEAD' }), { ...expected, text: '' })
})

t.test('a fault sees the first piece of a body, and its own requests have the same headers', async (t) => {
  const { got, send } = await faulty(t, () => ({
    request: (request) => ({ ...request, path: `/${Buffer.from(request.firstPiece)}` }),
    answer: async (answer, _call, ask) => ({ ...answer, result: (await ask('more', [])).result }),
  }))
  const body = call('1')
  const { text } = await send({ body, pauses: [{ at: 3, milliseconds: 1 }], headers: { 'x-a': '1' } })
  t.match(text, '"result":"more"')
  t.same(
    got.map(({ url, headers }) => [url, headers['x-a']]),
    [
      ['/%7B%22j', '1'],
      ['/key?a=1', '1'],
    ],
  )
})

t.test('each transport begins its fault with new state', async (t) => {
  const counting = () => {
    let answers = 0
    return { answer: (answer: object) => ({ ...answer, result: ++answers }) }
  }
  for (const _round of [1, 2]) {
    const { send } = await faulty(t, counting)
    t.match((await send({ body: call('1') })).text, '"result":1')
    t.match((await send({ body: call('1') })).text, '"result":2')
  }
})

t.test('an exception in a fault and a lost service are troubles, a timeout is none', async (t) => {
  const throwing = await faulty(t, () => ({
    reply() {
      throw new TypeError('a bug in the fault')
    },
  }))
  await t.rejects(throwing.send({ body: call('1') }), { message: 'a bug in the fault' })
  t.match(throwing.transport.troubles(), [{ message: 'a bug in the fault' }])
  const lost = await faulty(
    t,
    () => unchanged,
    (_, response) => response.destroy(),
  )
  await t.rejects(lost.send({ body: call('1') }))
  t.equal(lost.transport.troubles().length, 1)
  const silent = await faulty(
    t,
    () => unchanged,
    () => undefined,
  )
  Object.assign(silent.limits, { timeoutMilliseconds: 50 })
  await t.rejects(silent.send({ body: call('1') }))
  t.same(silent.transport.troubles(), [])
})
