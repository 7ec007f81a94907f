import type { ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { createFailoverClient } from '../../../../src/service/node-access/failover/index.js'
import { createProvider, quantities } from '../../../../src/service/node-access/index.js'
import { freePort } from '../../../support/free-port.js'
import { collectMicrotaskErrors } from '../../../support/microtask-errors.js'
import { type Came, caught, serve } from '../../runtime/client/rpc-server.js'

type Sent = Came['sent']
type Reply = object | ((response: ServerResponse) => void)

const raw = '0x00' as const

/** An endpoint whose answers the test changes. It counts the calls that arrive, without those for its chain. */
async function endpoint(t: Test, chainId = '0x1f') {
  const state = {
    head: 100,
    /** The answer to every other call. */
    reply: undefined as Reply | undefined,
    /** Delay of the answer for the chain, in milliseconds. */
    chainAfter: 0,
    calls: [] as string[],
    requests: 0,
  }
  const result = ({ method }: Sent): Reply => {
    if (method === 'eth_chainId') return { result: chainId }
    state.calls.push(method)
    if (state.reply !== undefined) return state.reply
    return { result: method === 'eth_blockNumber' ? `0x${state.head.toString(16)}` : '0x1' }
  }
  const { url, close } = await serve(t, ({ sent, batch }, response) => {
    state.requests += 1
    const all = batch.length > 0 ? batch : [sent]
    const replies = all.map((one) => [one, result(one)] as const)
    const other = replies.find(([, reply]) => typeof reply === 'function')?.[1]
    if (typeof other === 'function') return other(response)
    const items = replies.map(([{ id }, reply]) => ({ jsonrpc: '2.0', id, ...reply }))
    const send = () => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(batch.length > 0 ? items : items[0]))
    }
    const isForChain = all.some(({ method }) => method === 'eth_chainId')
    if (isForChain && state.chainAfter > 0) setTimeout(send, state.chainAfter)
    else send()
  })
  return Object.assign(state, { url, close })
}

const answers = (status: number, headers: Readonly<Record<string, string>> = {}, error?: object): Reply => {
  return (response) => {
    response.writeHead(status, { 'content-type': error ? 'application/json' : 'text/html', ...headers })
    response.end(error ? JSON.stringify({ jsonrpc: '2.0', id: null, error }) : '<html>')
  }
}
const errors = (code: number, data?: object): Reply => ({
  error: { code, message: 'as the test wants', data },
})
const silent: Reply = () => undefined

t.test('the kind of an error decides whether a read and a write go on', async (t) => {
  const reset: Reply = (response) => void response.socket?.resetAndDestroy()
  const rows: readonly [name: string, reply: Reply, read: boolean, write: boolean][] = [
    ['a broken connection', reset, true, false],
    ['silence', silent, true, false],
    ['HTTP 502', answers(502), true, false],
    ['a redirect', answers(302, { location: 'https://example.com/' }), true, false],
    ['unavailable', errors(-32002), true, false],
    ['an internal error', errors(-32603), true, false],
    ['a block that is not there', errors(-32001), true, false],
    ['a refused key', answers(401, {}, { code: -32016, message: 'no' }), true, true],
    ['a spent limit', answers(429, {}, { code: -32005, message: 'no' }), true, true],
    ['a spent limit in a batch', errors(-32005), true, true],
    ['a revert', errors(3), false, false],
    ['invalid parameters', errors(-32602), false, false],
    ['an unknown method', errors(-32601), false, false],
    ['a rejected transaction', errors(-32003), false, false],
  ]
  for (const [name, reply, read, write] of rows) {
    for (const [isRead, goesOn] of [
      [true, read],
      [false, write],
    ]) {
      const [one, two] = [await endpoint(t), await endpoint(t)]
      const failed: string[] = []
      const client = createFailoverClient([one.url, two.url], {
        onFailover: (_, origin) => void failed.push(origin),
      })
      await client.eth_gasPrice()
      one.reply = reply
      const options = reply === silent ? { timeoutMilliseconds: 2_000 } : {}
      const sent = isRead ? client.eth_gasPrice(options) : client.eth_sendRawTransaction(raw, options)
      const error = await caught(sent as Promise<unknown>)
      const what = `${isRead ? 'a read' : 'a write'} after ${name}`
      t.equal(error === undefined, goesOn, what)
      t.equal(two.calls.length, goesOn ? 1 : 0, what)
      t.same(failed, goesOn ? [new URL(one.url).origin] : [], what)
    }
  }
})

t.test('a write goes on when no connection was made, and when the caller repeats writes', async (t) => {
  const two = await endpoint(t)
  const dead = `http://127.0.0.1:${await freePort()}/`
  const early = createFailoverClient([dead, two.url])
  t.equal(await early.eth_sendRawTransaction(raw), '0x1')
  const one = await endpoint(t)
  const late = createFailoverClient([one.url, two.url])
  await late.eth_gasPrice()
  await one.close()
  t.equal(await late.eth_sendRawTransaction(raw), '0x1', 'ECONNREFUSED')
  const three = await endpoint(t)
  const repeating = createFailoverClient([three.url, two.url])
  await repeating.eth_gasPrice()
  three.reply = answers(502)
  t.equal(await repeating.eth_sendRawTransaction(raw, { retry: { writes: true } }), '0x1')
})

