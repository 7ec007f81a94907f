import t from 'tap'
import { createKeyCache, type KnownKey } from '../../../../../src/service/gateway/keys/lookup/key-cache.js'

/** A key table whose answers the test controls. */
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
  key: {
    id,
    userId: 'u',
    network: 'test',
    dailyLimit: null,
    monthlyLimit: null,
    userDailyLimit: null,
    access: {},
  },
  enabled,
})

t.test('a key is looked up once and then found synchronously', async (t) => {
  const { find, asked } = table({ d1: known('k1') })
  const cache = createKeyCache(find, 10)
  t.match(await cache.lookup('d1'), { id: 'k1' })
  t.match(cache.lookup('d1'), { id: 'k1' }, 'no promise')
  t.same(asked, ['d1'])
})

t.test('a disabled key is known and refused', async (t) => {
  const { find, asked } = table({ d1: known('k1', false) })
  const cache = createKeyCache(find, 10)
  t.match(await cache.lookup('d1'), { keyId: 'k1', rule: 'disabled' })
  t.match(cache.lookup('d1'), { keyId: 'k1', rule: 'disabled' })
  t.equal(cache.known('d1', 'text'), undefined)
  t.same(asked, ['d1'])
})

t.test(
  'a replaced text is accepted until its grace period ends, and leaves the cache with its key',
  async (t) => {
    const later = { ...known('k1'), graceUntil: Date.now() + 60_000 }
    const { find, asked } = table({ new: known('k1'), old: later, older: { ...later, graceUntil: 0 } })
    const cache = createKeyCache(find, 10)
    t.match(await cache.lookup('old'), { id: 'k1' })
    t.match(await cache.lookup('new'), { id: 'k1' })
    t.match(await cache.lookup('older'), { keyId: 'k1', rule: 'rotated' })
    t.match(cache.known('old', 'old text'), { id: 'k1' })
    t.equal(cache.ofText('old text'), undefined, 'its end is checked at each use')
    cache.forget('k1')
    for (const digest of ['old', 'new', 'older']) t.equal(cache.known(digest), undefined)
    await cache.lookup('old')
    t.same(asked, ['old', 'new', 'older', 'old'])
  },
)

t.test('an unknown key is not cached', async (t) => {
  const keys = table({})
  const cache = createKeyCache(keys.find, 10)
  t.equal(await cache.lookup('d1'), undefined)
  keys.rows['d1'] = known('k1')
  t.match(await cache.lookup('d1'), { id: 'k1' }, 'a new key works immediately')
})

t.test('concurrent lookups share one query', async (t) => {
  const keys = table({ d1: known('k1') })
  const cache = createKeyCache(keys.find, 10)
  keys.hold()
  const all = Promise.all([cache.lookup('d1'), cache.lookup('d1'), cache.lookup('d1')])
  keys.release()
  t.same(
    (await all).map((key) => key && 'id' in key && key.id),
    ['k1', 'k1', 'k1'],
  )
  t.same(keys.asked, ['d1'])
})

t.test('the next lookup sees a change', async (t) => {
  const keys = table({ d1: known('k1') })
  const cache = createKeyCache(keys.find, 10)
  await cache.lookup('d1')
  await cache.changing('k1', async () => {
    keys.rows['d1'] = known('k1', false)
  })
  t.match(await cache.lookup('d1'), { rule: 'disabled' })
})

t.test('an answer older than a change is not cached', async (t) => {
  const keys = table({ d1: known('k1') })
  const cache = createKeyCache(keys.find, 10)
  keys.hold()
  const early = cache.lookup('d1')
  await cache.changing('k1', async () => {
    keys.rows['d1'] = undefined
  })
  const later = cache.lookup('d1')
  keys.release()
  t.match(await early, { id: 'k1' }, 'a lookup before the change may still succeed')
  t.equal(await later, undefined, 'a lookup after the change is refused')
  t.equal(await cache.lookup('d1'), undefined)
})

t.test('a failed change leaves the cache unchanged', async (t) => {
  const keys = table({ d1: known('k1') })
  const cache = createKeyCache(keys.find, 10)
  await cache.lookup('d1')
  await t.rejects(cache.changing('k1', () => Promise.reject(new Error('no'))))
  t.match(await cache.lookup('d1'), { id: 'k1' })
  t.equal(keys.asked.length, 2)
})

t.test('a failing database rejects the lookup, and the next lookup asks again', async (t) => {
  let broken = true
  const find = async () => {
    if (broken) throw new Error('down')
    return known('k1')
  }
  const cache = createKeyCache(find, 10)
  await t.rejects(Promise.resolve(cache.lookup('d1')), { message: 'down' })
  broken = false
  t.match(await cache.lookup('d1'), { id: 'k1' })
})

t.test('the size is limited, and the least recently used key is evicted', async (t) => {
  const { find, asked } = table({ d1: known('k1'), d2: known('k2'), d3: known('k3') })
  const cache = createKeyCache(find, 2)
  for (const digest of ['d1', 'd2', 'd3']) await cache.lookup(digest)
  t.match(cache.lookup('d2'), { id: 'k2' })
  t.match(cache.lookup('d3'), { id: 'k3' })
  await cache.lookup('d1')
  t.same(asked, ['d1', 'd2', 'd3', 'd1'])
})

t.test('a key text finds its key exactly as long as the key is cached', async (t) => {
  const { find } = table({ d1: known('k1'), d2: known('k2'), d3: known('k3', false) })
  const cache = createKeyCache(find, 2)
  t.equal(cache.known('d1', 'text 1'), undefined, 'unknown keys are not cached')
  t.equal(cache.ofText('text 1'), undefined)
  await cache.lookup('d1')
  t.equal(cache.ofText('text 1'), undefined, 'no request has sent its text')
  t.match(cache.known('d1', 'text 1'), { id: 'k1' })
  t.match(cache.ofText('text 1'), { id: 'k1' })
  cache.forget('k1')
  t.equal(cache.ofText('text 1'), undefined, 'a changed key')
  await cache.lookup('d1')
  cache.known('d1', 'text 1')
  await cache.changing('k1', async () => t.equal(cache.ofText('text 1'), undefined))
  await cache.lookup('d1')
  cache.known('d1', 'text 1')
  await cache.lookup('d2')
  await cache.lookup('d3')
  t.equal(cache.ofText('text 1'), undefined, 'an evicted key')
  t.equal(cache.known('d3', 'text 3'), undefined)
  t.equal(cache.ofText('text 3'), undefined, 'a disabled key')
})
