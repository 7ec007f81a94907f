import t from 'tap'
import type { NodeCallers } from '../../../../../src/service/gateway/nodes/index.js'
import { NodeCallLimiter } from '../../../../../src/service/gateway/nodes/index.js'
import { callersOf } from '../../../../support/node-callers.js'
import { until } from '../../../../support/until.js'

const limits = { perSecond: 200, atOnce: 4, waitMs: 20_000 }

/** A limiter on a clock of its own, and a node whose calls stay open until the test ends them. */
function limited(own: Partial<typeof limits> = {}) {
  const clock = { ms: 1_000_000 }
  const inForce = { ...limits, ...own }
  const limiter = new NodeCallLimiter(inForce, () => clock.ms)
  const open: { name: string; end: () => void }[] = []
  const call = limiter.limit(
    (name) => new Promise((resolve) => open.push({ name, end: () => resolve({ result: name }) })),
  )
  const names = () => open.map(({ name }) => name)
  const endAll = () => {
    for (const { end } of open.splice(0)) end()
  }
  return { limiter, inForce, call, clock, open, names, endAll }
}

const request = callersOf
const later = (...userIds: string[]): NodeCallers => ({ ...callersOf(...userIds), calls: 1 })
const turn = () => new Promise((resolve) => setImmediate(resolve))

t.test('the first node call of each request is free, and so are the calls of the service', async (t) => {
  const { call, open, endAll, limiter } = limited()
  for (let at = 0; at < 1_000; at++) {
    call('first', [], { callers: request('a') })
    call('check', [])
    call('check', [], { callers: request() })
  }
  t.equal(open.length, 3_000)
  t.equal(limiter.size, 0)
  endAll()
})

t.test('further calls are limited in number at once, over all requests of the user', async (t) => {
  const { call, names, open, endAll } = limited()
  const callers = request('a')
  const calls = ['0', '1', '2', '3', '4', '5', '6'].map((name) => call(name, [], { callers }))
  t.strictSame(names(), ['0', '1', '2', '3', '4'])
  t.equal(callers.queued, 2)
  calls.push(call('other request', [], { callers: later('a') }))
  calls.push(call('other user', [], { callers: later('b') }))
  t.strictSame(names().slice(5), ['other user'], 'other users do not wait')
  open[1]?.end()
  await turn()
  t.strictSame(names().slice(6), ['5'], 'first come, first served')
  endAll()
  await turn()
  endAll()
  await Promise.all(calls)
  t.equal(callers.queued, 0)
})

t.test('changed limits apply to the next calls, and to those that wait', async (t) => {
  const { call, inForce, clock, open, endAll } = limited()
  const callers = later('a')
  for (let at = 0; at < 300; at++) call('x', [], { callers })
  t.equal(open.length, 4)
  inForce.atOnce = 100_000
  await until(() => open.length === 200)
  inForce.perSecond = 1_000
  clock.ms += 50
  await until(() => open.length === 250)
  inForce.perSecond = 100
  clock.ms += 50
  await until(() => open.length === 255)
  inForce.atOnce = 1
  clock.ms += 1_000
  call('other', [], { callers: later('b') })
  call('other', [], { callers: later('b') })
  t.equal(open.length, 256)
  inForce.atOnce = 1_000
  await until(() => open.length === 302)
  endAll()
})

t.test('further calls are limited to a number each second, after one second that was not used', async (t) => {
  const { call, clock, open, endAll } = limited({ atOnce: 100_000, waitMs: 1_000_000 })
  const callers = later('a')
  for (let at = 0; at < 1_000; at++) call('x', [], { callers })
  t.equal(open.length, 200)
  for (const [milliseconds, made] of [
    [50, 210],
    [950, 400],
    [1_000, 600],
  ] as const) {
    clock.ms += milliseconds
    await until(() => open.length >= made)
    t.equal(open.length, made)
  }
  clock.ms += 60_000
  await until(() => open.length >= 800)
  t.equal(open.length, 800, 'no more than one second is kept')
  clock.ms += 60_000
  await until(() => callers.queued === 0)
  endAll()
})

t.test('a shared call counts for the first of its users who has room', async (t) => {
  const { call, names, open, endAll } = limited({ atOnce: 1 })
  call('a', [], { callers: later('a') })
  const shared = later('a', 'b')
  call('shared', [], { callers: shared })
  t.strictSame(names(), ['a', 'shared'], 'the second user has room')
  const waiting = later('a', 'b')
  call('waits', [], { callers: waiting })
  t.equal(waiting.queued, 1)
  open[1]?.end()
  await turn()
  t.strictSame(names(), ['a', 'shared', 'waits'])
  t.equal(waiting.queued, 0)
  endAll()
})

t.test('a call leaves the queue when its caller disconnects, or when its turn comes too late', async (t) => {
  const { call, clock, names, endAll } = limited({ atOnce: 1 })
  call('runs', [], { callers: later('a') })
  const gone = new RangeError('gone')
  const signal = { aborted: false, reason: gone }
  const callers = later('a')
  const leaving = call('leaves', [], { callers, signal })
  const late = call('late', [], { callers })
  signal.aborted = true
  clock.ms += 100
  await t.rejects(leaving, gone)
  t.equal(callers.queued, 1)
  clock.ms += limits.waitMs
  await t.rejects(late, { code: -32002, httpStatus: 504 })
  t.equal(callers.queued, 0)
  t.strictSame(names(), ['runs'])
  endAll()
})

t.test('a call whose caller has disconnected counts until the node has answered', async (t) => {
  const { limiter } = limited({ atOnce: 1 })
  const names: string[] = []
  let answer = () => {}
  const call = limiter.limit((name, _, options) => {
    names.push(name)
    if (name === 'stays') return Promise.resolve({ result: name })
    options?.keepPlace?.(
      new Promise((resolve) => {
        answer = resolve
      }),
    )
    return Promise.reject(new RangeError('gone'))
  })
  await t.rejects(call('leaves', [], { callers: later('a') }), RangeError)
  const callers = later('a')
  const staying = call('stays', [], { callers })
  await turn()
  t.strictSame(names, ['leaves'])
  t.equal(callers.queued, 1)
  answer()
  t.strictSame(await staying, { result: 'stays' })
  t.strictSame(names, ['leaves', 'stays'])
})

t.test('users without calls are forgotten', async (t) => {
  const { call, clock, limiter, endAll } = limited()
  for (let at = 0; at < 5_000; at++) {
    const one = call('x', [], { callers: later(`user ${at}`) })
    endAll()
    await one
    clock.ms += 10
  }
  t.ok(limiter.size <= 200, `${limiter.size} users are remembered`)
})
