import t from 'tap'
import { FairLimiter, type FairLimits, Holder } from '../../../../../src/runtime/server/index.js'

const limiterOf = (limits: FairLimits) => new FairLimiter(limits, () => new Holder())
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Waits for units of a key, and records the key when they are taken. */
function waitingAt(limiter: FairLimiter) {
  const taken: string[] = []
  const wait = async (key: string, units = 1) => {
    const end = await limiter.wait(limiter.of(key), { units })
    if (end === 'taken') taken.push(key)
  }
  return { taken, wait }
}

t.test('units have a bound for each key and one for all keys', async (t) => {
  const limiter = limiterOf({ units: 10, unitsPerKey: 4 })
  const [a, b, c] = ['a', 'b', 'c'].map((key) => limiter.of(key)) as [Holder, Holder, Holder]
  t.ok(limiter.take(a, 4))
  t.notOk(limiter.take(a), 'the bound of the key')
  t.ok(limiter.take(b, 4))
  t.notOk(limiter.take(c, 3), 'the bound of all keys')
  t.ok(limiter.take(c, 2))
  t.equal(limiter.holders, 3)
  limiter.give(a, 4)
  t.same([limiter.units, limiter.holders], [6, 2])
})

t.test('only one request of a key may exceed the bound of the key, where that is allowed', async (t) => {
  const limiter = limiterOf({ units: 100, unitsPerKey: 25, mayExceedAlone: true })
  const [a, b] = [limiter.of('a'), limiter.of('b')]
  t.ok(limiter.take(a, 60))
  t.notOk(limiter.take(a, 1))
  t.ok(limiter.resize(a, 60, 70))
  t.ok(limiter.take(b, 20))
  t.notOk(limiter.resize(b, 20, 31), 'the bound of all keys')
  t.notOk(limiter.take(b, 6))
  t.ok(limiter.resize(a, 70, 10))
  t.ok(limiter.take(a, 15), 'the bound of the key counts again')
  t.notOk(limiter.take(a, 1))
})

t.test('a key may have a bound of its own', async (t) => {
  const limiter = new FairLimiter(
    { units: 10, unitsPerKey: 1 },
    (key) => new Holder(key === 'own' ? 9 : undefined),
  )
  t.ok(limiter.take(limiter.of('own'), 9))
  t.ok(limiter.take(limiter.of('a')))
  limiter.give(limiter.of('own'), 9)
  t.notOk(limiter.take(limiter.of('a')))
})

t.test('keys take turns, and requests of a key start in order', async (t) => {
  const limiter = limiterOf({ units: 1 })
  limiter.take(limiter.of('x'))
  const { taken, wait } = waitingAt(limiter)
  const all = [...'aaabbc'].map((key) => wait(key))
  for (let at = 0; at < all.length; at++) {
    limiter.give(limiter.of(taken.at(-1) ?? 'x'))
    t.notOk(limiter.take(limiter.of('y')), 'a new request does not overtake the waiting ones')
    await settled()
  }
  t.equal(taken.join(''), 'abcaba')
})

t.test('a small request overtakes only requests that wait for the units of their own key', async (t) => {
  const limiter = limiterOf({ units: 100, unitsPerKey: 50, mayExceedAlone: true })
  for (const [key, units] of [
    ['a', 60],
    ['b', 25],
    ['c', 15],
  ] as const)
    limiter.take(limiter.of(key), units)
  const { taken, wait } = waitingAt(limiter)
  const all = [wait('a', 30), wait('d', 35), wait('e', 4)]
  limiter.give(limiter.of('c'), 15)
  await settled()
  t.same(taken, [], 'e does not overtake d')
  limiter.give(limiter.of('b'), 25)
  await settled()
  t.same(taken, ['d', 'e'], 'they overtake a')
  limiter.give(limiter.of('a'), 60)
  await Promise.all(all)
  t.same(taken, ['d', 'e', 'a'])
})

t.test('a wait ends with its signal or its time, and lets the next request start', async (t) => {
  const limiter = limiterOf({ units: 10 })
  const [a, b, c] = ['a', 'b', 'c'].map((key) => limiter.of(key)) as [Holder, Holder, Holder]
  limiter.take(a, 5)
  const controller = new AbortController()
  const { signal } = controller
  const leaving = limiter.wait(b, { units: 6, bytes: 7, signal })
  const next = limiter.wait(c, { units: 5 })
  t.same([limiter.waiting, limiter.waitingBytes, b.waitingBytes], [2, 7, 7])
  controller.abort()
  t.equal(await leaving, 'left')
  t.equal(await next, 'taken')
  t.equal(await limiter.wait(b, { signal }), 'left')
  t.equal(await limiter.wait(b, { milliseconds: 1 }), 'late')
  t.same([limiter.waiting, limiter.waitingBytes, b.waitingBytes, limiter.units], [0, 0, 0, 10])
})

t.test('a request whose signal has fired takes neither units nor the turn of its key', async (t) => {
  const limiter = limiterOf({ units: 1 })
  limiter.take(limiter.of('x'))
  const signal = { aborted: false, addEventListener() {}, removeEventListener() {} }
  const left = limiter.wait(limiter.of('a'), { signal })
  const { taken, wait } = waitingAt(limiter)
  const all = [wait('a'), wait('b')]
  signal.aborted = true
  limiter.give(limiter.of('x'))
  t.equal(await left, 'left')
  limiter.give(limiter.of('a'))
  await Promise.all(all)
  t.same(taken, ['a', 'b'])
})

t.test('the moment and the number of starts can be chosen', async (t) => {
  let ready = 0
  const limiter = limiterOf({ onReady: () => ready++ })
  const { taken, wait } = waitingAt(limiter)
  const all = [...'aab'].map((key) => wait(key))
  t.ok(ready > 0)
  await settled()
  t.same(taken, [])
  t.ok(limiter.start(2))
  await settled()
  t.same(taken, ['a', 'b'])
  t.notOk(limiter.start(2))
  await Promise.all(all)
})

t.test('a task runs while it holds a place, and failed tasks release it', async (t) => {
  const limiter = limiterOf({ unitsPerKey: 1 })
  let end = () => {}
  const first = limiter.run('a', () => new Promise<void>((resolve) => (end = resolve)))
  const begun: string[] = []
  const failing = limiter.run('a', () => Promise.reject(new RangeError('no')))
  const last = limiter.run('a', async () => begun.push('last'))
  const leaving = new AbortController()
  const left = limiter.run('a', async () => begun.push('left'), leaving.signal)
  leaving.abort(new RangeError('left'))
  await t.rejects(left, RangeError)
  await t.rejects(limiter.run('b', async () => begun.push('b'), leaving.signal).then(() => left))
  t.same(begun, ['b'], 'other keys do not wait')
  end()
  await t.rejects(failing, RangeError)
  await Promise.all([first, last])
  t.same(begun, ['b', 'last'])
  t.same([limiter.units, limiter.holders], [0, 0])
})

t.test('many idle keys are dropped, and those with units or waiting requests stay', async (t) => {
  const limiter = limiterOf({ unitsPerKey: 1 })
  const held = limiter.of('held')
  limiter.take(held)
  const later = limiter.wait(held)
  const idle = limiter.of('idle')
  for (let at = 0; at < 1_000; at++) {
    const holder = limiter.of(`${at}`)
    limiter.take(holder)
    limiter.give(holder)
  }
  t.equal(limiter.of('held'), held)
  t.not(limiter.of('idle'), idle)
  limiter.give(held)
  t.equal(await later, 'taken')
})
