import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { limits } from '../../generated/contract.js'
import { awayFromMidnight } from '../support/midnight.js'
import { startNginx } from '../support/nginx.js'
import { post, type RunningService, runConcordat, startService } from '../support/service.js'

/** The quota as callers see it: charges, headers, refusals. Each test has its own user. */
const chainId = (id: number) => ({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [] })

/** The remaining requests in `RateLimit`. */
const left = ({ headers }: { headers: Headers }) =>
  Number(/^"daily";r=(\d+);t=\d+$/.exec(headers.get('ratelimit') ?? '')?.[1])

await awayFromMidnight()
const limitedTo = (limit: number) =>
  startService({ env: { CONCORDAT_LIMIT_REQUESTS_PER_DAY: String(limit) }, isChainless: true })
/** One user whose limit is soon exhausted, and one whose limit is never reached. */
const [small, large] = await Promise.all([limitedTo(20), limitedTo(1000)])
t.teardown(() => Promise.all([small.stop(), large.stop()]))

const keys = (service: RunningService, ...args: string[]) =>
  runConcordat(['keys', ...args, '--data', service.data])

/** A new key of a user. */
async function keyOf(service: RunningService, user: string, network: 'test' | 'main' = 'test') {
  const made = ['create', '--user', user, '--network', network, '--name', 'k', '--json']
  const { out, err } = await keys(service, ...made)
  if (out === '') throw new TypeError(err)
  return JSON.parse(out) as { readonly id: string; readonly url: string }
}

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
      'a batch of 101',
      1,
      () =>
        post(
          url,
          Array.from({ length: 101 }, (_, id) => chainId(id)),
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

/** Sends a whole request before it reads, as some clients do; returns all that it receives. */
async function sendThenRead(url: string, size: string, body: string): Promise<string> {
  const { port, pathname, host } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8').pause()
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n${size}\r\n\r\n`
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.write(head + body, () => resolve())
  })
  let received = ''
  socket.on('data', (text: string) => {
    received += text
    if (received.endsWith('}')) socket.destroy()
  })
  await once(socket.resume(), 'close')
  return received
}

t.test('of a spent limit, a large body is refused unread, and its caller gets the answer', async (t) => {
  const spent = await keyOf(small, 'large-bodies@example.com')
  const own = await keyOf(large, 'large-bodies@example.com')
  t.equal((await keys(large, 'set', own.id, '--monthly-limit', '1')).code, 0)
  const body = JSON.stringify(chainId(7))
  const most = body.padEnd(limits.bodyBytes)
  const chunked = `${most.length.toString(16)}\r\n${most}\r\n0\r\n\r\n`
  for (const [{ url }, scope, limit] of [
    [spent, 'daily', 20],
    [own, 'monthly', 1],
  ] as const) {
    let refused = await post(url, chainId(7))
    while (refused.status === 200) refused = await post(url, chainId(7))
    t.match(refused, { status: 429, json: { id: 7 } })
    t.match(await post(url, body.padEnd(limits.smallBodyBytes)), { status: 429, json: { id: 7 } })
    /** Sends a large body until the service refuses it unread. A refusal expires after a second without use. */
    const unread = async <Answer>(send: () => Promise<Answer>, isUnread: (answer: Answer) => boolean) => {
      let answer = await send()
      while (!isUnread(answer)) {
        t.equal((await post(url, chainId(7))).status, 429)
        answer = await send()
      }
      return answer
    }
    const large = () => post(url, body.padEnd(limits.smallBodyBytes + 1))
    const answer = await unread(large, ({ json }) => json.id === null)
    t.match(answer, { status: 429, json: { ...refused.json, id: null } })
    for (const name of ['ratelimit-policy', 'content-type', 'access-control-allow-origin'])
      t.equal(answer.headers.get(name), refused.headers.get(name), name)
    t.match(answer.headers.get('ratelimit'), new RegExp(`^"${scope}";r=0;t=`))
    t.match(answer.json.error, { code: -32005, data: { limit, used: limit, scope } })

    const balanced = new URL(new URL(url).pathname, await startNginx(t, [new URL(url).origin])).href
    for (const target of [url, balanced]) {
      for (const [size, sent] of [
        [`content-length: ${most.length}`, most],
        ['transfer-encoding: chunked', chunked],
      ] as const) {
        const text = await unread(
          () => sendThenRead(target, size, sent),
          (received) => received.includes('"id":null'),
        )
        t.match(text, /^HTTP\/1.1 429 .*-32005/s, size)
      }
    }
  }
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
