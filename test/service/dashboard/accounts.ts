import { get } from 'node:http'
import t from 'tap'
import { limits } from '../../../generated/contract.js'
import { post, runConcordat } from '../../support/service.js'
import { createVisitor, newAddress, password } from '../../support/visitor.js'
import { newcomer, operatorAddress, origin, service } from './http-harness.js'

/** Accounts over HTTP, without scripts, on a service that does not send mail. */
const sessionCookie = 'concordat.session_token'
const chainId = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }

/** Another browser of the same user. */
async function elsewhere(email: string, secret = password) {
  const visitor = createVisitor(origin)
  const answer = await visitor.post('/login', { email, password: secret }, { from: '/login' })
  return { ...visitor, answer }
}
const isLoggedIn = async ({ get }: Pick<ReturnType<typeof createVisitor>, 'get'>) =>
  (await get('/account')).status === 200

t.test(
  'sign-up is immediate, says so, and starts a session whose cookie is hidden from scripts',
  async (t) => {
    t.match((await createVisitor(origin).get('/signup')).html, /does not send mail/)
    const ada = await newcomer()
    t.match(ada.attributes.get(sessionCookie), /HttpOnly/)
    t.match(ada.attributes.get(sessionCookie), /SameSite=Lax/)
    t.match((await ada.get('/account')).html, ada.email)
  },
)

t.test('an invalid sign-up is explained next to the field, and the input is kept', async (t) => {
  const visitor = createVisitor(origin)
  const short = await visitor.post('/signup', { email: 'short@example.com', password: 'short' })
  t.equal(short.status, 400)
  t.match(
    short.html,
    new RegExp(`id="password-problem">The password must have at least ${limits.passwordMinimumLength}`),
  )
  t.match(short.html, 'value="short@example.com"')
  t.notMatch(short.html, 'value="short"')
  const wrong = await visitor.post('/signup', { email: 'nobody', password })
  t.equal(wrong.status, 400)
  t.match(wrong.html, /id="email-problem"/)
  const { email } = await newcomer()
  const taken = await createVisitor(origin).post('/signup', { email: email.toUpperCase(), password })
  t.equal(taken.status, 409)
  t.match(taken.html, /with this e-mail address already exists/)
})

t.test('a sign-up cannot take over an operator’s account', async (t) => {
  const email = 'Named@example.com'
  const args = ['--user', email, '--network', 'test', '--name', 'named', '--data', service.data]
  t.equal((await runConcordat(['keys', 'create', ...args])).code, 0)
  for (const typed of [email, 'named@example.com']) {
    const visitor = createVisitor(origin)
    t.equal((await visitor.post('/signup', { email: typed, password })).status, 409)
    t.notOk(visitor.cookies.has(sessionCookie))
  }
  t.equal((await elsewhere('named@example.com')).answer.status, 401)
})

t.test('logging out ends the session, also for a copied cookie', async (t) => {
  const ada = await newcomer()
  const kept = createVisitor(origin)
  for (const [name, value] of ada.cookies) kept.cookies.set(name, value)
  t.ok(await isLoggedIn(kept))
  t.equal((await ada.post('/logout', {})).location, '/login')
  t.notOk(ada.cookies.has(sessionCookie))
  t.notOk(await isLoggedIn(kept))
})

t.test('a login starts a new session, and an earlier cookie is worthless', async (t) => {
  const ada = await newcomer()
  const before = ada.cookies.get(sessionCookie)
  const { cookies, answer } = await elsewhere(ada.email)
  t.equal(answer.location, '/keys')
  t.not(cookies.get(sessionCookie), before)
  const fixed = createVisitor(origin)
  const forged = encodeURIComponent(`${'A'.repeat(43)}=`)
  for (const chosen of [`${before?.split('.')[0]}.${forged}`, 'chosen.by-somebody-else']) {
    fixed.cookies.set(sessionCookie, chosen)
    t.notOk(await isLoggedIn(fixed), chosen)
  }
  await fixed.post('/login', { email: ada.email, password }, { from: '/login' })
  t.ok(await isLoggedIn(fixed))
  t.notMatch(fixed.cookies.get(sessionCookie), 'chosen')
})

t.test('a login redirects to the requested page, and never to another site', async (t) => {
  const { email } = await newcomer()
  const asked = await createVisitor(origin).get('/keys/key_1')
  t.equal(asked.location, '/login?next=%2Fkeys%2Fkey_1')
  t.match((await createVisitor(origin).get(asked.location ?? '')).html, 'name="next" value="/keys/key_1"')
  const next = async (path: string) =>
    (await createVisitor(origin).post('/login', { email, password, next: path }, { from: '/login' })).location
  t.equal(await next('/keys/key_1'), '/keys/key_1')
  for (const foreign of [
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    '/keys\r\nx: y',
    'javascript:x',
  ])
    t.equal(await next(foreign), '/keys', JSON.stringify(foreign))
})

