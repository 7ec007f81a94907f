import { getEventListeners, once } from 'node:events'
import t from 'tap'
import { createPlainRpcClient, sendRequest, tolerances } from '../../../../src/runtime/client/index.js'
import { echo, shapes } from './reads.js'
import { type Answer, caught, json, key, serve } from './rpc-server.js'

type Call = (...given: readonly unknown[]) => Promise<unknown>

const contract = {
  methods: {
    balance: { params: ['of'], effect: 'read', batchable: true },
    note: { params: ['of'], notification: true },
    eth_logs: { path: ['eth', 'logs'], params: ['of'], effect: 'read' },
  },
  errors: { refused: 7 },
  transient: [9],
} as const

interface Small {
  readonly balance: Call
  readonly note: Call
  readonly eth: { readonly logs: Call }
}

const plain = (url: string, options?: object) => createPlainRpcClient<Small>(url, contract, options)

t.test('calls of one turn travel alone, with ids of their own', async (t) => {
  const { url, all } = await serve(t, echo())
  const client = plain(url)
  t.same(await Promise.all([client.balance(1), client.balance(2), client.eth.logs(3)]), [1, 2, 3])
  t.same(shapes(all).sort(), ['balance 1', 'balance 2', 'eth_logs 3'])
  t.same(all.map(({ sent }) => sent.id).sort(), [1, 2, 3])
  t.same(Object.keys(client), ['balance', 'note', 'eth'], 'no batch, request and quota')
  t.equal(await sendRequest(client, 'other', [5]), 5)
})

t.test('a failed call is sent once, and its error is that of other clients', async (t) => {
  const rows: readonly [string, Answer, object][] = [
    ['a reset', (_, response) => void response.socket?.destroy(), { kind: 'network' }],
    ['503', (_, response) => void response.writeHead(503).end('<html>'), { kind: 'http', httpStatus: 503 }],
    ['a redirect', (_, response) => void response.writeHead(307, { location: '/' }).end(), { kind: 'http' }],
    ['another id', json({ jsonrpc: '2.0', id: 9, result: 1 }), { kind: 'malformed' }],
    ['a list', json([{ jsonrpc: '2.0', id: 1, result: 1 }]), { kind: 'malformed' }],
    ['not UTF-8', (_, response) => void response.end(Buffer.from([0xff])), { kind: 'malformed' }],
    [
      'an error',
      json({ jsonrpc: '2.0', id: 1, error: { code: 7, message: `no ${key}` } }),
      { error: 'refused', code: 7, message: 'no •••••' },
    ],
  ]
  for (const [name, answer, want] of rows) {
    const { url, all } = await serve(t, answer)
    t.match(await caught(plain(url).balance(1)), { ...want, method: 'balance' }, name)
    t.equal(all.length, 1, name)
  }
})

t.test('a notification resolves without a result', async (t) => {
  const { url, all } = await serve(t, (_, response) => void response.writeHead(204).end())
  t.equal(await plain(url).note(1), undefined)
  t.same(all[0]?.sent, { jsonrpc: '2.0', method: 'note', params: [1] })
})

t.test('a late or aborted call closes its connection, and leaves no listener behind', async (t) => {
  const { url, all, origin, server } = await serve(t, () => void server.emit('held'))
  const late = {
    kind: 'timeout',
    method: 'balance',
    message: `${origin} within 40 ms. Try again, or increase`,
  }
  t.match(await caught(plain(url, { timeoutMilliseconds: 40 }).balance(1)), late)
  t.match(await caught(plain(url).balance(1, { timeoutMilliseconds: 40 })), late)
  const controller = new AbortController()
  const held = once(server, 'held')
  const aborted = caught(plain(url).balance(1, { signal: controller.signal }))
  await held
  controller.abort('enough')
  t.equal(await aborted, 'enough')
  t.equal(getEventListeners(controller.signal, 'abort').length, 0)
  for (const { request } of all) {
    if (!request.socket.destroyed) await once(request.socket, 'close')
    t.ok(request.socket.destroyed)
  }
  const sent = all.length
  t.equal(await caught(plain(url).balance(1, { signal: controller.signal })), 'enough')
  t.equal(all.length, sent, 'an aborted signal sends nothing')
})

t.test('invalid options and parameters are refused before sending', async (t) => {
  const { url, all } = await serve(t, echo())
  t.throws(() => plain(url, { timeoutMilliseconds: 0 }), {
    name: 'RangeError',
    message: /timeoutMilliseconds/,
  })
  t.throws(() => plain(url, { maxAnswerBytes: 0 }), { name: 'RangeError' })
  t.throws(() => plain('no address'), { name: 'TypeError' })
  const zero = { timeoutMilliseconds: 0 }
  t.match(await caught(plain(url).balance(1, zero)), { name: 'RangeError', message: /timeoutMilliseconds/ })
  t.match(await caught(plain(url).balance(5n)), { message: /^balance: the parameter "of" .*BigInt/ })
  t.same(all, [])
})

t.test('`strict` and `maxAnswerBytes` hold', async (t) => {
  const body = { id: 1, result: 5 }
  const { url } = await serve(t, json(body))
  const client = plain(url)
  t.equal(await client.balance(1), 5)
  t.same(tolerances(client), { missingVersion: 1, nullError: 0 })
  t.match(await caught(plain(url, { strict: true }).balance(1)), { kind: 'malformed' })
  const size = JSON.stringify(body).length
  t.equal(await plain(url, { maxAnswerBytes: size }).balance(1), 5)
  t.match(await caught(plain(url, { maxAnswerBytes: size - 1 }).balance(1)), { kind: 'malformed' })
})
