import { join } from 'node:path'
import t from 'tap'
import { limits } from '../../generated/contract.js'
import { newAddress, password } from '../support/dashboard.js'
import { startHeldNode } from '../support/held-node.js'
import { startPostgres } from '../support/postgres.js'
import { post, startService } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { createVisitor, newClientAddress, separateVisitors } from '../support/visitor.js'

/** Two replicas of the dashboard on one PostgreSQL server: changes at one take effect at the other. */
const postgres = await startPostgres(t)
const folder = await temporaryFolder(t)
const node = await startHeldNode({ eth_chainId: '0x1f', eth_blockNumber: '0x10' })
t.teardown(() => node.close())
const env = {
  ...separateVisitors,
  DATABASE_URL: await postgres.createDatabase('dashboard'),
  CONCORDAT_SECRET: 'the secret that these replicas share',
  CONCORDAT_NODES_TEST: node.url,
  CONCORDAT_NODES_MAIN: node.url,
}
const [one, other] = await Promise.all(
  ['one', 'other'].map(async (name) => {
    const service = await startService({ command: 'serve', env, data: join(folder, name) })
    t.teardown(() => service.stop())
    return service.origin
  }),
)
const origins = { one: one ?? '', other: other ?? '' }
/** A browser that uses both replicas with the same cookies. */
const browser = () => {
  const address = newClientAddress()
  const [first, second] = [createVisitor(origins.one, address), createVisitor(origins.other, address)]
  const follow = () => {
    for (const [name, value] of first.cookies) second.cookies.set(name, value)
  }
  return { first, second, follow }
}
const chainId = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }

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
  return { first, second, email, path, urls: [`${origins.one}${pathname}`, `${origins.other}${pathname}`] }
}

t.test('an account and a key of one replica work at the other', async (t) => {
  const { email, urls } = await owner()
  const elsewhere = createVisitor(origins.other)
  t.equal((await elsewhere.post('/login', { email, password }, { from: '/login' })).status, 303)
  t.match((await elsewhere.get('/keys')).html, 'a key')
  for (const url of urls) t.equal((await post(url, chainId)).status, 200, url)
})

t.test('settings of one replica are enforced at the other', async (t) => {
  const { first, second, path, urls } = await owner()
  const [here = '', there = ''] = urls
  t.equal((await post(there, chainId)).status, 200)
  t.equal((await first.post(`${path}/settings/addresses`, { addresses: '192.0.2.0/24' })).status, 303)
  let status = 200
  while (status === 200) status = (await post(there, chainId)).status
  t.equal(status, 403)
  t.match((await second.get(`${path}/settings`)).html, '192.0.2.0/24')
  t.equal((await second.post(`${path}/settings/addresses`, { addresses: '' })).status, 303)
  while (status !== 200) status = (await post(here, chainId)).status
  t.equal((await first.post(`${path}/disable`, {})).status, 303)
  while (status === 200) status = (await post(there, chainId)).status
  t.equal(status, 401)
})

t.test('limits are shared by both replicas', async (t) => {
  const { first, path, urls } = await owner()
  t.equal((await first.post(`${path}/settings/limits`, { dailyLimit: '20' })).status, 303)
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
  const url = `${origins.other}${new URL(shown).pathname}`
  t.equal((await post(url, chainId)).status, 200)
  await first.post('/account/delete', { deletePassword: password })
  let status = 200
  while (status === 200) status = (await post(url, chainId)).status
  t.equal(status, 401)
})

t.test('the other replica follows a rotated, enabled or deleted key within a second', async (t) => {
  const { first, second, path, urls } = await owner()
  const [, old = ''] = urls
  // Refused keys are counted per address. The limit must not be reached here.
  const status = async (url: string) =>
    (await post(url, chainId, { 'x-forwarded-for': newClientAddress() })).status
  const becomes = async (url: string, wanted: number, what: string) => {
    const since = performance.now()
    while ((await status(url)) !== wanted);
    t.comment(`${what}: effective at the other replica after ${Math.round(performance.now() - since)} ms`)
  }
  t.equal(await status(old), 200)
  await first.post(`${path}/rotate`, {})
  await becomes(old, 401, 'rotated')
  const { html } = await second.get(path)
  const [, shown = ''] = /data-secret-text="([^"]*)"/.exec(html) ?? []
  const url = `${origins.other}${new URL(shown).pathname}`
  t.equal(await status(url), 200, 'the new key works everywhere immediately')
  await first.post(`${path}/disable`, {})
  await becomes(url, 401, 'disabled')
  await first.post(`${path}/enable`, {})
  await becomes(url, 200, 'enabled')
  await first.post(`${path}/delete`, {})
  await becomes(url, 401, 'deleted')
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

t.test('without its database the dashboard says so, and recovers with it', async (t) => {
  const ada = createVisitor(origins.one)
  await ada.post('/signup', { email: newAddress(), password })
  await postgres.stop()
  const away = await ada.get('/keys')
  t.equal(away.status, 503)
  t.match(away.html, 'The database is not available')
  t.match(away.headers.get('retry-after'), /^\d+$/)
  t.equal((await createVisitor(origins.one).get('/')).status, 200, 'pages without data still work')
  await postgres.start()
  let status = 503
  while (status === 503) status = (await ada.get('/keys')).status
  t.equal(status, 200)
})