t.test('a changed password ends every other session', async (t) => {
  const ada = await newcomer()
  const other = await elsewhere(ada.email)
  const wrong = await ada.post('/account/password', { current: 'not this one', password: 'another long one' })
  t.equal(wrong.status, 401)
  t.match(wrong.html, /id="current-problem"/)
  t.ok(await isLoggedIn(other))
  const changed = await ada.post('/account/password', { current: password, password: 'another long one' })
  t.equal(changed.location, '/account')
  t.ok(await isLoggedIn(ada))
  t.notOk(await isLoggedIn(other))
  t.equal((await elsewhere(ada.email)).answer.status, 401)
  t.equal((await elsewhere(ada.email, 'another long one')).answer.status, 303)
})

t.test(
  'sessions are listed and ended, one by one or all others, and never those of another user',
  async (t) => {
    const ada = await newcomer()
    const [first, second] = [await elsewhere(ada.email), await elsewhere(ada.email)]
    const eve = await newcomer()
    const ids = async () =>
      [...(await ada.get('/account')).html.matchAll(/name="session" value="([^"]*)"/g)].map(
        ([, id = '']) => id,
      )
    const listed = await ids()
    t.equal(listed.length, 2)
    for (const session of listed) await eve.post('/account/sessions', { session })
    t.equal((await ids()).length, 2, 'another user ends no session')
    t.notMatch((await eve.get('/account')).html, 'Sessions ended')
    await ada.post('/account/sessions', { session: listed[0] ?? '' })
    t.same([await isLoggedIn(first), await isLoggedIn(second)].sort(), [false, true])
    await ada.post('/account/sessions', {})
    t.notOk(await isLoggedIn(first))
    t.notOk(await isLoggedIn(second))
    t.ok(await isLoggedIn(ada))
    t.ok(await isLoggedIn(eve))
  },
)

t.test('without mail, the address changes at once after the password, and other sessions end', async (t) => {
  const ada = await newcomer()
  const other = await elsewhere(ada.email)
  const taken = (await newcomer()).email
  const email = newAddress()
  const change = (fields: object) =>
    ada.post('/account/address', { email, addressPassword: password, ...fields })
  const wrong = await change({ addressPassword: 'not this one' })
  t.equal(wrong.status, 401)
  t.match(wrong.html, 'id="addressPassword-problem"')
  t.equal((await change({ email: 'nobody' })).status, 400)
  t.equal((await change({ email: ada.email.toUpperCase() })).status, 400, 'no change')
  const known = await change({ email: taken.toUpperCase() })
  t.equal(known.status, 409)
  t.match(known.html, 'id="email-problem"')
  t.ok(await isLoggedIn(other), 'nothing has changed')
  t.equal((await change({ email: email.toUpperCase() })).location, '/account')
  const { html } = await ada.get('/account')
  t.match(html, `E-mail address changed: from ${ada.email} to ${email}`)
  t.notOk(await isLoggedIn(other))
  t.equal((await elsewhere(ada.email)).answer.status, 401)
  t.equal((await elsewhere(email)).answer.status, 303)
})

t.test('the account shows its security events, with time and origin, to its user alone', async (t) => {
  const ada = await newcomer()
  await elsewhere(ada.email, 'not the password')
  await elsewhere(ada.email)
  const made = await ada.post('/keys', { name: 'my wallet', network: 'test' })
  const path = (made.location ?? '').replace(/\?.*/, '')
  await ada.post(`${path}/rotate`, {}, { from: `${path}/rotate` })
  await ada.post('/account/sessions', {})
  await ada.post('/account/password', { current: password, password: 'another long one' })
  const id = path.split('/').at(-1) ?? ''
  await runConcordat(['keys', 'disable', id, '--data', service.data])
  const rows = (html: string) =>
    [...html.matchAll(/<tr role="row"><th role="rowheader".*?<\/tr>/g)].map(([row]) =>
      row.replace(/<\/t[hd]>/g, '|').replace(/<[^>]*>/g, ''),
    )
  const time = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC\|/
  const shown = rows((await ada.get('/account')).html)
  for (const row of shown) t.match(row, time)
  t.same(
    shown.map((row) => row.replace(time, '').replace(/10\.1\.\d+\.\d+/, 'address')),
    [
      'Key disabled: my wallet|the operator’s command line|',
      'Password changed|address, Unknown client|',
      'Sessions ended|address, Unknown client|',
      'Key rotated: my wallet|the dashboard|',
      'Key created: my wallet|the dashboard|',
      'Log-in|address, Unknown client|',
      'Failed log-in|address, Unknown client|',
      'Key created: First key|the dashboard|',
      'Sign-up|address, Unknown client|',
    ],
  )
  t.same(rows((await ada.get('/account/security')).html), shown)
  const eve = await newcomer()
  t.equal(rows((await eve.get('/account/security')).html).length, 2, 'only her own sign-up and key')
})

