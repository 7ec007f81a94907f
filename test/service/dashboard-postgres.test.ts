import t from 'tap'
import { limits } from '../../generated/contract.js'
import { startPostgres } from '../support/postgres.js'
import { call, post, startService } from '../support/service.js'
import { until } from '../support/until.js'
import {
  createVisitor,
  newAddress,
  newClientAddress,
  password,
  separateVisitors,
  type Visitor,
} from '../support/visitor.js'

/** Two replicas of the dashboard on one PostgreSQL server: changes at one take effect at the other. */
const postgres = await startPostgres(t)
const env = {
  ...separateVisitors,
  CONCORDAT_OPERATORS: 'operator@example.com',
  DATABASE_URL: await postgres.createDatabase('dashboard'),
  CONCORDAT_SECRET: 'the secret of these two replicas, long enough',
}
const options = { env, isChainless: true }
const [one, two] = await Promise.all([startService(options), startService(options)])
t.teardown(() => Promise.all([one.stop(), two.stop()]))

const chainId = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
/** A browser that uses both replicas with the same cookies. */
const browser = () => {
  const address = newClientAddress()
  const [first, second] = [createVisitor(one.origin, address), createVisitor(two.origin, address)]
  const follow = () => {
    for (const [name, value] of first.cookies) second.cookies.set(name, value)
  }
  return { first, second, follow }
}

/** The status of a call. Refused keys are counted per address, so each call has an own one. */
const statusOf = async (url: string) =>
  (await post(url, chainId, { 'x-forwarded-for': newClientAddress() })).status

/** Waits until calls have this status. */
const becomes = (url: string, status: number) => until(async () => (await statusOf(url)) === status)

t.test('a session of one replica is valid at the other, and ends at both', async (t) => {
  const { first, second, follow } = browser()
  await first.post('/signup', { email: newAddress(), password })
  follow()
  t.equal((await second.get('/account')).status, 200)
  t.equal((await second.post('/keys', { name: 'made at the other', network: 'test' })).status, 303)
  t.match((await first.get('/keys')).html, 'made at the other')
  await first.post('/logout', {})
  t.equal((await second.get('/account')).status, 303)
})

/** A user at both replicas with a key, and its URL at each. */
async function owner() {
  const { first, second, follow } = browser()
  const email = newAddress()
  await first.post('/signup', { email, password })
  follow()
  const made = await first.post('/keys', { name: 'a key', network: 'test' })
  const { html } = await first.get(made.location ?? '')
  const [, shown = ''] = /data-secret-text="([^"]*)"/.exec(html) ?? []
  const { pathname } = new URL(shown)
  const path = made.location?.split('?')[0] ?? ''
  return { first, second, email, path, urls: [`${one.origin}${pathname}`, `${two.origin}${pathname}`] }
}

t.test('an account and a key of one replica work at the other', async (t) => {
  const { email, urls } = await owner()
  const elsewhere = createVisitor(two.origin)
  t.equal((await elsewhere.post('/login', { email, password }, { from: '/login' })).status, 303)
  t.match((await elsewhere.get('/keys')).html, 'a key')
  for (const url of urls) t.equal((await post(url, chainId)).status, 200, url)
})

t.test('settings of one replica are enforced at the other', async (t) => {
  const { first, second, path, urls } = await owner()
  const [here = '', there = ''] = urls
  t.equal((await post(there, chainId)).status, 200)
  t.equal((await first.post(`${path}/settings`, { addresses: '192.0.2.0/24' })).status, 303)
  await becomes(there, 403)
  t.match((await second.get(`${path}/settings`)).html, '192.0.2.0/24')
  t.equal((await second.post(`${path}/settings`, { addresses: '' })).status, 303)
  await becomes(here, 200)
  t.equal((await first.post(`${path}/disable`, {})).status, 303)
  await becomes(there, 401)
})

t.test('limits are shared by both replicas', async (t) => {
  const { first, path, urls } = await owner()
  t.equal((await first.post(`${path}/settings`, { dailyLimit: '20' })).status, 303)
  const statuses: number[] = []
  while (statuses.at(-1) !== 429 && statuses.length < 100)
    statuses.push((await post(urls[statuses.length % 2] ?? '', chainId)).status)
  t.equal(statuses.filter((status) => status === 200).length, 20)
  for (const url of urls) t.equal((await post(url, chainId)).status, 429, url)
})

t.test('a deleted account’s keys stop working at the other replica within a second', async (t) => {
  const { first, second, follow } = browser()
  await first.post('/signup', { email: newAddress(), password })
  const made = await first.post('/keys', { name: 'a key', network: 'test' })
  follow()
  const { html } = await second.get(made.location ?? '')
  const [, shown = ''] = /data-secret-text="([^"]*)"/.exec(html) ?? []
  const url = `${two.origin}${new URL(shown).pathname}`
  t.equal((await post(url, chainId)).status, 200)
  await first.post('/account/delete', { deletePassword: password })
  await becomes(url, 401)
})

t.test('the other replica follows a rotated, enabled or deleted key within a second', async (t) => {
  const { first, second, path, urls } = await owner()
  const [, old = ''] = urls
  t.equal(await statusOf(old), 200)
  await first.post(`${path}/rotate`, {})
  await becomes(old, 401)
  const { html } = await second.get(path)
  const [, shown = ''] = /data-secret-text="([^"]*)"/.exec(html) ?? []
  const url = `${two.origin}${new URL(shown).pathname}`
  t.equal(await statusOf(url), 200, 'the new key works everywhere immediately')
  await first.post(`${path}/disable`, {})
  await becomes(url, 401)
  await first.post(`${path}/enable`, {})
  await becomes(url, 200)
  await first.post(`${path}/delete`, {})
  await becomes(url, 401)
})

