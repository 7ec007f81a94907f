import t from 'tap'
import { newAddress, password } from '../support/dashboard.js'
import { startPostgres } from '../support/postgres.js'
import { call, startService } from '../support/service.js'
import { createVisitor, separateVisitors } from '../support/visitor.js'

/** What two replicas over one PostgreSQL server show, and what they show without it. */
const postgres = await startPostgres(t)
const env = {
  ...separateVisitors,
  DATABASE_URL: await postgres.createDatabase('dashboard'),
  CONCORDAT_SECRET: 'the secret of these two replicas, long enough',
}
const [one, two] = await Promise.all([startService({ env }), startService({ env })])
t.teardown(() => Promise.all([one.stop(), two.stop()]))

const ada = createVisitor(one.origin)
await ada.post('/signup', { email: newAddress(), password })
const elsewhere = createVisitor(two.origin)
for (const [name, value] of ada.cookies) elsewhere.cookies.set(name, value)
const { location } = await ada.post('/keys', { name: 'shared', network: 'test' })
const path = location?.split('?')[0] ?? ''
const url = /data-secret-text="([^"]*)"/.exec((await ada.get(location ?? '')).html)?.[1] ?? ''

t.test('each replica shows what all have counted', async (t) => {
  for (let n = 0; n < 4; n += 1) {
    await call(url, 'eth_chainId')
    await call(url.replace(one.origin, two.origin), 'eth_blockNumber')
  }
  for (const visitor of [ada, elsewhere]) {
    let html = ''
    while (!html.includes('<dt>Requests</dt><dd>8</dd>')) html = (await visitor.get(`${path}/metrics`)).html
    t.match(html, /eth_chainId.*eth_blockNumber|eth_blockNumber.*eth_chainId/s)
    while (!html.includes('8 of 25,000 requests')) html = (await visitor.get('/usage')).html
    t.match(html, 'href="/usage?days=90"')
  }
})

t.test('without the database the status says so, to everybody, and again when it is back', async (t) => {
  const statusOf = async () => {
    const { status, html } = await ada.get('/status')
    t.equal(status, 200)
    return html
  }
  t.match(await statusOf(), 'Everything works.')
  await postgres.stop()
  let html = await statusOf()
  while (!html.includes('degraded')) html = await statusOf()
  t.match(html, 'A part of the service does not work at the moment.')
  t.match(html, 'in use', 'nodes go on')
  t.equal((await ada.get(`${path}/metrics`)).status, 503)
  await postgres.start()
  while (!html.includes('Everything works.')) html = await statusOf()
  t.match((await ada.get(`${path}/metrics`)).html, '<dt>Requests</dt><dd>8</dd>', 'nothing was lost')
})
