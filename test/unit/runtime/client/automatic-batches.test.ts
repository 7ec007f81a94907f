import { once } from 'node:events'
import t from 'tap'
import { createRpcClient, type Middleware } from '../../../../src/runtime/client/index.js'
import { until } from '../../../support/until.js'
import { echo, type ReadClient, readClient, type Sent, shapes } from './reads.js'
import { type Answer, caught, json, serve } from './rpc-server.js'

const values = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason))

t.test('batchable calls of one turn travel as one batch, and all others alone', async (t) => {
  const { url, all } = await serve(t, echo())
  const client = readClient(url)
  const sent = [
    client.balance(1),
    client.logs(2),
    client.balance(3),
    client.send(4),
    client.request('balance', [5]),
  ]
  t.same(await Promise.all(sent), [1, 2, 3, 4, 5])
  t.same(shapes(all).sort(), [['balance 1', 'balance 3', 'balance 5'], 'logs 2', 'send 4'].sort())
})

t.test('calls after promise callbacks and middleware of the same turn join the batch', async (t) => {
  const { url, all } = await serve(t, echo())
  const slow: Middleware = (next) => async (call) => {
    await undefined
    return next(call)
  }
  const client = readClient(url, { middleware: [slow] })
  const later = Promise.resolve().then(async () => {
    await undefined
    return client.balance(2)
  })
  t.same(await Promise.all([client.balance(1), later]), [1, 2])
  t.same(shapes(all), [['balance 1', 'balance 2']])
})

t.test('a turn with one call sends a single request', async (t) => {
  const { url, all } = await serve(t, echo())
  const client = readClient(url)
  t.equal(await client.balance(1), 1)
  t.equal(await client.balance(2), 2)
  t.same(shapes(all), ['balance 1', 'balance 2'])
})

t.test('batching can be turned off and on, for a client and for a call', async (t) => {
  const rows: readonly [string, object | undefined, object, object, unknown[]][] = [
    ['default', undefined, {}, {}, [['balance 1', 'balance 2']]],
    ['off for the client', { batch: false }, {}, {}, ['balance 1', 'balance 2']],
    ['off for one call', undefined, { batch: false }, {}, ['balance 1', 'balance 2']],
    ['on for both calls', { batch: false }, { batch: true }, { batch: true }, [['balance 1', 'balance 2']]],
    ['smaller', { batch: { maxCalls: 1 } }, {}, {}, ['balance 1', 'balance 2']],
  ]
  for (const [name, options, first, second, want] of rows) {
    const { url, all } = await serve(t, echo())
    const client = readClient(url, options)
    t.same(await Promise.all([client.balance(1, first), client.balance(2, second)]), [1, 2], name)
    t.same(shapes(all).sort(), want, name)
  }
})

t.test('a contract without batchable methods is batched only when asked', async (t) => {
  const plain = { methods: { one: { params: ['of'] }, two: { params: ['of'] } }, errors: {} } as const
  type Plain = Readonly<Record<'one' | 'two', (of: number) => Promise<unknown>>>
  for (const [batch, want] of [
    [undefined, ['one 1', 'two 2']],
    [true, [['one 1', 'two 2']]],
    [{ maxCalls: 5 }, [['one 1', 'two 2']]],
  ] as const) {
    const { url, all } = await serve(t, echo())
    const client = createRpcClient<Plain>(url, plain, { batch })
    t.same(await Promise.all([client.one(1), client.two(2)]), [1, 2])
    t.same(shapes(all).sort(), want)
  }
})

