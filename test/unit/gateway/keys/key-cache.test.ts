import t from 'tap'
import { createKeyCache, type KnownKey } from '../../../../src/gateway/keys/lookup/key-cache.js'

/** A table of keys whose answers are given when the test says so. */
function table(rows: Record<string, KnownKey | undefined>) {
  const asked: string[] = []
  const waiting: (() => void)[] = []
  let held = false
  return {
    rows,
    asked,
    hold: () => {
      held = true
    },
    release: () => {
      held = false
      for (const answer of waiting.splice(0)) answer()
    },
    async find(digest: string): Promise<KnownKey | undefined> {
      asked.push(digest)
      const row = rows[digest]
      if (held) await new Promise<void>((resolve) => waiting.push(resolve))
      return row
    },
  }
}

const known = (id: string, enabled = true): KnownKey => ({
  key: { id, userId: 'u', network: 'test', dailyLimit: null, monthlyLimit: null, access: {} },
  enabled,
})

t.test('a key is asked for once and then known at once', async (t) => {
  const { find, asked } = table({ d1: known('k1') })
  const cache = createKeyCache(find, 10, 6)
  t.match(await cache.lookup('d1'), { id: 'k1' })
  t.match(cache.lookup('d1'), { id: 'k1' }, 'without a promise')
  t.same(asked, ['d1'])
})

t.test('a disabled key is known and refused', async (t) => {
  const { find, asked } = table({ d1: known('k1', false) })
  const cache = createKeyCache(find, 10, 6)
  t.equal(await cache.lookup('d1'), undefined)
  t.equal(cache.lookup('d1'), undefined)
  t.same(asked, ['d1'])
})

t.test('what does not exist is not remembered', async (t) => {
  const keys = table({})
  const cache = createKeyCache(keys.find, 10, 6)
  t.equal(await cache.lookup('d1'), undefined)
  keys.rows['d1'] = known('k1')
  t.match(await cache.lookup('d1'), { id: 'k1' }, 'a new key works at once')
})

t.test('those who ask at the same time share one question', async (t) => {
  const keys = table({ d1: known('k1') })
  const cache = createKeyCache(keys.find, 10, 6)
  keys.hold()
  const all = Promise.all([cache.lookup('d1'), cache.lookup('d1'), cache.lookup('d1')])
  keys.release()
  t.same(
    (await all).map((key) => key?.id),
    ['k1', 'k1', 'k1'],
  )
  t.same(keys.asked, ['d1'])
})

t.test('a change is seen by the next lookup', async (t) => {
  const keys = table({ d1: known('k1') })
  const cache = createKeyCache(keys.find, 10, 6)
  await cache.lookup('d1')
  await cache.changing('k1', async () => {
    keys.rows['d1'] = known('k1', false)
  })
  t.equal(await cache.lookup('d1'), undefined)
})

t.test('an answer that is older than a change is not kept', async (t) => {
  const keys = table({ d1: known('k1') })
  const cache = createKeyCache(keys.find, 10, 6)
  keys.hold()
  const early = cache.lookup('d1')
  await cache.changing('k1', async () => {
    keys.rows['d1'] = undefined
  })
  const later = cache.lookup('d1')
  keys.release()
  t.match(await early, { id: 'k1' }, 'who asked before the change may still be let in')
  t.equal(await later, undefined, 'who asked after it is not')
  t.equal(await cache.lookup('d1'), undefined)
})

t.test('a change that fails leaves nothing behind', async (t) => {
  const keys = table({ d1: known('k1') })
  const cache = createKeyCache(keys.find, 10, 6)
  await cache.lookup('d1')
  await t.rejects(cache.changing('k1', () => Promise.reject(new Error('no'))))
  t.match(await cache.lookup('d1'), { id: 'k1' })
  t.equal(keys.asked.length, 2)
})

t.test('a failing database fails the lookup, and the next one asks again', async (t) => {
  let broken = true
  const find = async () => {
    if (broken) throw new Error('down')
    return known('k1')
  }
  const cache = createKeyCache(find, 10, 6)
  await t.rejects(Promise.resolve(cache.lookup('d1')), { message: 'down' })
  broken = false
  t.match(await cache.lookup('d1'), { id: 'k1' })
})

t.test('it holds as many as it may, and lets the longest kept go', async (t) => {
  const { find, asked } = table({ d1: known('k1'), d2: known('k2'), d3: known('k3') })
  const cache = createKeyCache(find, 2, 6)
  for (const digest of ['d1', 'd2', 'd3']) await cache.lookup(digest)
  t.match(cache.lookup('d2'), { id: 'k2' })
  t.match(cache.lookup('d3'), { id: 'k3' })
  await cache.lookup('d1')
  t.same(asked, ['d1', 'd2', 'd3', 'd1'])
})

t.test('a text leads to its key as long as the key is kept, and no longer', async (t) => {
  const { find } = table({ d1: known('k1'), d2: known('k2'), d3: known('k3', false) })
  const cache = createKeyCache(find, 2, 6)
  t.equal(cache.known('d1', 'text 1'), undefined, 'nothing is kept of a key that is not known')
  t.equal(cache.ofText('text 1'), undefined)
  await cache.lookup('d1')
  t.equal(cache.ofText('text 1'), undefined, 'nobody has told its text')
  t.match(cache.known('d1', 'text 1'), { id: 'k1' })
  t.match(cache.ofText('text 1'), { id: 'k1' })
  cache.forget('k1')
  t.equal(cache.ofText('text 1'), undefined, 'a key that was changed')
  await cache.lookup('d1')
  cache.known('d1', 'text 1')
  await cache.changing('k1', async () => t.equal(cache.ofText('text 1'), undefined))
  await cache.lookup('d1')
  cache.known('d1', 'text 1')
  await cache.lookup('d2')
  await cache.lookup('d3')
  t.equal(cache.ofText('text 1'), undefined, 'a key that made room for another')
  t.equal(cache.known('d3', 'text 3'), undefined)
  t.equal(cache.ofText('text 3'), undefined, 'a disabled key')
})
