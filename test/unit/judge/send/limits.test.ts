import type { IncomingMessage, ServerResponse } from 'node:http'
import t from 'tap'
import { NotSent } from '../../../../src/judge/send/exchange.js'
import { type Clock, retryAfter } from '../../../../src/judge/send/pacer.js'
import { callOf, testSender } from './requests.js'
import { httpServer } from './servers.js'

/** A clock that advances only during waits, and records who waited how long. */
function steppedClock() {
  let time = 1000
  const waits: number[] = []
  const clock: Clock = {
    now: () => time,
    sleep: async (milliseconds) => {
      waits.push(milliseconds)
      const end = time + milliseconds
      await new Promise((resolve) => setImmediate(resolve))
      time = Math.max(time, end)
    },
  }
  return { clock, waits, time: () => time }
}

/** Scripted answers; the last one repeats. */
function inTurn(...answers: ((response: ServerResponse, request: IncomingMessage) => void)[]) {
  let count = 0
  return (request: IncomingMessage, response: ServerResponse) => {
    answers[Math.min(count++, answers.length - 1)]?.(response, request)
  }
}

const limited = (status: number, headers: Record<string, string>) => (response: ServerResponse) =>
  response.writeHead(status, headers).end('limited')
const served = (response: ServerResponse) => response.end('{}')

t.test('the budget is exact under 200 concurrent requests', async (t) => {
  let received = 0
  const origin = await httpServer(t, (_request, response) => {
    received++
    response.end('{}')
  })
  const sender = testSender(t, { budget: 101, concurrency: 16 })
  const results = await Promise.allSettled(
    Array.from({ length: 200 }, (_, index) =>
      sender.send(callOf(origin, { billed: index % 2 === 0 ? 1 : 2 })),
    ),
  )
  const refused = results.filter((result) => result.status === 'rejected')
  t.ok(refused.every(({ reason }) => reason instanceof NotSent && reason.reason === 'budget'))
  t.equal(sender.counts().billed, 101)
  t.equal(sender.remaining(), 0)
  t.equal(sender.counts().http, received)
  t.equal(received, 200 - refused.length)
  const last = await sender.send(callOf(origin)).catch((error: unknown) => error)
  t.match(
    (last as NotSent).message,
    'It would be billed as 1, but the budget of 101 requests has only 0 left.',
  )
  await sender.send(callOf(origin, { billed: 0 }))
  t.equal(received, 200 - refused.length + 1, 'uncounted requests are still sent')
})

t.test('requests that are held back, or do not fit, are not counted', async (t) => {
  const origin = await httpServer(t, (_request, response) => response.end('{}'))
  const sender = testSender(t, { budget: 5 })
  await t.rejects(sender.send(callOf(origin, { method: 'things_put' })), {
    name: 'NotSent',
    message: /--allow write/,
  })
  await t.rejects(sender.send(callOf(origin, { billed: 6 })), { name: 'NotSent', message: /the budget/ })
  await sender.send(callOf(origin, { billed: 5 }))
  t.same(sender.counts(), { http: 1, billed: 5, writes: 0, heldBack: 1, limited: 0, unanswered: 0 })
  t.equal(testSender(t).remaining(), undefined)
})

t.test('concurrency never exceeds its limit, and every request is sent', async (t) => {
  const open = new Set<ServerResponse>()
  let most = 0
  const origin = await httpServer(t, (_request, response) => {
    open.add(response)
    most = Math.max(most, open.size)
    setImmediate(() => {
      open.delete(response)
      response.end('{}')
    })
  })
  const sender = testSender(t, { concurrency: 3 })
  await Promise.all(Array.from({ length: 200 }, () => sender.send(callOf(origin))))
  t.equal(sender.counts().http, 200)
  t.ok(most <= 3, `${most} at once`)
})

t.test('requests are sent in their order', async (t) => {
  const order: string[] = []
  const origin = await httpServer(t, (request, response) => {
    order.push(request.url ?? '')
    response.end('{}')
  })
  const sender = testSender(t, { concurrency: 1 })
  const paths = Array.from({ length: 30 }, (_, index) => `/${index}`)
  await Promise.all(paths.map((path) => sender.send(callOf(`${origin}${path}`))))
  t.same(order, paths)
})

