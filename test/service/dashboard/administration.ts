import t from 'tap'
import { limits } from '../../../generated/contract.js'
import { dashboardRoutes } from '../../support/dashboard-routes.js'
import type { TakenMail } from '../../support/mail-server.js'
import { readMail } from '../../support/read-mail.js'
import { call, post, runConcordat } from '../../support/service.js'
import { timeCode } from '../../support/time-code.js'
import { until } from '../../support/until.js'
import { createVisitor, newAddress, password, type Visitor } from '../../support/visitor.js'
import { configure, operatorAddress, origin, publicOrigin, server, service } from './mail-harness.js'

/** Pages and actions of operators, and their refusal for others. */
const chainId = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
const policyOf = (limit: number) => `"daily";q=${limit};w=86400`
const routes = (await dashboardRoutes()).filter(({ path }) => path.startsWith('/admin'))

/** A browser that uses the public address. */
function createCustomer(): Visitor {
  const visitor = createVisitor(origin)
  return {
    ...visitor,
    post: (path, fields, options = {}) =>
      visitor.post(path, fields, { ...options, headers: { origin: publicOrigin, ...options.headers } }),
  }
}
async function logIn(email: string, secret = password) {
  const visitor = createCustomer()
  const answer = await visitor.post('/login', { email, password: secret }, { from: '/login' })
  return { ...visitor, email, answer }
}
/** @param earlier number of mails before the one with the token */
const tokenOf = async (email: string, words: RegExp, earlier = 0) => {
  const isLater = (mail: TakenMail) => server.mails.indexOf(mail) >= earlier
  const { text } = await server.mail(
    (mail) => isLater(mail) && mail.to.includes(email.toLowerCase()) && words.test(mail.text),
  )
  return /token=(\S+)/.exec(text)?.[1] ?? ''
}
const currentSecond = () => Math.floor(Date.now() / 1_000)
/** When each address last signed up. The links of an address in one second are the same, and each works once. */
const lastSignUp = new Map<string, number>()
/** A new user with a confirmed address, logged in. */
async function newcomer(email = newAddress()) {
  await until(() => currentSecond() !== lastSignUp.get(email.toLowerCase()))
  const earlier = server.mails.length
  const { status, html } = await createCustomer().post('/signup', { email, password })
  if (status !== 200) throw new Error(html)
  const token = await tokenOf(email, /Confirm/, earlier)
  lastSignUp.set(email.toLowerCase(), currentSecond())
  await createCustomer().post('/verify', { token, password }, { from: '/verify?token=x' })
  return logIn(email)
}
async function newKey(visitor: Visitor, name = 'a key') {
  const { location } = await visitor.post('/keys', { name, network: 'test' })
  const { html } = await visitor.get(location ?? '')
  const [, url = ''] = /data-secret-text="([^"]*)"/.exec(html) ?? []
  return { id: location?.split('?')[0]?.split('/')[2] ?? '', url }
}
/** The page of an account, found as an operator finds it. */
async function pageOf(operator: Visitor, email: string): Promise<string> {
  const { html } = await operator.get(`/admin?q=${encodeURIComponent(email)}`)
  return /href="(\/admin\/users\/usr_\w+)"/.exec(html)?.[1] ?? html
}
/** Submits the form of a confirmation. */
const confirm = (operator: Visitor, path: string) => operator.post(path, {}, { from: path })

/** The operator's browser, once the first test has logged it in. */
let operator: Visitor = createCustomer()

t.test('an operator’s unconfirmed address grants no rights', async (t) => {
  await createCustomer().post('/signup', { email: operatorAddress, password })
  const eve = await logIn(operatorAddress)
  t.equal(eve.answer.status, 403)
  t.equal((await eve.get('/admin')).status, 303)
  const token = await tokenOf(operatorAddress, /Confirm/)
  await createCustomer().post('/verify', { token, password }, { from: '/verify?token=x' })
  operator = await logIn(operatorAddress.toUpperCase())
  t.equal((await operator.get('/admin')).status, 200)
  t.match((await operator.get('/')).html, 'href="/admin"')
})

