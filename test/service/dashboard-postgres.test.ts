import t from 'tap'
import { newAddress, password } from '../support/dashboard.js'
import { startPostgres } from '../support/postgres.js'
import { call, post, startService } from '../support/service.js'
import { until } from '../support/until.js'
import { createVisitor, separateVisitors } from '../support/visitor.js'

/** The pages of two replicas on one PostgreSQL server, with and without the database. */
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

const ada = createVisitor(one.origin)
const address = newAddress()
await ada.post('/signup', { email: address, password })
const elsewhere = createVisitor(two.origin)
for (const [name, value] of ada.cookies) elsewhere.cookies.set(name, value)
const { location } = await ada.post('/keys', { name: 'shared', network: 'test' })
const path = location?.split('?')[0] ?? ''
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
    let html = ''
    while (!html.includes('<dt>Requests</dt><dd>8</dd>')) html = (await visitor.get(`${path}/metrics`)).html
    t.match(html, /eth_chainId.*eth_blockNumber|eth_blockNumber.*eth_chainId/s)
    while (!html.includes('8 of 25,000 requests')) html = (await visitor.get('/usage')).html
    t.match(html, 'href="/usage?days=90"')
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
      const answer = await post(there, { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
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
})

t.test('without the database the public status page says so, and recovers with it', async (t) => {
  const statusOf = async () => {
    const { status, html } = await ada.get('/status')
    t.equal(status, 200)
    return html
  }
  t.match(await statusOf(), 'All systems are operational.')
  await postgres.stop()
  let html = await statusOf()
  while (!html.includes('degraded')) html = await statusOf()
  t.match(html, 'Parts of the service are not available.')
  t.match(html, 'in use', 'nodes still work')
  t.equal((await ada.get(`${path}/metrics`)).status, 503)
  await postgres.start()
  while (!html.includes('All systems are operational.')) html = await statusOf()
  const all = `<dt>Requests</dt><dd>${answered.toLocaleString('en-US')}</dd>`
  while (!html.includes(all)) html = (await ada.get(`${path}/metrics`)).html
  t.ok(answered > 8, 'earlier counts are shown again')
})