t.test('automatic and explicit batches are split at the limits of calls and bytes', async (t) => {
  const size = (texts: readonly string[]) =>
    texts.map((text, at) => JSON.stringify({ jsonrpc: '2.0', id: at + 1, method: 'balance', params: [text] }))
  const texts = ['é'.repeat(40), 'y', 'z']
  const exact = Buffer.byteLength(`[${size(texts).join()}]`)
  const rows: readonly [string, readonly unknown[], object | undefined, readonly number[]][] = [
    ['the limit of calls', [1, 2, 3, 4], undefined, [4]],
    ['one call more', [1, 2, 3, 4, 5], undefined, [4, 1]],
    ['twice and one more', Array.from({ length: 9 }, (_, at) => at), undefined, [4, 4, 1]],
    ['a smaller limit', [1, 2, 3, 4], { maxCalls: 3 }, [3, 1]],
    ['a larger limit than the contract', [1, 2, 3, 4, 5], { maxCalls: 50, maxBytes: 50_000 }, [4, 1]],
    ['the exact size', texts, { maxBytes: exact }, [3]],
    ['one byte less', texts, { maxBytes: exact - 1 }, [2, 1]],
    ['a call that is too large', ['a', 'x'.repeat(1_000), 'b'], undefined, [1, 1, 1]],
  ]
  for (const [name, list, batch, want] of rows) {
    const { url, all } = await serve(t, echo())
    const client = readClient(url, { batch })
    t.same(await Promise.all(list.map((of) => client.balance(of))), list, name)
    const counts = () => all.map(({ batch }) => Math.max(1, batch.length))
    t.same(counts().sort(), [...want].sort(), `${name}: automatic`)
    all.length = 0
    const outcomes = await readClient(url, { batch }).batch((call) => list.map((of) => call.balance(of)))
    t.same(
      outcomes.map(({ value }) => value),
      list,
      `${name}: explicit`,
    )
    t.same(counts().sort(), [...want].sort(), `${name}: explicit`)
  }
})

t.test(
  'a refused part of a split batch fails its calls alone; if all are refused, the batch rejects',
  async (t) => {
    const refusal = { jsonrpc: '2.0', id: null, error: { code: 7, message: 'too much' } }
    const { url } = await serve(t, (came, response) => {
      const isRefused = (came.batch as readonly Sent[]).some(({ params }) => params[0] === 'bad')
      if (isRefused) json(refusal, 413)(came, response)
      else echo()(came, response)
    })
    const build = (list: readonly unknown[]) =>
      readClient(url).batch((call) => list.map((of) => call.balance(of)))
    const bad = { status: 'rejected', reason: { error: 'refused', httpStatus: 413, method: 'balance' } }
    t.match(await build([1, 2, 3, 'bad', 5]), [bad, bad, bad, bad, { value: 5 }])
    t.match(await caught(build(['bad', 2, 3, 4, 'bad'])), { error: 'refused', method: undefined })
  },
)

t.test('a missing, double, foreign or invalid answer fails only its call', async (t) => {
  const right = ({ id, params }: Sent) => ({ jsonrpc: '2.0', id, result: params[0] })
  const rows: readonly [string, (items: readonly Sent[]) => unknown, readonly unknown[]][] = [
    ['backwards', (items) => items.map(right).reverse(), [1, 2, 3]],
    ['missing', (items) => items.slice(1).map(right), [/no response for this call/, 2, 3]],
    ['double', (items) => [...items, items[1] as Sent].map(right), [1, /two responses/, 3]],
    [
      'foreign',
      (items) => [...items.slice(0, 2).map(right), { ...right(items[2] as Sent), id: 99 }],
      [1, 2, /no resp/],
    ],
    ['junk', (items) => [null, 5, 'x', [], {}, ...items.map(right)], [1, 2, 3]],
    [
      'invalid',
      (items) => items.map((item, at) => (at === 0 ? { jsonrpc: '2.0', id: item.id } : right(item))),
      [/neither/, 2, 3],
    ],
    [
      'an error',
      (items) =>
        items.map((item, at) =>
          at === 0 ? { jsonrpc: '2.0', id: item.id, error: { code: 7, message: 'no' } } : right(item),
        ),
      [/^no$/, 2, 3],
    ],
    [
      'an error without id',
      (items) => [
        { jsonrpc: '2.0', id: null, error: { code: 7, message: 'unread' } },
        ...items.slice(1).map(right),
      ],
      [/^unread$/, 2, 3],
    ],
  ]
  for (const [name, make, want] of rows) {
    const { url, all } = await serve(t, (came, response) =>
      json(make(came.batch as readonly Sent[]))(came, response),
    )
    const client = readClient(url)
    const found = values(await Promise.allSettled([client.balance(1), client.balance(2), client.balance(3)]))
    want.forEach((each, at) => {
      const got = found[at]
      if (each instanceof RegExp) t.match(got, { message: each, method: 'balance' }, name)
      else t.equal(got, each, name)
    })
    t.equal(all.length, 1, `${name}: nothing is repeated`)
  }
})

