import t from 'tap'
import { RawJson } from '../../../../../src/runtime/rpc/index.js'
import { RecentCall, RecentCalls } from '../../../../../src/service/gateway/cache/answer-cache.js'
import type { Asker } from '../../../../../src/service/gateway/cache/index.js'

const underWay = () => {
  const call = new RecentCall({})
  call.answer = Promise.resolve('0x1')
  return call
}

/** Adds a call and settles it. */
function land(calls: RecentCalls, key: string, characters = 1): RecentCall {
  const call = underWay()
  calls.add(key, call)
  call.end()
  call.result = new RawJson('1'.repeat(characters))
  calls.ended(key, call)
  return call
}

t.test('the number of calls is limited, and the newest and most used ones stay', async (t) => {
  const calls = new RecentCalls(1_000_000, 100)
  land(calls, 'asked for')
  for (let number = 0; number < 1_000; number++) {
    land(calls, `other ${number}`)
    if (calls.get('asked for') === undefined) t.fail(`after ${number}`)
  }
  const found = Array.from({ length: 1_000 }, (_, number) => calls.get(`other ${number}`)).filter(Boolean)
  t.ok(found.length >= 49 && found.length <= 100, `${found.length} calls stay`)
  t.ok(calls.get('other 999'))
  calls.clear()
  t.equal(calls.get('other 999'), undefined)
  t.equal(calls.get('asked for'), undefined)
})

t.test('a pending call is found however many others settle meanwhile', async (t) => {
  const calls = new RecentCalls(1_000_000, 10)
  const slow = underWay()
  calls.add('slow', slow)
  for (let number = 0; number < 1_000; number++) land(calls, `other ${number}`)
  t.equal(calls.get('slow'), slow)
  slow.end()
  calls.ended('slow', slow)
  for (let number = 0; number < 20; number++) land(calls, `more ${number}`)
  t.equal(calls.get('slow'), undefined)
})

t.test('the size is limited in bytes, keys included', async (t) => {
  const calls = new RecentCalls(10_000, 1_000)
  const large = land(calls, 'large', 4_000)
  t.equal(calls.get('large'), large)
  for (let number = 0; number < 20; number++) land(calls, `${number}`.padStart(1_000))
  t.equal(calls.get('large'), undefined)
  const kept = Array.from({ length: 20 }, (_, number) => calls.get(`${number}`.padStart(1_000))).filter(
    Boolean,
  )
  t.ok(kept.length >= 4 && kept.length <= 10, `${kept.length} calls stay`)
})

/**
 * Returns how many of some calls are still cached after the last one. Each is looked up in its own cache, because a
 * look-up counts as a use.
 */
function staying(
  count: number,
  characters: number,
  limits: ConstructorParameters<typeof RecentCalls>,
): number {
  const numbers = Array.from({ length: count }, (_, number) => `${number}`)
  return numbers.filter((wanted) => {
    const calls = new RecentCalls(...limits)
    for (const number of numbers) land(calls, number, characters)
    return calls.get(wanted) !== undefined
  }).length
}

t.test('the limits hold after every call, and about half of them is used', async (t) => {
  for (let landed = 1; landed < 30; landed++) {
    const calls = staying(landed, 1, [1_000_000, 10])
    t.ok(calls <= 10 && calls >= Math.min(landed, 5), `${calls} of ${landed} calls`)
    const answers = staying(landed, 1_000, [10_000, 1_000])
    t.ok(answers <= 10 && answers >= Math.min(landed, 5), `${answers} of ${landed} answers of 1,000 bytes`)
  }
})

t.test('calls that are used again and again count each time', async (t) => {
  const calls = new RecentCalls(1_000_000, 10)
  for (let number = 0; number < 200; number++) {
    land(calls, `${number}`)
    for (let used = 0; used <= number; used++) calls.get(`${used}`)
  }
  const found = Array.from({ length: 200 }, (_, number) => calls.get(`${number}`)).filter(Boolean).length
  t.ok(found >= 5 && found <= 10, `${found} calls stay`)
})

t.test('after a new block the calls are counted from zero', async (t) => {
  const calls = new RecentCalls(1_000, 10)
  land(calls, 'before', 450)
  for (let number = 0; number < 3; number++) land(calls, `before ${number}`)
  calls.clear()
  for (let number = 0; number < 6; number++) land(calls, `${number}`, 60)
  t.ok(calls.get('0'), 'six calls stay, with 366 bytes')
})

t.test('a call has the ids of its users once, and forgets its callers at its end', async (t) => {
  const held: string[] = []
  const counted: string[] = []
  const caller = (userId: string | undefined): Asker => ({
    userId,
    countNodeCall: () => void counted.push(`${userId}`),
    keepPlace: () => void held.push(`${userId}`),
  })
  const call = new RecentCall(caller('ada'))
  for (const userId of ['bob', 'ada', undefined, 'bob']) call.join(caller(userId))
  t.strictSame(call.userIds, ['ada', 'bob'])
  t.equal(call.isOpenTo({ userId: 'eve' }), true)
  call.queued = 1
  t.strictSame(
    ['ada', 'bob', 'eve', undefined].map((userId) => call.isOpenTo({ userId })),
    [true, true, false, true],
  )
  call.keepPlace(Promise.resolve())
  call.countNodeCall()
  const everyone = ['ada', 'bob', 'ada', 'undefined', 'bob']
  t.strictSame([held, counted], [everyone, ['ada']])
  call.end()
  call.keepPlace(Promise.resolve())
  call.countNodeCall()
  t.strictSame([held, counted], [everyone, ['ada']])
})
