import t from 'tap'
import { createConcurrencyLimiter } from '../../../../../src/service/gateway/util/index.js'

/** Work that ends when the test ends it. */
function heldWork(name: string, log: string[]) {
  let end: (value: string) => void = () => {}
  const ended = new Promise<string>((resolve) => {
    end = resolve
  })
  return {
    run: () => {
      log.push(name)
      return ended
    },
    end: () => end(name),
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

t.test('the limit applies per user, in order, and other users do not wait', async (t) => {
  const limiter = createConcurrencyLimiter(2)
  const begun: string[] = []
  const work = ['a', 'b', 'c', 'd'].map((name) => heldWork(name, begun))
  const results = work.map(({ run }) => limiter.run('ada', run))
  await settled()
  t.same(begun, ['a', 'b'])
  const other = heldWork('x', begun)
  const others = limiter.run('bob', other.run)
  other.end()
  t.equal(await others, 'x')
  work[1]?.end()
  t.equal(await results[1], 'b')
  t.same(begun, ['a', 'b', 'x', 'c'])
  for (const { end } of work) end()
  t.same(await Promise.all(results), ['a', 'b', 'c', 'd'])
})

t.test('failed work releases its place', async (t) => {
  const limiter = createConcurrencyLimiter(1)
  const fail = () => Promise.reject(new RangeError('no'))
  const results = await Promise.allSettled([
    limiter.run('ada', fail),
    limiter.run('ada', fail),
    limiter.run('ada', async () => 1),
  ])
  t.same(
    results.map(({ status }) => status),
    ['rejected', 'rejected', 'fulfilled'],
  )
})

t.test('work whose caller leaves gives up its place in the queue', async (t) => {
  const limiter = createConcurrencyLimiter(1)
  const begun: string[] = []
  const work = ['a', 'b', 'c'].map((name) => heldWork(name, begun))
  const leaving = new AbortController()
  const results = work.map(({ run }, at) => limiter.run('ada', run, at === 1 ? leaving.signal : undefined))
  leaving.abort(new RangeError('left'))
  await t.rejects(async () => results[1], RangeError)
  await t.rejects(
    limiter.run('ada', async () => 1, leaving.signal),
    RangeError,
  )
  for (const { end } of work) end()
  t.same(await Promise.all([results[0], results[2]]), ['a', 'c'])
  t.same(begun, ['a', 'c'])
})