t.test('every call of a batch that fails as a whole gets an error of its own', async (t) => {
  const refusal = { jsonrpc: '2.0', id: null, error: { code: 7, message: 'no' } }
  const rows: readonly [string, Answer, object][] = [
    ['refused', json(refusal, 401), { error: 'refused', httpStatus: 401 }],
    [
      'a page',
      (_, response) => void response.writeHead(404).end('<html>'),
      { kind: 'http', httpStatus: 404 },
    ],
    ['a redirect', (_, response) => void response.writeHead(307, { location: '/' }).end(), { kind: 'http' }],
    ['no list', json({ jsonrpc: '2.0', id: 1, result: 1 }), { kind: 'malformed' }],
    ['a reset', (_, response) => void response.socket?.destroy(), { kind: 'network' }],
    ['not UTF-8', (_, response) => void response.end(Buffer.from([0x22, 0xff, 0x22])), { kind: 'malformed' }],
  ]
  for (const [name, answer, want] of rows) {
    const { url } = await serve(t, answer)
    const client = readClient(url, { retry: false })
    const [a, b] = await Promise.all([caught(client.balance(1)), caught(client.balance(2))])
    for (const found of [a, b]) t.match(found, { ...want, method: 'balance' }, name)
    t.not(a, b, `${name}: two errors`)
  }
})

t.test('a parameter that JSON cannot represent fails its call alone', async (t) => {
  const { url, all } = await serve(t, echo())
  const client = readClient(url)
  const found = values(await Promise.allSettled([client.balance(1), client.balance(5n), client.balance(3)]))
  t.match(found, [1, { name: 'TypeError', message: /^balance: the parameter "of" .*BigInt/ }, 3])
  t.same(shapes(all), [['balance 1', 'balance 3']])
})

t.test('an abort rejects its call, and the request goes on for the others', async (t) => {
  const release: (() => void)[] = []
  const { url, all, server } = await serve(t, (came, response) => {
    release.push(() => echo()(came, response))
    server.emit('held')
  })
  const client = readClient(url)
  const controller = new AbortController()
  const held = once(server, 'held')
  const others = [client.balance(2), client.balance(3, { timeoutMilliseconds: 60_000 })]
  const aborted = caught(client.balance(1, { signal: controller.signal }))
  await held
  controller.abort('enough')
  t.equal(await aborted, 'enough')
  t.equal(all[0]?.request.socket.destroyed, false)
  release[0]?.()
  t.same(await Promise.all(others), [2, 3])
  t.same(shapes(all), [['balance 2', 'balance 3', 'balance 1']])
})

t.test('the request is aborted when all its calls are aborted', async (t) => {
  const { url, all, server } = await serve(t, () => void server.emit('held'))
  const client = readClient(url)
  const controllers = [new AbortController(), new AbortController()]
  const held = once(server, 'held')
  const sent = controllers.map(({ signal }, at) => caught(client.balance(at, { signal })))
  await held
  for (const [at, controller] of controllers.entries()) controller.abort(at)
  t.same(await Promise.all(sent), [0, 1])
  const socket = all[0]?.request.socket
  if (socket && !socket.destroyed) await once(socket, 'close')
  t.ok(socket?.destroyed, 'the server sees the disconnect')
})

