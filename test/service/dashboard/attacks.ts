import t from 'tap'
import { limits } from '../../../generated/contract.js'
import { dashboardRoutes } from '../../support/dashboard-routes.js'
import { call, post } from '../../support/service.js'
import { until } from '../../support/until.js'
import { createVisitor, newAddress, password } from '../../support/visitor.js'
import { bystander, newcomer, origin, service } from './http-harness.js'

/** Attacks on the dashboard. */
const sessionCookie = 'concordat.session_token'
const chainId = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }

/** Creates a key and returns the path of its page. */
async function newKey(visitor: Pick<ReturnType<typeof createVisitor>, 'post'>, fields = {}) {
  const made = await visitor.post('/keys', { name: 'a key', network: 'test', ...fields })
  return made.location?.split('?')[0] ?? made.html
}
const tokenOf = (html: string) => /name="_csrf" value="([^"]*)"/.exec(html)?.[1] ?? ''
const form = { 'content-type': 'application/x-www-form-urlencoded' }

t.test(
  'a form without a token, with a foreign one, or with one from before the login changes nothing',
  async (t) => {
    const ada = await newcomer()
    const eve = await newcomer()
    const early = createVisitor(origin)
    const before = tokenOf((await early.get('/login')).html)
    await early.post('/login', { email: ada.email, password }, { from: '/login' })
    const tokens = { none: '', wrong: 'wrong', "Eve's": tokenOf((await eve.get('/account')).html) }
    for (const [name, token] of Object.entries(tokens)) {
      const { status, html } = await ada.post('/keys', { _csrf: token, name: 'forged', network: 'test' })
      t.equal(status, 403, name)
      t.match(html, 'Nothing was changed', name)
    }
    t.equal(
      (await early.post('/keys', { _csrf: before, name: 'forged', network: 'test' })).status,
      403,
      'early',
    )
    t.notMatch((await ada.get('/keys')).html, 'forged')
  },
)

t.test('a form of another origin is refused, even if everything else is valid', async (t) => {
  const foreign = [
    'https://evil.example',
    'null',
    `${origin}.evil.example`,
    origin.replace('http:', 'https:'),
    '',
    null,
  ]
  for (const from of foreign) {
    const { status } = await bystander.post(
      '/keys',
      { name: 'forged', network: 'test' },
      { headers: { origin: from } },
    )
    t.equal(status, 403, JSON.stringify(from))
  }
  for (const path of ['/signup', '/login', '/logout', '/forgot', '/reset', '/verify', '/account/delete']) {
    for (const from of ['https://evil.example', null]) {
      const { status } = await bystander.post(path, {}, { headers: { origin: from } })
      t.equal(status, 403, `${path} from ${from}`)
    }
  }
  t.notMatch((await bystander.get('/keys')).html, 'forged')
})

t.test('no other origin can read a page, frame it or send to it', async (t) => {
  for (const path of ['/', '/login', '/keys', '/account']) {
    const { headers } = await bystander.get(path, { origin: 'https://evil.example' })
    t.equal(headers.get('access-control-allow-origin'), null, path)
    t.match(headers.get('content-security-policy'), /default-src 'none'.*frame-ancestors 'none'/, path)
    t.notMatch(headers.get('content-security-policy'), /unsafe|\*|https:/, path)
    t.equal(headers.get('cache-control'), 'no-store', path)
    // A POST to the root is a request without its key, so its preflight is the service's own.
    if (path === '/') continue
    const preflight = await fetch(`${origin}${path}`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example' },
    })
    t.equal(preflight.status, 405, path)
    t.equal(preflight.headers.get('access-control-allow-origin'), null, path)
  }
})

