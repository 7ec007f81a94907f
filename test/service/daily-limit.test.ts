import t from 'tap'
import { post } from '../support/service.js'
import { chainId, keyOf, keys, large, small } from './quota-harness.js'

/** The quota as callers see it: charges, headers, refusals. Each test has its own user. */

/** The remaining requests in `RateLimit`. */
const left = ({ headers }: { headers: Headers }) =>
  Number(/^"daily";r=(\d+);t=\d+$/.exec(headers.get('ratelimit') ?? '')?.[1])

t.test('exactly the limit is admitted, across both networks and all keys of the user', async (t) => {
  const urls = [small.networks.test.url, small.networks.main.url]
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, id) => post(urls[id % 2] ?? '', chainId(id))),
  )
  const statuses = answers.map(({ status }) => status)
  t.equal(statuses.filter((status) => status === 200).length, 20)
  t.equal(statuses.filter((status) => status === 429).length, 20)

  const refused = await post(urls[0] ?? '', chainId(99))
  t.equal(refused.status, 429)
  t.equal(refused.json.error.code, -32005)
  t.match(refused.json.error.data, { limit: 20, used: 20, scope: 'daily' })
  const resetAt = new Date(refused.json.error.data.resetAt)
  t.equal(resetAt.toISOString().slice(10), 'T00:00:00.000Z', 'the next UTC midnight')
  t.ok(resetAt.getTime() > Date.now())
  t.equal(left(refused), 0)
  t.equal(refused.headers.get('ratelimit-policy'), '"daily";q=20;w=86400')
  const seconds = (resetAt.getTime() - Date.now()) / 1000
  const retryAfter = refused.headers.get('retry-after')
  t.equal(
    retryAfter !== null,
    seconds <= 60,
    'Retry-After only shortly before midnight, because clients sleep for its whole length',
  )
})

t.test(
  'of a batch over the limit the first requests are answered, and the others are -32005 with HTTP 200',
  async (t) => {
    const { url } = await keyOf(small, 'batches@example.com')
    t.equal(left(await post(url, chainId(0))), 19)
    const most = Array.from({ length: 15 }, (_, id) => chainId(id))
    t.equal(left(await post(url, most)), 4)
    const part = await post(
      url,
      Array.from({ length: 7 }, (_, id) => chainId(id)),
    )
    t.equal(part.status, 200)
    t.same(
      part.json.map((item: { id: number; error?: { code: number } }) => [item.id, item.error?.code]),
      [
        [0, undefined],
        [1, undefined],
        [2, undefined],
        [3, undefined],
        [4, -32005],
        [5, -32005],
        [6, -32005],
      ],
    )
    const whole = await post(url, [chainId(1), chainId(2)])
    t.equal(whole.status, 429, 'completely over the limit: one object')
    t.equal(whole.json.error.code, -32005)
  },
)

t.test('requests are charged as the contract states', async (t) => {
  const { url } = large.networks.test
  const deep = '['.repeat(65) + ']'.repeat(65)
  const rows: [string, number, () => Promise<unknown>][] = [
    ['a call', 1, () => post(url, chainId(1))],
    ['a call that is in error', 1, () => post(url, { ...chainId(1), method: 'nope' })],
    ['rpc.discover', 1, () => post(url, { ...chainId(1), method: 'rpc.discover' })],
    ['an envelope error', 1, () => post(url, { id: 1 })],
    ['an unparsable body', 1, () => post(url, '{')],
    ['a scalar', 1, () => post(url, '7')],
    ['[]', 1, () => post(url, '[]')],
    ['a body nested too deep', 1, () => post(url, deep)],
    ['a body of too many values', 1, () => post(url, `[${'0,'.repeat(50_000)}0]`)],
    [
      'a batch of 1,001',
      1,
      () =>
        post(
          url,
          Array.from({ length: 1_001 }, (_, id) => chainId(id)),
        ),
    ],
    [
      'a batch of 7',
      7,
      () =>
        post(
          url,
          Array.from({ length: 7 }, (_, id) => chainId(id)),
        ),
    ],
    ['a batch of 3 items in error', 3, () => post(url, [1, {}, []])],
    ['a refused key', 0, () => post(`${large.origin}/x`, chainId(1))],
    ['a GET', 0, () => fetch(url).then((response) => response.text())],
    ['OPTIONS', 0, () => fetch(url, { method: 'OPTIONS' })],
    ['a wrong content type', 0, () => post(url, 'x', { 'content-type': 'text/plain' })],
    ['a body over 5 MiB', 0, () => post(url, ' '.repeat(5 * 1024 * 1024 + 1))],
  ]
  let before = left(await post(url, chainId(0)))
  for (const [what, charge, act] of rows) {
    await act()
    const after = left(await post(url, chainId(0)))
    t.equal(before - after - 1, charge, `${what}: ${charge}`)
    before = after
  }
})

t.test('each user has an individual limit', async (t) => {
  const spent = await keyOf(small, 'spent@example.com')
  const other = await keyOf(small, 'other@example.com')
  for (let id = 0; id < 21; id++) await post(spent.url, chainId(id))
  t.equal((await post(spent.url, chainId(99))).status, 429)
  const answer = await post(other.url, chainId(1))
  t.equal(answer.status, 200)
  t.equal(left(answer), 19)
})
t.test(
  'limits of a key refuse first, name themselves, and do not affect other keys of the user',
  async (t) => {
    const test = await keyOf(large, 'limits@example.com')
    const main = await keyOf(large, 'limits@example.com', 'main')
    const { id } = test
    t.equal((await keys(large, 'set', id, '--daily-limit', '3', '--monthly-limit', '5')).code, 0)

    const first = await post(test.url, chainId(1))
    t.equal(first.status, 200)
    t.equal(left(first), 2, 'of the nearest limit')
    t.equal(first.headers.get('ratelimit-policy'), '"daily";q=3;w=86400')
    await post(test.url, [chainId(1), chainId(2)])
    const refused = await post(test.url, chainId(4))
    t.equal(refused.status, 429)
    t.match(refused.json.error, { code: -32005, data: { limit: 3, used: 3, scope: 'daily' } })
    t.equal(left(refused), 0)

    t.equal((await keys(large, 'set', id, '--daily-limit', '100')).code, 0)
    let part = await post(test.url, [1, 2, 3, 4].map(chainId))
    // A refusal is cached for a moment, also when the limit has just been raised.
    while (part.status === 429) part = await post(test.url, [1, 2, 3, 4].map(chainId))
    t.same(
      part.json.map((item: { error?: { data: { scope: string; limit: number } } }) => item.error?.data.scope),
      [undefined, undefined, 'monthly', 'monthly'],
    )
    const monthly = await post(test.url, chainId(5))
    t.match(monthly.json.error.data, { limit: 5, used: 5, scope: 'monthly' })
    t.match(monthly.headers.get('ratelimit'), /^"monthly";r=0;t=\d+$/)
    t.match(monthly.headers.get('ratelimit-policy'), /^"monthly";q=5;w=(2419200|2505600|2592000|2678400)$/)
    const resetAt = new Date(monthly.json.error.data.resetAt)
    t.match(resetAt.toISOString(), /-01T00:00:00\.000Z$/, 'the first of the next month')
    t.ok(resetAt.getTime() > Date.now())

    const other = await post(main.url, chainId(6))
    t.equal(other.status, 200)
    t.equal(left(other), 1_000 - 5 - 1, 'the user is charged only for admitted requests')
  },
)
