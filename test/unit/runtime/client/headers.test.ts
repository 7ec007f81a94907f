import t from 'tap'
import type { Middleware } from '../../../../src/runtime/client/index.js'
import { type Answer, type Came, caught, clientOf, json, key, type SmallClient, serve } from './rpc-server.js'

const echo: Answer = ({ sent, batch }, response) => {
  const answered = (one: Came['sent']) => ({ jsonrpc: '2.0', id: one.id, result: one.params })
  response.end(JSON.stringify(batch.length > 0 ? batch.map(answered) : answered(sent)))
}

t.test('a function gives the headers of each request, and a call has headers of its own', async (t) => {
  const { url, all } = await serve(t, echo)
  let count = 0
  const headers = async () => ({ authorization: `Bearer token-${++count}`, 'X-Own': 'client' })
  const client = clientOf(url, { headers })
  await client.add(1)
  await client.add(2, 2, 2, { headers: { 'x-own': 'call', traceparent: 't' } })
  const fixed = clientOf(url, { headers: { 'x-own': 'client' } })
  await fixed.add(4, 4, 4, { headers: { 'X-Own': 'call' } })
  await fixed.add(5)
  t.match(
    all.map(({ request }) => request.headers),
    [
      { authorization: 'Bearer token-1', 'x-own': 'client', 'content-type': 'application/json' },
      { authorization: 'Bearer token-2', 'x-own': 'call', traceparent: 't' },
      { 'x-own': 'call' },
      { 'x-own': 'client' },
    ],
  )
})

t.test('each attempt asks for the headers again', async (t) => {
  let failures = 1
  const { url, all } = await serve(t, (came, response) => {
    if (failures-- > 0) response.writeHead(503).end()
    else echo(came, response)
  })
  let count = 0
  const client = clientOf(url, { headers: () => ({ 'x-count': String(++count) }), retry: { writes: true } })
  t.same(await client.add(1), [1])
  t.same(
    all.map(({ request }) => request.headers['x-count']),
    ['1', '2'],
  )
})

t.test('calls with different headers travel in different requests', async (t) => {
  const { url, all } = await serve(t, echo)
  const client = clientOf(url, { batch: true })
  const own = (name: string) => ({ headers: { 'x-own': name } })
  const shared = own('a')
  const results = await Promise.all([
    client.add(1, 1, 1, shared),
    client.add(2, 2, 2, shared),
    client.add(3, 3, 3, own('b')),
    client.add(4),
  ])
  t.same(results, [[1, 1, 1], [2, 2, 2], [3, 3, 3], [4]])
  t.same(all.map(({ request, batch }) => [request.headers['x-own'], batch.length]).sort(), [
    [undefined, 0],
    ['a', 2],
    ['b', 0],
  ])
  await client.batch((call) => [call.add(5), call.add(6)], own('c'))
  t.match(all.at(-1), { request: { headers: { 'x-own': 'c' } }, batch: [{}, {}] })
  let count = 0
  const middleware: Middleware = (next) => (call) =>
    next({ ...call, options: { ...call.options, ...own(String(++count)) } })
  const traced = clientOf(url, { middleware: [middleware] })
  const outcomes = await traced.batch((call) => [call.add(7), call.add(8)])
  t.match(outcomes, [{ value: [7] }, { value: [8] }])
  t.same(
    all.slice(-2).map(({ request, batch }) => [request.headers['x-own'], batch.length]),
    [
      ['1', 1],
      ['2', 1],
    ],
  )
})

t.test('errors of the function reject its calls, and secrets that it returns are redacted', async (t) => {
  const refusal = { jsonrpc: '2.0', id: 1, error: { code: 7, message: 'not secret-token-1' } }
  const { url, all } = await serve(t, json(refusal))
  const lost = new Error('no token')
  const failing = () => {
    throw lost
  }
  t.equal(await caught(clientOf(url, { headers: failing }).add(1)), lost)
  t.match(await caught(clientOf(url, { headers: () => ({ 'a b': 'c' }) }).add(1)), { name: 'TypeError' })
  t.equal(all.length, 0)
  const headers = async () => ({ authorization: 'Bearer secret-token-1' })
  const found = await caught(clientOf(url, { headers }).add(1))
  t.notMatch(String(found), 'secret-token-1')
  const never = clientOf(url, { headers: () => new Promise(() => {}), timeoutMilliseconds: 20 })
  t.match(await caught(never.add(1)), { kind: 'timeout' })
})

t.test(
  'an object with a signal is the options of a call, in place of an omitted parameter too',
  async (t) => {
    const { url } = await serve(t, echo)
    const client = clientOf(url)
    const { signal } = new AbortController()
    t.same(await client.add(1, { signal }), [1])
    t.same(await client.add(1, undefined, 3, { signal }).catch(({ name }) => name), 'TypeError')
    t.equal(await caught(client.add(1, { signal: AbortSignal.abort('left') })), 'left')
    t.match(await caught(client.add(1, 2, 3, { signal: AbortSignal.abort('left') })), 'left')
  },
)

t.test('the text of an error names the method and the refused parameter', async (t) => {
  const refused = (data: unknown, code = -32602) =>
    serve(t, json({ jsonrpc: '2.0', id: 1, error: { code, message: 'Invalid params', data } }))
  const text = async (data: unknown, call: (client: SmallClient) => Promise<unknown>, code?: number) =>
    String(await caught(call(clientOf((await refused(data, code)).url))))
  const problems = [{ path: '/1/limit', rule: 'type', message: 'must be a number' }]
  t.equal(await text(problems, (client) => client.add(1)), 'RpcError: add: parameter "b": Invalid params')
  const named = [{ path: '/b', rule: 'type', message: 'must be a number' }]
  t.equal(
    await text(named, (client) => client.named({ b: 1 })),
    'RpcError: named: parameter "b": Invalid params',
  )
  for (const data of [
    undefined,
    'no',
    [],
    [null],
    [{ path: 7 }],
    [{ path: { toString: 1 } }],
    [{ path: '' }],
  ]) {
    t.equal(await text(data, (client) => client.add(1)), 'RpcError: add: Invalid params')
  }
  t.equal(await text(problems, (client) => client.add(1), 7), 'RpcError: add: Invalid params')
  const secret = [{ path: `/${key}` }]
  t.equal(await text(secret, (client) => client.add(1)), 'RpcError: add: parameter "•••••": Invalid params')
})