t.test('user input is always text, never markup', async (t) => {
  const ada = await newcomer()
  const name = `"><script>alert(1)</script>'`
  const description = '<img src=x onerror=alert(2)>'
  const path = await newKey(ada, { name, description, useCase: '<i>', nodeService: '{{7*7}}' })
  const tabs = ['', '/settings', '/tokens', '/networks', '/metrics', '/failures', '/rotate', '/delete']
  for (const page of ['/keys', ...tabs.map((tab) => path + tab)]) {
    const { html } = await ada.get(page)
    t.match(html, '&quot;>&lt;script>alert(1)&lt;/script>', `${page}: shown as typed`)
    t.notMatch(html, /<script>alert|<img(?! src="\/assets\/)/, page)
  }
  const reflected = await createVisitor(origin).post('/login', { email: name, password: 'x', next: name })
  t.notMatch(reflected.html, /<script>alert/)
  t.notMatch((await ada.get(`/login?next=${encodeURIComponent(name)}`)).html, '<script>a')
  t.notMatch((await createVisitor(origin).get(`/reset?token=${encodeURIComponent(name)}`)).html, '<script>a')
})

t.test('another user’s key is treated like an unknown one', async (t) => {
  const path = await newKey(await newcomer())
  const eve = await newcomer()
  const foreign = await eve.get(path)
  const unknown = await eve.get('/keys/key_0000000000000000')
  t.equal(foreign.status, 404)
  t.equal(foreign.html, unknown.html.replaceAll(tokenOf(unknown.html), tokenOf(foreign.html)))
})

t.test('another user’s key is unavailable on every route, also when logged out', async (t) => {
  const ada = await newcomer()
  const path = await newKey(ada, { name: 'key of Ada', description: 'as it was made' })
  const { html } = await ada.get(`${path}?show=url`)
  const [, url = ''] = /data-secret-text="([^"]*)"/.exec(html) ?? []
  const eve = await newcomer()
  const routes = (await dashboardRoutes()).filter((route) => route.path.startsWith('/keys/:id'))
  t.ok(routes.length > 5, 'there are routes to test')
  for (const { method, path: pattern } of routes) {
    const real = pattern.replace('/keys/:id', path).replace('*', 'x')
    const name = `${method} ${pattern}`
    const fields = { name: 'taken', description: 'taken', dailyLimit: '1' }
    const ask = (visitor: typeof eve | ReturnType<typeof createVisitor>) =>
      method === 'POST' ? visitor.post(real, fields) : visitor.get(real)
    t.equal((await ask(eve)).status, 404, `${name}: another user`)
    const nobody = await ask(createVisitor(origin))
    t.ok([303, 401].includes(nobody.status), `${name}: logged out`)
    t.notMatch(nobody.html, /data-secret-text/, `${name}: logged out`)
  }
  await post(url, { ...chainId, method: 'nothing' })
  const [failure = ''] = await until(async () => /fail_\w+/.exec((await ada.get(`${path}/failures`)).html))
  t.equal((await ada.get(`${path}/failures/${failure}`)).status, 200)
  t.equal((await eve.get(`${await newKey(eve)}/failures/${failure}`)).status, 404, 'with another key')
  for (const page of ['/keys', '/usage', '/account/security'])
    t.notMatch((await eve.get(page)).html, 'key of Ada', page)
  t.match((await ada.get('/keys')).html, 'as it was made')
  t.equal(await call(url, 'eth_chainId'), '0x1f', 'the key is unchanged')
})

t.test('private pages are shown only to their user', async (t) => {
  const everybody = [
    '/',
    '/signup',
    '/login',
    '/login/code',
    '/address',
    '/forgot',
    '/reset',
    '/verify',
    '/scope',
    '/status',
    '/assets/:name',
  ]
  for (const { method, path } of await dashboardRoutes()) {
    if (method !== 'GET' || everybody.includes(path) || path.endsWith('*')) continue
    const { status, location } = await createVisitor(origin).get(path.replaceAll(':', ''))
    t.ok(status === 401 || (status === 303 && location?.startsWith('/login')), `${path}: ${status}`)
  }
})

t.test('every form is refused without its token and from other origins', async (t) => {
  const ada = await newcomer()
  const key = await newKey(ada)
  for (const { method, path } of await dashboardRoutes()) {
    // Only a service with mail can send one again.
    if (method !== 'POST' || path === '/signup/again') continue
    const real = path.replace('/keys/:id', key).replaceAll(':', '')
    t.equal((await ada.post(real, { _csrf: '' })).status, 403, `${path}: without its token`)
    const foreign = { headers: { origin: 'https://evil.example' } }
    t.equal((await ada.post(real, {}, foreign)).status, 403, `${path}: from another origin`)
  }
  t.equal((await ada.get(key)).status, 200, 'the key and the session still exist')
})