t.test('for other users these pages and forms do not exist', async (t) => {
  const ada = await newcomer()
  const eve = await newcomer()
  const { id, url } = await newKey(ada)
  const account = (await pageOf(operator, ada.email)).split('/')[3] ?? ''
  t.match(account, /^usr_/)
  t.ok(routes.length >= 10, 'there are routes to test')
  const { html: unknown } = await eve.get('/admin/nothing')
  const bare = (html: string) => html.replaceAll(/name="_csrf" value="[^"]*"/g, '')
  for (const { method, path } of routes) {
    const real = path
      .replace('/keys/:id', `/keys/${id}`)
      .replace(/:(?:id|account)/, account)
      .replace('*', 'x')
    const name = `${method} ${path}`
    const own = method === 'GET' ? await eve.get(real) : await eve.post(real, {})
    t.equal(own.status, 404, `${name}: another user`)
    t.equal(bare(own.html), bare(unknown), `${name}: like an unknown page`)
    if (path.includes('*')) continue
    const stranger = createCustomer()
    const answer = method === 'GET' ? await stranger.get(real) : await stranger.post(real, {})
    t.equal(answer.status, 303, `${name}: logged out`)
    t.match(answer.location, /^\/login/, `${name}: logged out`)
    if (method === 'GET') continue
    t.equal((await operator.post(real, { _csrf: 'wrong' })).status, 403, `${name}: without its token`)
    const foreign = { headers: { origin: 'https://evil.example' } }
    t.equal((await operator.post(real, {}, foreign)).status, 403, `${name}: from another origin`)
  }
  t.equal((await post(url, chainId)).status, 200, 'and nothing is changed')
})

t.test('an operator sees the causes of failed calls, and neither the calls nor the key', async (t) => {
  const ada = await newcomer()
  const { id, url } = await newKey(ada, 'indexer')
  for (let n = 0; n < 2; n += 1)
    await post(
      url,
      { ...chainId, method: 'eth_getBalance', params: ['a private text', 'latest'] },
      { 'x-request-id': 'a-private-id' },
    )
  const account = await pageOf(operator, ada.email)
  const html = await until(async () => {
    const page = (await operator.get(account)).html
    return page.includes(`href="${account}/failures#${id}" aria-label="2 failed calls of indexer"`) && page
  })
  t.match(html, `href="${account}/failures"`)
  const causes = (await operator.get(`${account}/failures`)).html
  t.match(
    causes,
    /id="key_\w+">indexer.*Invalid params: \/0 must be .*eth_getBalance<.*data-label="Logged">2</s,
  )
  for (const secret of ['private', new URL(url).pathname.slice(1)]) t.notMatch(causes, secret)
  const other = await newcomer()
  t.match((await operator.get(`${await pageOf(operator, other.email)}/failures`)).html, 'No failed calls')
})

t.test('accounts are found by a part of the address and by ids, with pagination', async (t) => {
  const ada = await newcomer('ada_love+lace@example.com')
  const { id } = await newKey(ada)
  for (const search of [
    'ADA_LOVE',
    'love+lace',
    id,
    (await pageOf(operator, 'ada_love')).split('/')[3] ?? '',
  ]) {
    const { html } = await operator.get(`/admin?q=${encodeURIComponent(search)}`)
    t.match(html, '1 to 1 of 1 accounts', search)
    t.match(html, 'ada_love+lace@example.com', search)
  }
  t.match((await operator.get('/admin?q=nobody-has-this')).html, 'No accounts')
  t.match((await operator.get('/admin?q=ada%25%00lace')).html, 'No accounts', 'not a pattern')
  const script = await operator.get(`/admin?q=${encodeURIComponent('"><script>alert(1)</script>')}`)
  t.notMatch(script.html, '<script>alert')
  for (const page of ['0', '-1', 'x', '99999999'])
    t.equal((await operator.get(`/admin?page=${page}`)).status, 200, page)
})

t.test('an account’s page shows its usage and failures, and never a key', async (t) => {
  const ada = await newcomer()
  const { url } = await newKey(ada, 'wallet')
  for (let n = 0; n < 2; n += 1) await call(url, 'eth_chainId')
  await post(url, { ...chainId, params: ['too many'] })
  const path = await pageOf(operator, ada.email)
  const used = `3 of ${limits.requestsPerUserPerDay.toLocaleString('en-US')} requests`
  const html = await until(async () => {
    const page = (await operator.get(path)).html
    return page.includes(used) && page
  })
  t.match(html, 'wallet')
  t.match(html, /Sessions<\/dt><dd>1</)
  t.match(html, '>confirmed<')
  t.match(
    html,
    /30 days<\/dt><dd>3 requests charged: 3 received, 3 answered, 0 unanswered, 0 refused, 1 failed, 0 node calls/,
  )
  const text = new URL(url).pathname.slice(1)
  const list = (await operator.get('/admin?order=most-used')).html
  for (const page of [html, list]) t.notMatch(page, text)
  const row = new RegExp(`${ada.email.replaceAll('.', '\\.')}.*?</tr>`).exec(list)?.[0]
  t.match(row, /<td[^>]*>3<\/td><td[^>]*>3<\/td><td[^>]*>0<\/td><\/tr>/, 'of the last hour, and today')
  t.match((await operator.get('/admin?order=most-node-calls')).html, 'Node calls today')
  t.match(list, 'href="/admin/usage.csv?days=30"')
  const file = (await operator.get('/admin/usage.csv?days=30')).html.split('\r\n')
  t.equal(file[0], 'account,address,charged,received,answered,unanswered,refused,failed,nodeCalls')
  t.ok(file.includes(`${path.split('/')[3]},${ada.email},3,3,3,0,0,1,0`), file.join('\n'))
  t.match((await operator.get('/admin?order=most-last-hour')).html, ada.email)
  for (const range of ['hour', 'week']) {
    const calls = (await operator.get(`${path}?range=${range}`)).html
    t.match(calls, /eth_chainId<\/code><\/th><td[^>]*>3<\/td>/, range)
    t.match(calls, /-32602<\/code><\/th><td[^>]*>Invalid params<\/td><td[^>]*><code>eth_chainId</, range)
    t.notMatch(calls, '/failures?', 'links to pages of the user')
  }
})