t.test('requests start evenly spaced, without a burst at the start or after a pause', async (t) => {
  const { clock, time } = steppedClock()
  const starts: number[] = []
  const origin = await httpServer(t, (_request, response) => {
    starts.push(time())
    response.end('{}')
  })
  const sender = testSender(t, { perSecond: 10, concurrency: 1, clock })
  await Promise.all(Array.from({ length: 5 }, () => sender.send(callOf(origin))))
  await clock.sleep(5000, new AbortController().signal)
  await Promise.all(Array.from({ length: 3 }, () => sender.send(callOf(origin))))
  t.same(starts, [1000, 1100, 1200, 1300, 1400, 6400, 6500, 6600])
})

t.test('429 and 503 with Retry-After are retried, and the wait blocks no other request', async (t) => {
  const { clock, waits } = steppedClock()
  const origin = await httpServer(
    t,
    inTurn(limited(429, { 'retry-after': '60' }), limited(503, { 'retry-after': '2' }), served),
  )
  const seen: unknown[] = []
  const sender = testSender(t, { clock, onLimited: (wait) => seen.push(wait), budget: 10 })
  const { reply } = await sender.send(callOf(origin))
  t.equal(reply?.text, '{}')
  t.same(seen, [
    { status: 429, milliseconds: 60_000 },
    { status: 503, milliseconds: 2000 },
  ])
  t.same(waits, [60_000, 2000], 'up to the longest wait')
  t.match(sender.counts(), { http: 3, limited: 2 })
  t.equal(sender.counts().billed, 3, 'each attempt may have been billed')
})

t.test('during the wait after a 429 no other request starts, and its place is free', async (t) => {
  const { clock, time } = steppedClock()
  const starts: (readonly [string, number])[] = []
  const answer = inTurn(limited(429, { 'retry-after': '3' }), served)
  const origin = await httpServer(t, (request, response) => {
    starts.push([request.url ?? '', time()])
    answer(request, response)
  })
  const sender = testSender(t, { concurrency: 1, clock })
  await Promise.all(['/a', '/b', '/c'].map((path) => sender.send(callOf(`${origin}${path}`))))
  t.same(starts[0], ['/a', 1000])
  t.same(
    starts
      .slice(1)
      .map(([path]) => path)
      .sort(),
    ['/a', '/b', '/c'],
  )
  t.ok(starts.slice(1).every(([, at]) => at >= 4000))
})

t.test('a service that refuses repeatedly is asked four times, and its last answer counts', async (t) => {
  const { clock } = steppedClock()
  const origin = await httpServer(t, limited429)
  const sender = testSender(t, { clock })
  t.equal((await sender.send(callOf(origin))).reply?.status, 429)
  t.match(sender.counts(), { http: 4, limited: 3 })
})

function limited429(_request: IncomingMessage, response: ServerResponse): void {
  limited(429, { 'retry-after': '0' })(response)
}

t.test('an answer that no wait can improve, or that the case is about, is returned', async (t) => {
  const answers: Record<string, readonly [number, Record<string, string>]> = {
    '/no-time': [429, {}],
    '/too-long': [429, { 'retry-after': '61' }],
    '/no-number': [429, { 'retry-after': 'soon' }],
    '/other': [502, { 'retry-after': '1' }],
    '/short': [429, { 'retry-after': '1' }],
    '/absent': [503, { 'retry-after': '1' }],
  }
  const origin = await httpServer(t, (request, response) => {
    const [status, headers] = answers[request.url ?? ''] ?? [200, {}]
    response.writeHead(status, headers).end()
  })
  const allow = new Set(['write', 'spends-quota'] as const)
  const { clock, waits } = steppedClock()
  const sender = testSender(t, { clock, allow })
  const status = async (path: string, rest = {}) =>
    (await sender.send(callOf(`${origin}${path}`, rest))).reply?.status
  t.equal(await status('/no-time'), 429)
  t.equal(await status('/too-long'), 429)
  t.equal(await status('/no-number'), 429)
  t.equal(await status('/other'), 502)
  t.equal(await status('/short', { effect: 'spends-quota' }), 429)
  t.equal(await status('/short', { expectsLimit: true }), 429)
  t.equal(await status('/absent', { expectsLimit: true }), 503)
  t.equal(await status('/absent', { method: 'things_put' }), 503, 'a write may have happened')
  t.match(sender.counts(), { http: 8, limited: 0 })
  t.same(waits, [])
})