t.test('attempts are counted across both replicas', async (t) => {
  const { first, second } = browser()
  const guess = async (visitor: typeof first) =>
    (await visitor.post('/login', { email: 'nobody@example.com', password: 'wrong' }, { from: '/login' }))
      .status
  for (let n = 0; n < limits.logInAttemptsPerAddressPerMinute; n += 1)
    t.equal(await guess(n % 2 ? first : second), 401)
  t.same([await guess(first), await guess(second)], [429, 429])
})

const ada = createVisitor(one.origin)
const address = newAddress()
await ada.post('/signup', { email: address, password })
const elsewhere = createVisitor(two.origin)
for (const [name, value] of ada.cookies) elsewhere.cookies.set(name, value)
const { location } = await ada.post('/keys', { name: 'shared', network: 'test' })
const path = location?.split('?')[0] ?? ''
/** A page, once it contains this text. */
const pageWith = (visitor: Visitor, at: string, text: string) =>
  until(async () => {
    const { html } = await visitor.get(at)
    return html.includes(text) && html
  })
/** Answered requests of the key. */
let answered = 0
const url = /data-secret-text="([^"]*)"/.exec((await ada.get(location ?? '')).html)?.[1] ?? ''

t.test('each replica shows the counts of all', async (t) => {
  for (let n = 0; n < 4; n += 1) {
    await call(url, 'eth_chainId')
    await call(url.replace(one.origin, two.origin), 'eth_blockNumber')
  }
  answered += 8
  for (const visitor of [ada, elsewhere]) {
    const metrics = await pageWith(visitor, `${path}/metrics`, '<dt>Received</dt><dd>8</dd>')
    t.match(metrics, /eth_chainId.*eth_blockNumber|eth_blockNumber.*eth_chainId/s)
    t.match(await pageWith(visitor, '/usage', '8 of 25,000 requests'), 'href="/usage?days=90"')
  }
})

t.test('an action of an operator at one replica takes effect at the other', async (t) => {
  const email = 'operator@example.com'
  const operator = createVisitor(one.origin)
  await operator.post('/signup', { email, password })
  await createVisitor(one.origin).post('/forgot', { email }, { from: '/forgot' })
  const link = /"link":"[^"]*token=([^"]*)"/
  const [, token = ''] = link.exec(await one.said('err', link)) ?? []
  await operator.post('/reset', { token, password }, { from: '/reset?token=x' })
  await operator.post('/login', { email, password }, { from: '/login' })
  const { html } = await operator.get(`/admin?q=${path.split('/')[2]}`)
  const account = /href="(\/admin\/users\/usr_\w+)"/.exec(html)?.[1] ?? html
  const there = url.replace(one.origin, two.origin)
  const statusIs = async (wanted: number) => {
    const status = async () => {
      const answer = await post(there, chainId)
      if (answer.status === 200) answered += 1
      return answer.status
    }
    // The tests pause between requests: sixty refusals in a minute change the next answer.
    await until(async () => (await status()) === wanted)
    return wanted
  }
  for (const what of [account, `${account}${path}`]) {
    t.equal((await operator.post(`${what}/disable`, {})).status, 303, what)
    t.equal(await statusIs(401), 401)
    t.equal((await elsewhere.get('/account')).status, what === account ? 303 : 200, 'the session')
    t.equal((await operator.post(`${what}/enable`, {})).status, 303, what)
    t.equal(await statusIs(200), 200)
    if (what !== account) continue
    for (const visitor of [ada, elsewhere])
      t.equal((await visitor.post('/login', { email: address, password }, { from: '/login' })).status, 303)
  }
  const form = { from: `${account}/limits` }
  t.equal((await operator.post(`${account}/limits`, { dailyLimit: '9000', keyLimit: '' }, form)).status, 303)
  await until(async () => {
    const { status, headers } = await post(there, chainId)
    if (status === 200) answered += 1
    return headers.get('ratelimit-policy') === '"daily";q=9000;w=86400'
  })
  const events = (await elsewhere.get('/account')).html
  for (const event of ['Limits changed: 9,000 requests per day', 'Account disabled', 'Key enabled'])
    t.match(events, event)
  t.equal((await operator.post(`${account}/limits`, { dailyLimit: '', keyLimit: '' }, form)).status, 303)
})

t.test('without the database the pages say so, and recover with it', async (t) => {
  await pageWith(ada, '/status', 'All systems are operational.')
  await postgres.stop()
  const html = await pageWith(ada, '/status', 'degraded')
  t.match(html, 'Parts of the service are not available.')
  t.match(html, 'in use', 'nodes still work')
  const away = await ada.get(`${path}/metrics`)
  t.equal(away.status, 503)
  t.match(away.html, 'The database is not available')
  t.match(away.headers.get('retry-after'), /^\d+$/)
  t.equal((await createVisitor(one.origin).get('/')).status, 200, 'pages without data still work')
  await postgres.start()
  await pageWith(ada, '/status', 'All systems are operational.')
  const all = `<dt>Received</dt><dd>${answered.toLocaleString('en-US')}</dd>`
  await pageWith(ada, `${path}/metrics`, all)
  t.ok(answered > 8, 'earlier counts are shown again')
  t.equal((await ada.get('/keys')).status, 200)
})
