import t from 'tap'
import { openStore } from '../../src/service/gateway/index.js'
import { awayFromMidnight } from '../support/midnight.js'
import { post, runConcordat, startService } from '../support/service.js'
import { createVisitor, newAddress, password, separateVisitors } from '../support/visitor.js'

/** The daily limit of a user who deletes the account and signs up again. */
const limit = 20
const chainId = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }

await awayFromMidnight()
const service = await startService({
  env: { ...separateVisitors, CONCORDAT_LIMIT_REQUESTS_PER_DAY: String(limit) },
  isChainless: true,
})
t.teardown(() => service.stop())

/** A new user with the URL of a key. */
async function signedUp(email: string) {
  const visitor = createVisitor(service.origin)
  t.equal((await visitor.post('/signup', { email, password })).status, 303)
  const made = await visitor.post('/keys', { name: 'a key', network: 'test' })
  const { html } = await visitor.get(made.location ?? '')
  const [, url = ''] = /data-secret-text="([^"]*)"/.exec(html) ?? []
  const move = async (to: string) =>
    (await visitor.post('/account/address', { email: to, addressPassword: password })).status
  return { url, move, leave: () => visitor.post('/account/delete', { deletePassword: password }) }
}
/** Sends this many requests, all of them admitted; returns the remaining ones. */
async function use(url: string, requests: number) {
  for (let n = 1; n < requests; n += 1) t.equal((await post(url, chainId)).status, 200)
  const last = await post(url, chainId)
  t.equal(last.status, 200)
  return Number(/r=(\d+)/.exec(last.headers.get('ratelimit') ?? '')?.[1])
}

t.test(
  'a user who deletes the account and signs up again continues the day’s count, in any case of the address',
  async (t) => {
    const email = newAddress()
    const first = await signedUp(email)
    t.equal(await use(first.url, 12), 8)
    t.equal((await first.leave()).location, '/login')
    const second = await signedUp(email.toUpperCase())
    t.equal(await use(second.url, 5), 3)
    t.equal((await second.leave()).location, '/login')
    const third = await signedUp(email.replace('person', 'Person'))
    t.equal(await use(third.url, 3), 0)
    const refused = await post(third.url, chainId)
    t.equal(refused.status, 429)
    t.match(refused.json.error.data, { limit, used: limit, scope: 'daily' })
    t.equal((await third.leave()).location, '/login')

    const args = ['--user', email.toUpperCase(), '--network', 'test', '--name', 'k', '--data', service.data]
    const { code, out } = await runConcordat(['keys', 'create', ...args])
    t.equal(code, 0)
    const [named = ''] = /http:\S+/.exec(out) ?? []
    t.equal((await post(named, chainId)).status, 429, 'also when the operator names the address')

    const other = await signedUp(newAddress())
    t.equal(await use(other.url, 1), limit - 1, 'other users are not charged')
  },
)

t.test('a changed address neither resets the day’s count nor takes over another one', async (t) => {
  const [first, second, third] = [newAddress(), newAddress(), newAddress()]
  const ada = await signedUp(first)
  t.equal(await use(ada.url, 12), 8)
  const eve = await signedUp(second)
  t.equal(await use(eve.url, 3), 17)
  t.equal(await ada.move(third), 303)
  t.equal(await use(ada.url, 1), 7, 'the account continues its count')
  t.equal(await eve.move(first), 409, 'an address of another account of today')
  const again = await signedUp(first.toUpperCase())
  t.equal(await use(again.url, 1), 6, 'a new account with the former address continues the count')
  t.equal(await ada.move(first), 409, 'taken')
  t.equal((await ada.leave()).location, '/login')
  t.equal(await eve.move(third), 409, 'an address of an account that was deleted today')
  const back = await signedUp(third)
  t.equal(await use(back.url, 1), 6)
})

t.test('no table contains the address of a deleted account', async (t) => {
  const email = newAddress()
  const { url, leave } = await signedUp(email)
  await use(url, 1)
  t.equal((await leave()).location, '/login')
  await service.stop()
  const store = await openStore({ dataDir: service.data })
  t.teardown(() => store.close())
  const { rows: tables } = await store.connection.query(
    "select table_name from information_schema.tables where table_schema = 'public'",
  )
  const names = (tables as { table_name: string }[]).map(({ table_name }) => table_name)
  t.ok(names.includes('former_users'))
  for (const name of names) {
    const { rows } = await store.connection.query(`select * from ${name}`)
    t.notMatch(JSON.stringify(rows), email, name)
  }
})