t.test('a deleted account loses its sessions, and its keys stop working immediately', async (t) => {
  const ada = await newcomer()
  const other = await elsewhere(ada.email)
  const made = await ada.post('/keys', { name: 'a key', network: 'test' })
  const { html } = await ada.get(made.location ?? '')
  const [, url = ''] = /data-secret-text="([^"]*)"/.exec(html) ?? []
  t.equal((await post(url, chainId)).status, 200)
  const wrong = await ada.post('/account/delete', { deletePassword: 'not this one' })
  t.equal(wrong.status, 401)
  t.equal((await post(url, chainId)).status, 200)
  const deleted = await ada.post('/account/delete', { deletePassword: password })
  t.equal(deleted.location, '/login')
  t.equal((await post(url, chainId)).status, 401)
  t.notOk(await isLoggedIn(other))
  t.equal((await elsewhere(ada.email)).answer.status, 401)
  const again = await newcomer(ada.email)
  t.notMatch((await again.get('/keys')).html, '>a key<')
})

t.test(
  'a forgotten password: the link is in the log of a development start, works once, and confirms the address',
  async (t) => {
    const ada = await newcomer()
    const asked = await createVisitor(origin).post('/forgot', { email: ada.email }, { from: '/forgot' })
    t.equal(asked.status, 200)
    t.match(asked.html, /in the log/)
    t.notMatch(asked.html, /token/)
    const unknown = await createVisitor(origin).post(
      '/forgot',
      { email: 'nobody@example.com' },
      { from: '/forgot' },
    )
    t.equal(
      unknown.html.replace(/<footer.*/, ''),
      asked.html.replace(/<footer.*/, ''),
      'as for an unknown address',
    )
    const link = new RegExp(`"email":"${ada.email}","link":"([^"]*)"`)
    const [, url = ''] = link.exec(await service.said('err', link)) ?? []
    const path = url.slice(origin.length)
    const token = new URL(url).searchParams.get('token') ?? ''
    const set = () =>
      createVisitor(origin).post('/reset', { token, password: 'one that is new' }, { from: path })
    t.equal((await set()).location, '/login')
    t.notOk(await isLoggedIn(ada), 'every session has ended')
    const { answer, get: visit, post: send } = await elsewhere(ada.email, 'one that is new')
    t.equal(answer.status, 303)
    t.match((await visit('/account')).html, 'confirmed')
    const moved = { email: newAddress(), addressPassword: 'one that is new' }
    t.equal((await send('/account/address', moved)).location, '/account')
    t.notMatch((await visit('/account')).html, 'confirmed', 'the new address is not')
    const second = await set()
    t.equal(second.status, 400)
    t.match(second.html, /invalid or has expired/)
  },
)

t.test('the demo user logs in with the password that the first start prints once', async (t) => {
  const [, secret = ''] = /demo@example\.com \/ (\S+)/.exec(service.output().out) ?? []
  const demo = await elsewhere('demo@example.com', secret)
  t.equal(demo.answer.status, 303)
  t.match((await demo.get('/keys')).html, 'development, test network')
})

t.test('the host name of the machine works like its address', async (t) => {
  const url = new URL(origin)
  url.hostname = 'localhost'
  const reached = await new Promise<boolean>((resolve) =>
    get(url, (response) => resolve(response.resume().statusCode === 200)).on('error', () => resolve(false)),
  )
  if (!reached) return t.comment('localhost is another address here')
  const visitor = createVisitor(url.origin)
  t.match((await visitor.post('/signup', { email: newAddress(), password })).location, /^\/keys\/key_/)
})

t.test('an operator’s address is confirmed by the link in the log, and not by the sign-up', async (t) => {
  const email = operatorAddress
  const visitor = () => createVisitor(origin)
  const eve = visitor()
  t.equal((await eve.post('/signup', { email, password })).status, 303)
  const unconfirmed = await eve.get('/admin')
  t.equal(unconfirmed.status, 403)
  t.match(unconfirmed.html, /on the list of operators, but it is not confirmed.*Forgot your password/s)
  t.notMatch((await eve.get('/')).html, '/admin')
  await visitor().post('/forgot', { email }, { from: '/forgot' })
  const link = new RegExp(`"email":"${email}","link":"[^"]*token=([^"]*)"`)
  const [, token = ''] = link.exec(await service.said('err', link)) ?? []
  const secret = 'a password that Eve does not know'
  await visitor().post('/reset', { token, password: secret }, { from: '/reset?token=x' })
  t.equal((await eve.get('/account')).status, 303, 'the earlier owner of the address is logged out')
  const operator = visitor()
  t.equal((await operator.post('/login', { email, password: secret }, { from: '/login' })).status, 303)
  t.equal((await operator.get('/admin')).status, 200)
})