t.test(
  'a disabled account is locked immediately, only its user learns that, and it can be enabled again',
  async (t) => {
    const ada = await newcomer()
    const other = await logIn(ada.email)
    const { url } = await newKey(ada)
    t.equal((await post(url, chainId)).status, 200)
    const path = await pageOf(operator, ada.email)
    const asked = await operator.get(`${path}/disable`)
    t.match(asked.html, 'Disable this account?')
    t.equal((await post(url, chainId)).status, 200, 'the confirmation page changes nothing')
    const unprintable = await operator.post(
      `${path}/disable`,
      { reason: 'a\u202eb' },
      { from: `${path}/disable` },
    )
    t.equal(unprintable.status, 400)
    t.match(unprintable.html, 'id="reason-problem"')
    const reason = 'Too many calls of <b>debug</b> & more.'
    const disabled = await operator.post(`${path}/disable`, { reason }, { from: `${path}/disable` })
    t.equal(disabled.location, path)
    t.equal((await post(url, chainId)).status, 401)
    const told = await server.mail(
      ({ to, text }) => to.includes(ada.email) && /disabled your account/.test(text),
    )
    t.match(await readMail(told.source), {
      subject: 'An operator disabled your account',
      text: `Reason: ${reason}`,
    })
    for (const visitor of [ada, other]) t.equal((await visitor.get('/account')).status, 303)
    const refused = await logIn(ada.email)
    t.equal(refused.answer.status, 403)
    t.match(
      refused.answer.html,
      'This account and its keys are disabled. Reason: Too many calls of &lt;b>debug&lt;/b> &amp; more.',
    )
    t.notOk(refused.cookies.has('concordat.session_token'))
    const guessed = await logIn(ada.email, 'a wrong password')
    t.equal(guessed.answer.status, 401)
    t.notMatch(guessed.answer.html, /disabled|debug/, 'without the password nothing is disclosed')
    await createCustomer().post('/forgot', { email: ada.email }, { from: '/forgot' })
    const token = await tokenOf(ada.email, /Set a new password/)
    const set = { token, password: `new ${password}` }
    const reset = await createCustomer().post('/reset', set, { from: '/reset?token=x' })
    t.equal(reset.status, 403, 'a link to a new password has no effect')
    t.match(reset.html, 'This account and its keys are disabled.')
    t.equal((await logIn(ada.email)).answer.status, 403, 'the password is the same')
    t.match((await operator.get(path)).html, />disabled<.*UTC<\/time>: Too many calls/s)
    t.equal((await confirm(operator, `${path}/enable`)).status, 303)
    t.equal((await post(url, chainId)).status, 200)
    await server.mail(({ to, text }) => to.includes(ada.email) && /enabled your account/.test(text))
    const back = await logIn(ada.email)
    t.equal(back.answer.status, 303)
    t.match((await back.get('/account')).html, 'Account disabled: Too many calls')
  },
)

t.test('an operator resets the second factor of a user, which is logged and shown to the user', async (t) => {
  const ada = await newcomer()
  const path = await pageOf(operator, ada.email)
  t.match((await operator.get(path)).html, 'Second factor</dt><dd>off<')
  const { html } = await ada.post('/account/second-factor', { setUpPassword: password })
  const [, secret = ''] = /secret=(\w+)/.exec(html) ?? []
  const form = { code: timeCode(secret) }
  t.equal((await ada.post('/account/second-factor/confirm', form)).status, 200)
  t.match((await logIn(ada.email)).answer.location, '/login/code')
  t.match((await operator.get(path)).html, `href="${path}/second-factor"`)
  t.equal((await confirm(operator, `${path}/second-factor`)).location, path)
  t.match((await operator.get(path)).html, 'Second factor</dt><dd>off<')
  t.equal((await ada.get('/account')).status, 303, 'her sessions have ended')
  const again = await logIn(ada.email)
  t.equal(again.answer.location, '/keys')
  t.match((await again.get('/account')).html, /Second factor reset<\/td><td[^>]*>an operator</)
  t.match(await service.said('err', /reset the second factor/), `"operator":"${operatorAddress}"`)
})

