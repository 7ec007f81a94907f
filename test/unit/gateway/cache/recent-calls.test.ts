import t from 'tap'
import { RecentCall, RecentCalls } from '../../../../src/gateway/cache/recent-calls.js'
import { RawJson } from '../../../../src/rpc/index.js'

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