t.test('an onFailover that throws fails no call', async (t) => {
  const thrown = collectMicrotaskErrors(t)
  const [one, two] = [await endpoint(t), await endpoint(t)]
  one.reply = answers(502)
  const client = createFailoverClient([one.url, two.url], {
    onFailover() {
      throw new Error('a defect')
    },
  })
  t.equal(await client.eth_gasPrice(), '0x1')
  t.match(thrown, [{ message: 'a defect' }])
})

t.test('an endpoint that dies in the middle of 100 calls loses none of them', async (t) => {
  const [one, two] = [await endpoint(t), await endpoint(t)]
  const client = createFailoverClient([one.url, two.url], { batch: false, concurrency: 8 })
  let answered = 0
  const results = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const result = await client.eth_gasPrice()
      answered += 1
      if (answered === 50) await one.close()
      return result
    }),
  )
  t.same(new Set(results), new Set(['0x1']))
  t.ok(one.calls.length >= 50)
  t.ok(two.calls.length <= 50 + 8)
  const before = two.calls.length
  await client.eth_gasPrice()
  t.equal(two.calls.length, before + 1, 'the dead one is asked last')
})

t.test('one budget bounds a call over all endpoints, and a signal ends it', async (t) => {
  const [one, two] = [await endpoint(t), await endpoint(t)]
  one.reply = silent
  two.reply = silent
  const client = createFailoverClient([one.url, two.url], {
    timeoutMilliseconds: 500,
    budgetMilliseconds: 60_000,
    retry: false,
  })
  t.match(await caught(client.eth_gasPrice()), { kind: 'timeout' })
  t.same([one.calls.length, two.calls.length], [1, 1])
  const patient = createFailoverClient([one.url, two.url], { budgetMilliseconds: 100 })
  t.match(await caught(patient.eth_gasPrice()), { kind: 'timeout', message: /within the budget/ })
  t.equal(two.calls.length, 1, 'nothing is left for the other endpoint')
  const reason = new Error('enough')
  const controller = new AbortController()
  const aborted = caught(patient.eth_gasPrice({ signal: controller.signal }))
  controller.abort(reason)
  t.equal(await aborted, reason)
})

t.test('the request for the chain and the call share one budget', async (t) => {
  const one = await endpoint(t)
  const client = createFailoverClient([one.url], { budgetMilliseconds: 1_500, retry: false })
  one.reply = silent
  one.chainAfter = 1_200
  // Without a shared budget the call would end after 2,700 ms.
  const later = new Promise((resolve) => setTimeout(resolve, 2_000, 'later'))
  t.match(await Promise.race([caught(client.eth_gasPrice()), later]), { kind: 'timeout' })
})

t.test('the head never goes back between two endpoints', async (t) => {
  const [one, two] = [await endpoint(t), await endpoint(t)]
  const client = createFailoverClient([one.url, two.url])
  t.equal(await client.eth_blockNumber(), '0x64')
  two.head = 99
  one.reply = answers(502)
  const waiting = client.eth_blockNumber()
  const early = await caught(client.eth_blockNumber({ budgetMilliseconds: 1_000 }))
  t.match(early, { name: 'TransportError', message: /the head of .* is block 99, and block 100 was seen/ })
  two.head = 101
  t.equal(await waiting, '0x65', 'it is waited for')
  one.reply = undefined
  const back = createFailoverClient([one.url])
  t.equal(await back.eth_blockNumber(), '0x64')
  one.head = 98
  t.equal(await back.eth_blockNumber(), '0x62', 'a reorganisation of one endpoint')
})

t.test('endpoints of different chains are refused, and so is an empty list', async (t) => {
  const [one, two] = [await endpoint(t), await endpoint(t, '0x1e')]
  const client = createFailoverClient([one.url, two.url])
  await client.eth_gasPrice()
  one.reply = answers(502)
  t.match(await caught(client.eth_gasPrice()), { name: 'TypeError', message: /0x1e.*0x1f/ })
  t.same(two.calls, [])
  t.throws(() => createFailoverClient([]), { name: 'TypeError' })
})

t.test('batches, decoded values, middleware and the provider are those of every client', async (t) => {
  const [one, two] = [await endpoint(t), await endpoint(t)]
  const seen: string[] = []
  const client = createFailoverClient([one.url, two.url], {
    decode: quantities,
    middleware: [
      (next) => (call) => {
        seen.push(call.method)
        return next(call)
      },
    ],
  })
  t.equal(await client.eth_gasPrice(), 1n)
  one.reply = answers(503)
  const before = two.requests
  const call = { to: '0x00000000000000000000000000000000c0ffee01' } as const
  const outcomes = await client.batch((add) => [
    add.eth_gasPrice(),
    ...Array.from({ length: 19 }, () => add.eth_call(call, 'latest')),
  ])
  t.same(outcomes[0], { status: 'fulfilled', value: 1n })
  t.ok(outcomes.every(({ status }) => status === 'fulfilled'))
  t.ok(two.requests - before <= 2, 'one request for the chain, and one for the batch')
  t.equal(seen.length, 21, 'once for each call')
  t.equal(await createProvider(client).request({ method: 'eth_gasPrice' }), '0x1')
})