t.test('an operator lowers the limits of an account, which its user sees', async (t) => {
  const ada = await newcomer()
  const { url } = await newKey(ada)
  t.equal((await post(url, chainId)).headers.get('ratelimit-policy'), policyOf(limits.requestsPerUserPerDay))
  const path = await pageOf(operator, ada.email)
  const send = (dailyLimit: string, keyLimit: string, reason = '') =>
    operator.post(`${path}/limits`, { dailyLimit, keyLimit, reason }, { from: `${path}/limits` })
  for (const wrong of ['0', '-1', '1.5', 'x', String(limits.requestsPerUserPerDay + 1)]) {
    const answer = await send(wrong, '')
    t.equal(answer.status, 400, wrong)
    t.match(answer.html, 'id="dailyLimit-problem"', wrong)
  }
  t.match((await send('', String(limits.keysPerUser + 1))).html, 'id="keyLimit-problem"')
  t.match((await send('3', '', 'x'.repeat(limits.reasonLength + 1))).html, 'id="reason-problem"')
  t.equal((await send('3', '1', 'for a week')).location, path)
  t.match((await operator.get(path)).html, /3 requests per day, 1 key \(lowered: for a week\)/)
  const told = await server.mail(({ to, text }) => to.includes(ada.email) && /changed the limits/.test(text))
  t.match((await readMail(told.source)).text, 'Now: 3 requests per day, 1 key. Reason: for a week')
  const lowered = await post(url, chainId)
  t.equal(lowered.headers.get('ratelimit-policy'), policyOf(3))
  t.equal((await post(url, chainId)).status, 200)
  const refused = await post(url, chainId)
  t.equal(refused.status, 429)
  t.match(refused.json.error.data, { limit: 3, used: 3, scope: 'daily' })
  const usage = (await ada.get('/usage')).html
  t.match(
    usage,
    'An operator of this service has lowered the daily limit of your account. Reason: for a week',
  )
  t.match(usage, '3 of 3 requests')
  t.match(usage, 'All 3 requests of today are used')
  t.match((await ada.get('/keys')).html, '1 of 1 keys')
  t.equal((await ada.post('/keys', { name: 'second', network: 'test' })).status, 409)
  t.match((await ada.get('/account')).html, 'Limits changed: 3 requests per day, 1 key. Reason: for a week')
  t.match(await service.said('err', /changed the limits of an account/), `"operator":"${operatorAddress}"`)
  const spent = await server.mail(
    ({ to, text }) => to.includes(ada.email) && text.includes('3 of 3 requests'),
  )
  t.match(spent.text, 'Calls are refused until 00:00 UTC.')
  t.equal((await send('', '', 'for a week')).location, path)
  t.notMatch((await ada.get('/usage')).html, 'for a week')
  t.equal((await post(url, chainId)).headers.get('ratelimit-policy'), policyOf(limits.requestsPerUserPerDay))
  await newKey(ada, 'second')
})

t.test('the mails about a daily limit are those that a mail program reads', async (t) => {
  const ada = await newcomer()
  const { url } = await newKey(ada)
  const path = await pageOf(operator, ada.email)
  await operator.post(`${path}/limits`, { dailyLimit: '10', keyLimit: '' }, { from: `${path}/limits` })
  await until(async () => (await post(url, chainId)).headers.get('ratelimit-policy') === policyOf(10))
  const mailWith = async (counted: RegExp) => {
    const { source } = await server.mail(({ to, text }) => to.includes(ada.email) && counted.test(text))
    return readMail(source)
  }
  const fits = { from: 'service@example.com', to: ada.email, type: 'text/plain', defects: [] }
  while ((await post(url, chainId)).headers.get('ratelimit')?.includes('r=2;') === false);
  // A page with the count writes it at once.
  await ada.get('/usage')
  const nearly = await mailWith(/8 of 10 requests/)
  t.match(nearly, { ...fits, subject: '80 % of your requests of today are used' })
  t.equal(
    nearly.text.trim().replaceAll('\r\n', '\n'),
    `8 of 10 requests are used. At the limit, calls are refused until 00:00 UTC.\n\nUsage: ${publicOrigin}/usage`,
  )
  t.ok(Math.abs(nearly.date * 1_000 - Date.now()) < 600_000)
  while ((await post(url, chainId)).status === 200);
  const spent = await mailWith(/10 of 10 requests/)
  t.match(spent, { ...fits, subject: 'Your requests of today are used' })
  t.match(spent.text, 'Calls are refused until 00:00 UTC.')
})

