import { once } from 'node:events'
import t from 'tap'
import { type Middleware, sendRequest } from '../../../../src/runtime/client/index.js'
import { longEnough } from '../../../support/long-enough.js'
import { echo, readClient, type Sent, shapes } from './reads.js'
import { type Answer, caught, json, serve } from './rpc-server.js'

const page =
  (status: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) =>
    void response.writeHead(status, headers).end('<html>')

const reset: Answer = (_, response) => void response.socket?.destroy()
const unavailable = { jsonrpc: '2.0', id: null, error: { code: 9, message: 'gone' } }

/** Fails the first requests, and echoes after them. */
function failing(count: number, failure: Answer): Answer {
  let left = count
  return (came, response) => (left-- > 0 ? failure : echo())(came, response)
}

t.test('reads are repeated after failures that may pass, and writes are not', async (t) => {
  const rows: readonly [string, Answer, object][] = [
    ['a lost connection', reset, { kind: 'network' }],
    ['502', page(502), { kind: 'http', httpStatus: 502 }],
    ['503', json(unavailable, 503), { error: 'gone', httpStatus: 503 }],
    ['503 with Retry-After', json(unavailable, 503, { 'retry-after': '0' }), { retryAfterSeconds: 0 }],
    ['504', page(504), { kind: 'http', httpStatus: 504 }],
    ['429 with Retry-After', page(429, { 'retry-after': '0' }), { kind: 'http', httpStatus: 429 }],
    ['an error that means unavailable', json(unavailable), { error: 'gone', httpStatus: 200 }],
  ]
  for (const [name, failure, want] of rows) {
    const read = await serve(t, failing(3, failure))
    t.equal(await readClient(read.url).logs(1), 1, name)
    t.equal(read.all.length, 4, `${name}: three repetitions`)
    const ids = read.all.map(({ sent }) => sent.id)
    t.same(ids, [1, 1, 1, 1], `${name}: the id stays`)
    const long = await serve(t, failing(9, failure))
    t.match(
      await caught(readClient(long.url).logs(1)),
      { ...want, method: 'logs' },
      `${name}: the last error`,
    )
    t.equal(long.all.length, 4, `${name}: not for ever`)
    const write = await serve(t, failing(1, failure))
    t.match(await caught(readClient(write.url).send(1)), { ...want, method: 'send' }, `${name}: a write`)
    t.match(await caught(sendRequest(readClient(write.url), 'unknown', [1])), undefined)
    t.equal(write.all.length, 2, `${name}: a write is not repeated`)
  }
  const unknown = await serve(t, failing(1, reset))
  t.match(await caught(sendRequest(readClient(unknown.url), 'other', [1])), { kind: 'network' })
  t.equal(unknown.all.length, 1, 'a method without a stated effect counts as a write')
})

t.test('other failures are not repeated', async (t) => {
  const rows: readonly [string, Answer][] = [
    ['an error of the call', json({ jsonrpc: '2.0', id: 1, error: { code: 7, message: 'no' } })],
    ['401', json({ jsonrpc: '2.0', id: null, error: { code: 7, message: 'no' } }, 401)],
    ['500', page(500)],
    ['429 without Retry-After', page(429)],
    ['429 with a Retry-After above the limit', page(429, { 'retry-after': '11' })],
    ['503 with a Retry-After above the limit', page(503, { 'retry-after': '11' })],
    ['a redirect', page(308, { location: '/' })],
    ['an answer that is not UTF-8', (_, response) => void response.end(Buffer.from([0xff]))],
    ['another id', json({ jsonrpc: '2.0', id: 99, result: 1 })],
  ]
  for (const [name, failure] of rows) {
    const { url, all } = await serve(t, failing(1, failure))
    t.ok(await caught(readClient(url).logs(1)), name)
    t.equal(all.length, 1, name)
  }
  const { url, all } = await serve(t, () => undefined)
  const late = await longEnough(50, async (timeoutMilliseconds) => {
    const error = await caught(readClient(url, { timeoutMilliseconds }).logs(1))
    return all.length > 0 ? error : undefined
  })
  t.match(late, { kind: 'timeout' })
  t.equal(all.length, 1, 'a timeout')
})