t.test('line breaks in input do not inject headers, mail headers or log lines', async (t) => {
  const lines = 'x\r\nset-cookie: stolen=1\r\n\r\n<p>'
  const visitor = createVisitor(origin)
  const answers = [
    await visitor.post('/login', { email: lines, password, next: `/keys/${lines}` }, { from: '/login' }),
    await visitor.post('/signup', { email: `${lines}@example.com`, password }),
    await visitor.post('/forgot', { email: `${lines}@example.com` }, { from: '/forgot' }),
    await visitor.get(`/login?next=${encodeURIComponent(`/keys/${lines}`)}`),
    await visitor.get(`/keys/${encodeURIComponent(lines)}`),
  ]
  for (const { headers } of answers) t.notMatch(headers.get('set-cookie'), 'stolen')
  t.notOk(visitor.cookies.has('stolen'))
  const path = await newKey(bystander, { name: `named ${lines}` })
  t.match(path, 'id="name-problem"', 'refused next to its field')
  t.notMatch(service.output().err, /^set-cookie/m)
})

t.test('a link in the log leads to this service, whatever host a request names', async (t) => {
  const { email } = await newcomer()
  const visitor = createVisitor(origin)
  const headers = { 'x-forwarded-host': 'evil.example', origin: 'http://evil.example' }
  await visitor.post('/forgot', { email }, { from: '/forgot', headers })
  t.equal((await visitor.post('/forgot', { email }, { from: '/forgot' })).status, 200)
  const link = new RegExp(`"email":"${email}","link":"([^"]*)"`)
  const [, sent = ''] = link.exec(await service.said('err', link)) ?? []
  t.equal(new URL(sent).origin, origin)
  t.notMatch(service.output().err, /"link":"[^"]*evil/)
})