t.test('calls that are aborted before the turn ends are not sent', async (t) => {
  const { url, all } = await serve(t, echo())
  const client = readClient(url)
  const controller = new AbortController()
  const aborted = caught(client.balance(1, { signal: controller.signal }))
  const other = client.balance(2)
  controller.abort('early')
  t.equal(await aborted, 'early')
  t.equal(await other, 2)
  t.same(shapes(all), ['balance 2'])
})

t.test('each call of a batch has its own timeout', async (t) => {
  const release: (() => void)[] = []
  const { url } = await serve(t, (came, response) => void release.push(() => echo()(came, response)))
  const client = readClient(url)
  const patient = client.balance(2)
  t.match(await caught(client.balance(1, { timeoutMilliseconds: 300 })), {
    kind: 'timeout',
    method: 'balance',
    message: /300 ms/,
  })
  await until(() => release.length > 0)
  release[0]?.()
  t.equal(await patient, 2)
})

t.test('middleware sees each call of an explicit batch, and may answer it', async (t) => {
  const { url, all } = await serve(t, echo())
  const seen: string[] = []
  const cache: Middleware = (next) => async (call) => {
    seen.push(call.method)
    if (call.method === 'logs') return 'cached'
    await new Promise((resolve) => setImmediate(resolve))
    return next({ ...call, options: { ...call.options, retry: false } })
  }
  const client = readClient(url, { middleware: [cache] })
  const outcomes = await client.batch((call) => [call.balance(1), call.logs(2), call.send(3)])
  t.same(
    outcomes.map(({ value }) => value),
    [1, 'cached', 3],
  )
  t.same(seen, ['balance', 'logs', 'send'])
  t.same(shapes(all), [['balance 1', 'send 3']])
  const none = await client.batch((call) => [call.logs(1)])
  t.same(
    none.map(({ value }) => value),
    ['cached'],
  )
  t.equal(all.length, 1, 'nothing is left to send')
})

t.test('a middleware that repeats a call of an explicit batch sends it alone', async (t) => {
  let failures = 1
  const { url, all } = await serve(
    t,
    echo(({ params }) =>
      params[0] === 1 && failures-- > 0 ? { error: { code: 7, message: 'no' } } : undefined,
    ),
  )
  const again: Middleware = (next) => async (call) => next(call).catch(() => next(call))
  const client = readClient(url, { middleware: [again] })
  const outcomes = await client.batch((call) => [call.balance(1), call.balance(2)])
  t.same(
    outcomes.map(({ value }) => value),
    [1, 2],
  )
  t.same(shapes(all), [['balance 1', 'balance 2'], 'balance 1'])
})

t.test('all calls of a contract without batches travel alone', async (t) => {
  const { url, all } = await serve(t, echo())
  const methods = { balance: { params: ['of'], batchable: true } } as const
  const contract = { methods, errors: {}, limits: { batchItems: 0 } }
  const client = createRpcClient<ReadClient>(url, contract, { batch: true })
  t.same(await Promise.all([client.balance(1), client.balance(2)]), [1, 2])
  t.match(await client.batch((call) => [call.balance(3), call.balance(4)]), [{ value: 3 }, { value: 4 }])
  t.same(shapes(all).sort(), ['balance 1', 'balance 2', 'balance 3', 'balance 4'])
})

t.test('options of the contract are refused when they are not positive', (t) => {
  for (const options of [
    { batch: { maxCalls: 0 } },
    { batch: { maxBytes: Number.NaN } },
    { concurrency: 0 },
    { budgetMilliseconds: -1 },
  ]) {
    t.throws(() => readClient('http://127.0.0.1/', options), {
      name: 'RangeError',
      message: /greater than 0/,
    })
  }
  t.end()
})