t.test('lowered limits apply to a new account with the address of a deleted one', async (t) => {
  const ada = await newcomer()
  const path = await pageOf(operator, ada.email)
  const lowered = { dailyLimit: '3', keyLimit: '1' }
  t.equal((await operator.post(`${path}/limits`, lowered, { from: `${path}/limits` })).location, path)
  t.equal((await ada.post('/account/delete', { deletePassword: password })).location, '/login')
  const again = await newcomer(ada.email.toUpperCase())
  const { url } = await newKey(again)
  t.equal((await post(url, chainId)).headers.get('ratelimit-policy'), policyOf(3))
  t.equal((await again.post('/keys', { name: 'second', network: 'test' })).status, 409)
  const present = await pageOf(operator, ada.email)
  t.match((await operator.get(present)).html, /3 requests per day, 1 key \(lowered\)/)
  const raised = { dailyLimit: '', keyLimit: '' }
  t.equal((await operator.post(`${present}/limits`, raised, { from: `${present}/limits` })).location, present)
  t.equal((await again.post('/account/delete', { deletePassword: password })).location, '/login')
  const third = await newKey(await newcomer(ada.email))
  t.equal(
    (await post(third.url, chainId)).headers.get('ratelimit-policy'),
    policyOf(limits.requestsPerUserPerDay),
    'what an operator has raised is not lowered again',
  )
})

t.test('a key that an operator disabled cannot be enabled by its user', async (t) => {
  const ada = await newcomer()
  const [first, second] = [await newKey(ada, 'first'), await newKey(ada, 'second')]
  const path = await pageOf(operator, ada.email)
  t.equal((await confirm(operator, `${path}/keys/${first.id}/disable`)).status, 303)
  t.equal((await post(first.url, chainId)).status, 401)
  t.equal((await post(second.url, chainId)).status, 200)
  t.match((await ada.get(`/keys/${first.id}`)).html, 'Only an operator can enable it')
  t.match((await operator.get(path)).html, 'disabled by an operator')
  const args = ['keys', 'enable', first.id, '--data', service.data]
  t.equal((await runConcordat(args)).code, 0)
  t.equal((await post(first.url, chainId)).status, 401, 'enabled by its user, it stays refused')
  const eve = await newcomer()
  const wrong = `${await pageOf(operator, eve.email)}/keys/${first.id}/enable`
  t.equal((await operator.post(wrong, {})).status, 404, 'not a key of that account')
  t.equal((await confirm(operator, `${path}/keys/${first.id}/enable`)).status, 303)
  t.equal((await post(first.url, chainId)).status, 200)
})

t.test('operators cannot disable each other', async (t) => {
  const second = await newcomer('second@example.com')
  const path = await pageOf(operator, second.email)
  t.match((await operator.get(path)).html, 'cannot be disabled here')
  for (const of of [path, await pageOf(operator, operatorAddress)])
    t.equal((await operator.post(`${of}/disable`, {})).status, 409)
  t.equal((await operator.get('/admin')).status, 200)
})

t.test('the log states who did what to whom, without keys', async (t) => {
  const ada = await newcomer()
  const { id, url } = await newKey(ada)
  const path = await pageOf(operator, ada.email)
  const user = path.split('/')[3]
  await confirm(operator, `${path}/keys/${id}/disable`)
  await confirm(operator, `${path}/disable`)
  const said = await service.said(
    'err',
    new RegExp(
      `"operator":"${operatorAddress}".*"userId":"${user}","keyId":"${id}".*an operator disabled a key`,
    ),
    new RegExp(`"operator":"${operatorAddress}".*"userId":"${user}".*an operator disabled an account`),
  )
  t.notMatch(said, new URL(url).pathname.slice(1))
})

t.test('an operator who is removed from the configuration loses the rights after a reload', async (t) => {
  t.equal((await operator.get('/admin')).status, 200)
  await configure(['second@example.com'])
  service.process.kill('SIGHUP')
  await service.said('err', '"changed":["operators"]')
  t.equal((await operator.get('/admin')).status, 404)
  t.equal((await operator.get('/account')).status, 200, 'the account remains')
  t.equal((await (await logIn('second@example.com')).get('/admin')).status, 200)
})