t.test(
  'a case that spends the quota waits for a service that cannot tell the remaining requests',
  async (t) => {
    const { clock, waits } = steppedClock()
    const origin = await httpServer(t, inTurn(limited(503, { 'retry-after': '2' }), limited(429, {})))
    const sender = testSender(t, { clock, allow: new Set(['spends-quota'] as const) })
    const { reply } = await sender.send(callOf(origin, { effect: 'spends-quota' }))
    t.equal(reply?.status, 429, 'which is the subject of the case')
    t.same(waits, [2000])
  },
)

t.test('a retry beyond the budget is not sent', async (t) => {
  const origin = await httpServer(t, limited429)
  const sender = testSender(t, { budget: 2, clock: steppedClock().clock })
  t.equal((await sender.send(callOf(origin))).reply?.status, 429)
  t.match(sender.counts(), { http: 2, billed: 2, limited: 1 })
})

t.test('closing ends every wait', async (t) => {
  const origin = await httpServer(t, limited429Late)
  const sender = testSender(t, { onLimited: () => sender.close() })
  t.equal((await sender.send(callOf(origin))).reply?.status, 429)
  const paced = testSender(t, { perSecond: 0.001 })
  t.equal((await paced.send(callOf(origin, { expectsLimit: true }))).reply?.status, 429)
  const waiting = paced.send(callOf(origin))
  paced.close()
  t.equal((await waiting).trouble?.kind, 'other')
})

function limited429Late(_request: IncomingMessage, response: ServerResponse): void {
  limited(429, { 'retry-after': '50' })(response)
}

t.test('Retry-After is read as seconds, or as a date relative to the answer’s own', async (t) => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  const cases: (readonly [Record<string, string>, number | undefined])[] = [
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': ' 12 ' }, 12_000],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }, 5000],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT', date: 'Thu, 01 Jan 2026 00:00:03 GMT' }, 2000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:05 GMT' }, 0],
    [{ 'retry-after': '-1' }, undefined],
    [{ 'retry-after': '1.5' }, undefined],
    [{ 'retry-after': 'Monday' }, undefined],
    [{}, undefined],
  ]
  for (const [headers, expected] of cases) {
    t.equal(
      retryAfter({ status: 429, headers, bytes: new Uint8Array(), text: '' }, now),
      expected,
      JSON.stringify(headers),
    )
  }
})

const stated = new Map([
  [-32005, 2000],
  [-32006, undefined],
])

/** A batch's answer with these error codes. */
const batchOf =
  (...codes: number[]) =>
  (response: ServerResponse) =>
    response.end(
      JSON.stringify(codes.map((code, id) => ({ jsonrpc: '2.0', id, error: { code, message: '' } }))),
    )

t.test('limit errors in items of a batch are waited for, as the contract states', async (t) => {
  const sent = async (codes: readonly number[], options = {}, rest = {}) => {
    const { clock, waits } = steppedClock()
    const origin = await httpServer(t, inTurn(batchOf(...codes), served))
    const sender = testSender(t, {
      clock,
      limitErrors: stated,
      allow: new Set(['write', 'spends-quota']),
      ...options,
    })
    await sender.send(callOf(origin, rest))
    return { waits, ...sender.counts() }
  }
  t.match(await sent([-32000, -32005]), { waits: [2000], http: 2, limited: 1, billed: 2 })
  t.match(await sent([-32000]), { http: 1 }, 'another error')
  t.match(await sent([-32005, -32006]), { http: 1 }, 'no time is stated')
  t.match(await sent([-32005], { budget: 1 }), { http: 1 }, 'no budget for a retry')
  t.match(await sent([-32005], {}, { method: 'things_put' }), { http: 1 }, 'other items may have written')
  t.match(await sent([-32005], {}, { effect: 'spends-quota' }), { http: 1 }, 'the case is about the limit')
  t.match(await sent([-32005], { limitErrors: new Map([[-32005, 60_001]]) }), { http: 1 }, 'too long')
  t.match(await sent([-32005], { limitErrors: new Map([[-32005, 60_000]]) }), { http: 2 })
})

t.test('a limit error with status 200 over HTTP is returned', async (t) => {
  const single = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32005, message: '' } })
  const origin = await httpServer(t, (_request, response) => response.end(single))
  const sender = testSender(t, { limitErrors: stated })
  t.equal((await sender.send(callOf(origin))).reply?.text, single)
  t.match(sender.counts(), { http: 1, limited: 0 })
})
