import t from 'tap'
import { CallError, TransportError } from '../../../../src/runtime/client/index.js'
import { type Answer, caught, clientOf, json, serve } from './rpc-server.js'

type Item = { readonly id?: number; readonly params: unknown }
const right = ({ id, params }: Item) => ({ jsonrpc: '2.0', id, result: params })
const wrong = ({ id }: Item) => ({ jsonrpc: '2.0', id, error: { code: 7, message: 'no' } })

/** Answers a batch with a function of its items. */
const batchOf =
  (make: (items: readonly Item[]) => unknown): Answer =>
  ({ batch }, response) =>
    void response.end(JSON.stringify(make(batch)))

t.test('answers are matched by id, in any order, and an error affects no other call', async (t) => {
  const rows: readonly [string, (items: readonly Item[]) => unknown, readonly object[]][] = [
    ['in order', (items) => items.map(right), [{ value: [1] }, { value: [2] }, { value: [3] }]],
    ['backwards', (items) => items.map(right).reverse(), [{ value: [1] }, { value: [2] }, { value: [3] }]],
    [
      'one error',
      (items) => items.map((item, at) => (at === 1 ? wrong(item) : right(item))),
      [{ value: [1] }, { status: 'rejected', reason: { error: 'refused', method: 'add' } }, { value: [3] }],
    ],
    [
      'one missing',
      (items) => items.slice(1).map(right),
      [
        { reason: { kind: 'malformed', message: /no response for this call/, method: 'add' } },
        { value: [2] },
        { value: [3] },
      ],
    ],
    ['none', () => [], Array(3).fill({ reason: { kind: 'malformed' } })],
    [
      'one twice',
      (items) => [...items, ...items.slice(0, 1)].map(right),
      [
        { reason: { kind: 'malformed', message: /two responses for this call/ } },
        { value: [2] },
        { value: [3] },
      ],
    ],
    [
      'an error without id',
      (items) => items.map((item, at) => (at === 1 ? { ...wrong(item), id: null } : right(item))),
      [
        { value: [1] },
        { status: 'rejected', reason: { error: 'refused', method: 'add', message: 'no' } },
        { value: [3] },
      ],
    ],
    [
      'two errors without id',
      (items) => [
        { ...wrong({ params: 0 }), id: null },
        right(items[1] as Item),
        { jsonrpc: '2.0', error: { code: 8, message: 'late' } },
      ],
      [{ reason: { code: 7 } }, { value: [2] }, { reason: { code: 8 } }],
    ],
    [
      'one error without id for all',
      () => [{ jsonrpc: '2.0', id: null, error: { code: 7, message: 'no' } }],
      Array(3).fill({ reason: { error: 'refused' } }),
    ],
    [
      'an invalid item',
      (items) => items.map((item, at) => (at === 2 ? { jsonrpc: '2.0', id: item.id } : right(item))),
      [{ value: [1] }, { value: [2] }, { reason: { kind: 'malformed', message: /neither a result/ } }],
    ],
    [
      'ids as strings',
      (items) => items.map((item) => ({ ...right(item), id: String(item.id) })),
      Array(3).fill({ reason: { kind: 'malformed' } }),
    ],
    [
      'with answers to unknown ids',
      (items) => [null, 5, [], right({ id: 99, params: [] }), wrong({ params: 0 }), ...items.map(right)],
      [{ value: [1] }, { value: [2] }, { value: [3] }],
    ],
  ]
  for (const [name, make, want] of rows) {
    const { url, all } = await serve(t, batchOf(make))
    const outcomes = await clientOf(url).batch((call) => [call.add(1), call.add(2), call.add(3)])
    t.equal(outcomes.length, 3, name)
    t.match(outcomes, want, name)
    t.equal(all.length, 1, 'one HTTP request')
  }
})

t.test('the request is a list with increasing ids', async (t) => {
  const { url, all } = await serve(
    t,
    batchOf((items) => items.map(right)),
  )
  const client = clientOf(url)
  await client.batch((call) => [call.add(1), call.named({ a: 1 })])
  await client.batch((call) => {
    const twice = call.add(2)
    return [twice, twice]
  })
  t.same(
    all.map(({ sent }) => sent),
    [
      [
        { jsonrpc: '2.0', id: 1, method: 'add', params: [1] },
        { jsonrpc: '2.0', id: 2, method: 'named', params: { a: 1 } },
      ],
      [
        { jsonrpc: '2.0', id: 3, method: 'add', params: [2] },
        { jsonrpc: '2.0', id: 4, method: 'add', params: [2] },
      ],
    ],
  )
})

t.test('a batch that is refused as a whole rejects', async (t) => {
  const refusal = { jsonrpc: '2.0', id: null, error: { code: 7, message: 'too much' } }
  const rows: readonly [string, Answer, object][] = [
    [
      '429',
      json(refusal, 429, { 'retry-after': '3' }),
      { error: 'refused', httpStatus: 429, retryAfterSeconds: 3 },
    ],
    ['413', json(refusal, 413), { error: 'refused', httpStatus: 413, method: undefined }],
    [
      'a page',
      (_, response) => void response.writeHead(502).end('<html>'),
      { kind: 'http', httpStatus: 502 },
    ],
    [
      'one result',
      json({ jsonrpc: '2.0', id: 1, result: 1 }),
      { kind: 'malformed', message: /^batch: .*not a list/ },
    ],
    [
      'nothing',
      (_, response) => void response.writeHead(204).end(),
      { kind: 'http', message: /without a body/ },
    ],
    ['a reset', (_, response) => void response.socket?.destroy(), { kind: 'network', method: undefined }],
  ]
  for (const [name, answer, want] of rows) {
    const { url } = await serve(t, answer)
    const found = await caught(clientOf(url).batch((call) => [call.add(1), call.add(2)]))
    t.ok(found instanceof CallError || found instanceof TransportError, name)
    t.match(found, want, name)
  }
})

t.test('an empty batch resolves without a request', async (t) => {
  const { url, all } = await serve(t, json([]))
  t.same(await clientOf(url).batch(() => []), [])
  t.same(all, [])
})

t.test('notifications of a batch resolve with it; a batch of notifications has no answer', async (t) => {
  const { url, all } = await serve(
    t,
    batchOf((items) => items.filter(({ id }) => id !== undefined).map(right)),
  )
  const done = { status: 'fulfilled', value: undefined }
  t.same(await clientOf(url).batch((call) => [call.seen(1), call.add(2)]), [
    done,
    { status: 'fulfilled', value: [2] },
  ])
  t.same(all[0]?.batch[0], { jsonrpc: '2.0', method: 'seen', params: [1] })

  const quiet = await serve(t, (_, response) => void response.writeHead(204).end())
  t.same(await clientOf(quiet.url).batch((call) => [call.seen(1), call.seen(2)]), [done, done])
  const loud = await serve(t, (_, response) => void response.writeHead(500).end())
  const failed = await caught(clientOf(loud.url).batch((call) => [call.seen(1)]))
  t.match(failed, { kind: 'http', httpStatus: 500 })
})