t.test('retries are configured for a client and for a call', async (t) => {
  const rows: readonly [string, object | undefined, object | undefined, 'logs' | 'send', number][] = [
    ['off', { retry: false }, undefined, 'logs', 1],
    ['off for a call', undefined, { retry: false }, 'logs', 1],
    ['on for a call', { retry: false }, { retry: { attempts: 2 } }, 'logs', 2],
    ['fewer', { retry: { attempts: 2 } }, undefined, 'logs', 2],
    ['more', { retry: { attempts: 6, maxDelayMilliseconds: 1 } }, undefined, 'logs', 6],
    ['none', { retry: { attempts: 1 } }, undefined, 'logs', 1],
    ['not a number', { retry: { attempts: Number.NaN } }, undefined, 'logs', 1],
    ['writes', { retry: { writes: true, maxDelayMilliseconds: 1 } }, undefined, 'send', 4],
    ['writes of a call', undefined, { retry: { writes: true, attempts: 2 } }, 'send', 2],
    ['not writes', { retry: { writes: false } }, undefined, 'send', 1],
  ]
  for (const [name, client, call, method, want] of rows) {
    const { url, all } = await serve(t, reset)
    t.match(await caught(readClient(url, client)[method](1, call)), { kind: 'network' }, name)
    t.equal(all.length, want, name)
  }
})

t.test('Retry-After is waited for, up to maxDelayMilliseconds', async (t) => {
  const times: number[] = []
  const { url } = await serve(t, (came, response) => {
    times.push(performance.now())
    failingOnce(came, response)
  })
  const failingOnce = failing(1, page(429, { 'retry-after': '1' }))
  t.equal(await readClient(url, { retry: { maxDelayMilliseconds: 1_000 } }).logs(1), 1)
  const [first = 0, second = 0] = times
  t.ok(second - first >= 990, 'not earlier than the service asks')
  const short = await serve(t, failing(1, page(429, { 'retry-after': '1' })))
  const client = readClient(short.url, { retry: { maxDelayMilliseconds: 999 } })
  t.match(await caught(client.logs(1)), { httpStatus: 429, retryAfterSeconds: 1 })
})

t.test('of a batch, only the calls that failed are sent again, together', async (t) => {
  let isFirst = true
  const { url, all } = await serve(t, (came, response) => {
    const answer = echo(({ params }) =>
      isFirst && Number(params[0]) > 1 ? { error: { code: 9, message: 'gone' } } : undefined,
    )
    answer(came, response)
    isFirst = false
  })
  const client = readClient(url)
  t.same(await Promise.all([client.balance(1), client.balance(2), client.balance(3)]), [1, 2, 3])
  t.same(shapes(all), [
    ['balance 1', 'balance 2', 'balance 3'],
    ['balance 2', 'balance 3'],
  ])
  isFirst = true
  all.length = 0
  t.same(await Promise.all([client.balance(1), client.balance(2)]), [1, 2])
  t.same(shapes(all), [['balance 1', 'balance 2'], 'balance 2'], 'a single call is not sent as a list')
})

t.test('each call of a batch has its own retries, and a write of an explicit batch has none', async (t) => {
  const { url, all } = await serve(t, failing(1, page(503)))
  const client = readClient(url)
  const outcomes = await client.batch((call) => [call.balance(1), call.send(2), call.logs(3)])
  t.match(outcomes, [{ value: 1 }, { reason: { httpStatus: 503, method: 'send' } }, { value: 3 }])
  t.same(shapes(all), [
    ['balance 1', 'send 2', 'logs 3'],
    ['balance 1', 'logs 3'],
  ])
  const again = await serve(t, failing(1, page(503)))
  const two = readClient(again.url)
  const found = await Promise.allSettled([two.balance(1, { retry: false }), two.balance(2)])
  t.match(found, [{ reason: { httpStatus: 503 } }, { value: 2 }])
})