t.test('the own origin does not depend on headers, also behind a trusted proxy', async (t) => {
  for (const headers of [
    { origin: 'http://evil.example', 'x-forwarded-host': 'evil.example' },
    { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    { origin: origin.replace('http:', 'https:'), 'x-forwarded-proto': 'https' },
  ]) {
    const form = { name: 'forged', network: 'test' }
    const { status, html } = await bystander.post('/keys', form, { headers })
    t.equal(status, 403, JSON.stringify(headers))
    t.match(html, 'CONCORDAT_PUBLIC_URL_DASHBOARD')
  }
  t.notMatch((await bystander.get('/keys')).html, 'forged')
})

t.test('unknown fields of a form are ignored', async (t) => {
  const ada = await newcomer()
  const eve = createVisitor(origin)
  const email = newAddress()
  const sent = {
    email,
    password,
    emailVerified: 'true',
    origin: 'embedded',
    id: 'usr_eve',
    name: 'x',
    image: 'y',
  }
  t.equal((await eve.post('/signup', sent)).status, 303)
  t.notMatch((await eve.get('/account')).html, 'confirmed')
  const path = await newKey(eve, {
    userId: 'usr_other',
    'user[id]': 'usr_other',
    dailyLimit: '1',
    id: 'key_chosen',
    state: 'disabled',
  })
  t.match(path, /^\/keys\/key_(?!chosen)/)
  t.match((await eve.get('/keys')).html, path)
  t.notMatch((await ada.get('/keys')).html, path)
  const twice = await ada.post('/keys', { name: 'one', network: 'test' }, { headers: form })
  t.equal(twice.status, 303)
})

t.test('forms that are too large, of another type or invalid are refused with a page', async (t) => {
  t.equal((await bystander.post('/keys', { name: 'x'.repeat(70_000), network: 'test' })).status, 413)
  const cookie = [...bystander.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const send = (body: string, type: string) =>
    fetch(`${origin}/keys`, { method: 'POST', body, headers: { cookie, origin, 'content-type': type } })
  const json = await send('{"name":"x"}', 'application/json')
  t.equal(json.status, 415)
  t.match(json.headers.get('content-type'), 'text/html')
  t.equal((await send('--x--', 'multipart/form-data; boundary=x')).status, 415)
  t.equal((await send('__proto__[x]=1&constructor=2&name=%E0%A4%A', form['content-type'])).status, 403)
  t.equal((await send('', 'text/plain')).status, 415)
  t.equal((await send('a=1&'.repeat(16_000), form['content-type'])).status, 403, 'thousands of fields')
  t.equal((await bystander.get('/keys/%E0%A4%A')).status >= 400, true)
  t.equal((await bystander.get('/keys')).status, 200, 'the service still works')
})

t.test('guesses from one address are slowed down, and other addresses are not affected', async (t) => {
  const { email } = await newcomer()
  const guesser = createVisitor(origin)
  const guess = (secret: string) => guesser.post('/login', { email, password: secret }, { from: '/login' })
  for (let n = 0; n < limits.logInAttemptsPerAddressPerMinute; n += 1)
    t.equal((await guess(`wrong ${n}`)).status, 401)
  const refused = await guess(password)
  t.equal(refused.status, 429, 'even with the correct password')
  t.match(refused.headers.get('retry-after'), /^\d+$/)
  t.match(refused.html, 'Too many attempts')
  const other = createVisitor(origin)
  t.equal((await other.post('/login', { email, password }, { from: '/login' })).status, 303)
})

t.test(
  'guesses at one account from many addresses are slowed down, and the owner can still log in',
  async (t) => {
    const owner = await newcomer()
    const { email } = owner
    const guess = async (secret: string) =>
      (await createVisitor(origin).post('/login', { email, password: secret }, { from: '/login' })).status
    const answers = []
    for (let n = 0; n < limits.logInAttemptsPerAccountPerHour; n += 5)
      answers.push(...(await Promise.all([1, 2, 3, 4, 5].map((each) => guess(`wrong ${n} ${each}`)))))
    t.same(new Set(answers), new Set([401]))
    t.equal(await guess(password), 429, 'a stranger, even with the correct password')
    const again = () => owner.post('/login', { email, password }, { from: '/keys/new' })
    t.equal((await again()).status, 303, 'the owner, from the address of the sign-up')
    t.equal(await guess('wrong'), 401, 'after the owner’s login the count is reset')
  },
)

t.test('a form of the same site with a final dot in its host name is accepted', async (t) => {
  const { port } = new URL(origin)
  const fields = { email: newAddress(), password }
  const send = (from: string) => createVisitor(origin).post('/signup', fields, { headers: { origin: from } })
  t.equal((await send(`http://localhost..:${port}`)).status, 403)
  t.equal((await send(`http://localhost.:${port}`)).status, 303)
})

t.test('sign-ups of an IPv6 site are limited, by a larger bound than those of one network', async (t) => {
  const signUp = async (address: string) =>
    (await createVisitor(origin, address).post('/signup', { email: newAddress(), password: '1' })).status
  const most = limits.signUpsPerAddressPerHour
  for (let n = 0; n < most; n += 1) t.equal(await signUp(`2001:db8:1:1::${n}`), 400)
  t.equal(await signUp('2001:db8:1:1::ffff'), 429, 'one network')
  const others = most * (limits.ipv6SiteTimes - 1)
  const statuses = await Promise.all(
    Array.from({ length: others }, (_, n) => signUp(`2001:db8:1:${(n + 2).toString(16)}::1`)),
  )
  t.same(new Set(statuses), new Set([400]))
  t.equal(await signUp('2001:db8:1:ffff::1'), 429, 'the site')
  t.equal(await signUp('2001:db8:2::1'), 400, 'another site')
  t.equal(await signUp('::192.0.2.1'), 400, 'an IPv6 address')
})

t.test('sign-ups of one address are limited', async (t) => {
  const crowd = createVisitor(origin)
  let status = 303
  let made = 0
  while (status === 303 && made <= limits.signUpsPerAddressPerHour) {
    crowd.cookies.clear()
    status = (await crowd.post('/signup', { email: newAddress(), password })).status
    if (status === 303) made += 1
  }
  t.equal(status, 429)
  t.equal(made, limits.signUpsPerAddressPerHour)
})

t.test('requests with a key bypass the dashboard', async (t) => {
  const { url } = service.networks.test
  const { headers } = await post(url, chainId, { cookie: `${sessionCookie}=x` })
  for (const name of ['content-security-policy', 'set-cookie', 'referrer-policy'])
    t.equal(headers.get(name), null, name)
  t.equal(await call(url, 'eth_chainId'), '0x1f')
  for (const path of ['/', '/v2', '/unknown', '/unknown/path', '/v2/keys']) {
    const { status, json } = await post(`${origin}${path}`, chainId)
    t.equal(status, 401, path)
    t.equal(json.error.code, -32016, path)
  }
  t.equal((await fetch(`${origin}/keys`, { method: 'PUT' })).status, 405)
})

t.test('no output of the service contains a password, a session or a key', async (t) => {
  const ada = await newcomer()
  const { err } = service.output()
  t.notMatch(err, password)
  t.notMatch(err, /session_token|-T"/)
  const [session = ''] = ada.cookies.get(sessionCookie)?.split('.') ?? []
  t.not(session, '')
  t.notMatch(err, session)
})