t.test('an abort ends the wait before a repetition, and nothing more is sent', async (t) => {
  const { url, all, server } = await serve(t, (came, response) => {
    page(503, { 'retry-after': '9' })(came, response)
    response.on('close', () => server.emit('answered'))
  })
  const controller = new AbortController()
  const answered = once(server, 'answered')
  const sent = caught(readClient(url).logs(1, { signal: controller.signal }))
  await answered
  controller.abort('enough')
  t.equal(await sent, 'enough')
  t.equal(all.length, 1)
})

t.test('the budget bounds a call with its repetitions and waits', async (t) => {
  const wait = await serve(t, page(503, { 'retry-after': '5' }))
  const found = await caught(readClient(wait.url, { budgetMilliseconds: 2_000 }).logs(1))
  t.match(found, { httpStatus: 503, retryAfterSeconds: 5 }, 'no wait that would exceed it')
  t.equal(wait.all.length, 1)
  const silent = await serve(t, () => undefined)
  const client = readClient(silent.url, { budgetMilliseconds: 60 })
  const late = { kind: 'timeout', message: /^logs: no result within the budget of 60 ms/, method: 'logs' }
  t.match(await caught(client.logs(1)), late)
  t.match(await caught(readClient(silent.url).logs(1, { budgetMilliseconds: 60 })), late)
  const whole = await caught(client.batch((call) => [call.logs(1), call.balance(2)]))
  t.match(whole, { kind: 'timeout', method: undefined })
  t.match(await caught(client.logs(1, { budgetMilliseconds: 0 })), { name: 'RangeError' })
})

t.test('at most `concurrency` HTTP requests run at once, in order', async (t) => {
  const held: (() => void)[] = []
  const order: unknown[] = []
  const { url, server } = await serve(t, (came, response) => {
    order.push((came.sent as unknown as Sent).params[0])
    held.push(() => echo()(came, response))
    server.emit('held')
  })
  const client = readClient(url, { concurrency: 2 })
  const until = async (count: number) => {
    while (order.length < count) await once(server, 'held')
  }
  const controller = new AbortController()
  const sent = [1, 2, 3, 4, 5].map((of) =>
    caught(client.logs(of, of === 4 ? { signal: controller.signal } : {})),
  )
  await until(2)
  t.same([...order].sort(), [1, 2])
  controller.abort('left the queue')
  t.equal(await sent[3], 'left the queue')
  held[0]?.()
  await until(3)
  held[1]?.()
  await until(4)
  t.same(order.slice(2), [3, 5])
  for (const release of held.slice(2)) release()
  t.same(await Promise.all(sent), [undefined, undefined, undefined, 'left the queue', undefined])
})

t.test('a request that is abandoned frees its place, even if fetch ignores the signal', async (t) => {
  let calls = 0
  const never = () => {
    calls += 1
    return new Promise<never>(() => undefined)
  }
  const client = readClient('http://127.0.0.1/', { fetch: never, concurrency: 1, timeoutMilliseconds: 40 })
  const found = await Promise.all([caught(client.logs(1)), caught(client.logs(2))])
  t.match(found, [{ kind: 'timeout' }, { kind: 'timeout' }])
  t.equal(calls, 2)
})

t.test('middleware runs once around all attempts of a call', async (t) => {
  const { url, all } = await serve(t, failing(2, page(503)))
  let runs = 0
  const count: Middleware = (next) => (call) => {
    runs += 1
    return next(call)
  }
  t.equal(await readClient(url, { middleware: [count] }).logs(1), 1)
  t.equal(runs, 1)
  t.equal(all.length, 3)
})
