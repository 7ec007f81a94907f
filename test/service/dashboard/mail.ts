import t from 'tap'
import { freePort } from '../../support/free-port.js'
import { runConcordat, runInProcess, startService } from '../../support/service.js'
import { timeCode } from '../../support/time-code.js'
import { createVisitor, newAddress, password, separateVisitors, type Visitor } from '../../support/visitor.js'
import { operatorAddress, origin, publicOrigin, server, service } from './mail-harness.js'

/** Accounts of a service with mail, as in production. */
/** Requests name the public origin, whatever address they use. */
const fromPublic = { headers: { origin: publicOrigin } }
const createCustomer = () => createVisitor(origin)
const mailTo = (address: string, words: RegExp) =>
  server.mail(({ to, text }) => to.includes(address) && words.test(text))
const linkOf = (text: string) => new RegExp(`${publicOrigin}(/\\w+\\?token=\\S+)`).exec(text)?.[1] ?? ''
const tokenOf = (text: string) => new URL(linkOf(text), publicOrigin).searchParams.get('token') ?? ''

const signUp = (email: string) => createCustomer().post('/signup', { email, password }, fromPublic)
const logIn = async (email: string, secret = password) => {
  const visitor = createCustomer()
  const answer = await visitor.post('/login', { email, password: secret }, { ...fromPublic, from: '/login' })
  return { ...visitor, answer }
}
const confirm = async (email: string) => {
  const { text } = await mailTo(email, /Confirm/)
  return createCustomer().post(
    '/verify',
    { token: tokenOf(text), password },
    { ...fromPublic, from: linkOf(text) },
  )
}

t.test('a sign-up has the same response for every address; only the mail differs', async (t) => {
  const email = newAddress()
  const shown = async () =>
    (await signUp(email)).html.replaceAll(email, 'ADDRESS').replace(/value="[^"]*"/g, '')
  const first = await shown()
  t.match(first, 'Check your mail')
  const { text } = await mailTo(email, /Confirm the address/)
  t.match(text, 'From: service@example.com')
  t.equal(await shown(), first)
  const known = await mailTo(email, /You already have an account/)
  t.notMatch(known.text, 'token=')
})

t.test('a login requires a confirmed address, and the confirmation requires a button', async (t) => {
  const email = newAddress()
  await signUp(email)
  const early = await logIn(email)
  t.equal(early.answer.status, 403)
  t.match(early.answer.html, 'is not confirmed')
  t.notOk(early.cookies.has('concordat.session_token'))
  const { text } = await mailTo(email, /Confirm/)
  t.equal((await createCustomer().get(linkOf(text))).status, 200)
  t.equal((await logIn(email)).answer.status, 403, 'a program that opens links confirms nothing')
  t.equal((await confirm(email)).location, '/login')
  const ada = await logIn(email)
  t.equal(ada.answer.location, '/keys')
  t.equal((await ada.post('/keys', { name: 'a key', network: 'test' }, fromPublic)).status, 303)
})

t.test('an attacker who signs up with a foreign address gains nothing from its confirmation', async (t) => {
  const email = newAddress()
  await signUp(email)
  const { text } = await mailTo(email, /Confirm/)
  const own = 'what the owner of the address would choose'
  const confirmed = await createCustomer().post(
    '/verify',
    { token: tokenOf(text), password: own },
    { ...fromPublic, from: linkOf(text) },
  )
  t.equal(confirmed.status, 401)
  t.match(confirmed.html, 'id="password-problem"')
  t.match(confirmed.html, 'set your own password')
  t.equal((await logIn(email)).answer.status, 403, 'nothing is confirmed')
  await createCustomer().post('/forgot', { email }, { ...fromPublic, from: '/forgot' })
  const { text: reset } = await mailTo(email, /Set a new password for/)
  const set = { token: tokenOf(reset), password: own }
  await createCustomer().post('/reset', set, { ...fromPublic, from: linkOf(reset) })
  t.equal((await logIn(email)).answer.status, 401, 'the attacker is logged out')
  t.equal((await logIn(email, own)).answer.status, 303, 'the owner is logged in')
})

t.test('a confirmation link works for its account only, and an invented one is invalid', async (t) => {
  const { status, html } = await createCustomer().post(
    '/verify',
    { token: 'made.up.token' },
    { ...fromPublic, from: '/verify?token=x' },
  )
  t.equal(status, 400)
  t.match(html, 'This link is invalid or has expired')
})

t.test('an operator takes over the account by mail only', async (t) => {
  const email = newAddress()
  const args = [
    '--user',
    email,
    '--network',
    'main',
    '--name',
    'named by the operator',
    '--data',
    service.data,
  ]
  t.equal((await runConcordat(['keys', 'create', ...args])).code, 0)
  await signUp(email)
  await mailTo(email, /You already have an account/)
  t.equal((await logIn(email)).answer.status, 401, 'the sign-up has set no password')
  await createCustomer().post('/forgot', { email }, { ...fromPublic, from: '/forgot' })
  const { text } = await mailTo(email, /Set a new password for/)
  const token = tokenOf(text)
  const set = await createCustomer().post(
    '/reset',
    { token, password: 'one that is mine' },
    { ...fromPublic, from: linkOf(text) },
  )
  t.equal(set.location, '/login')
  const owner = await logIn(email, 'one that is mine')
  t.match((await owner.get('/keys')).html, 'named by the operator')
})

t.test('a form that is sent to another address than the public one gets a link to it', async (t) => {
  const { status, html } = await createCustomer().post('/signup', { email: newAddress(), password })
  t.equal(status, 403)
  t.match(html, `Open ${publicOrigin}`)
})

t.test('a mail names the public address, whatever host the request named', async (t) => {
  const email = newAddress()
  const headers = { ...fromPublic.headers, 'x-forwarded-host': 'evil.example' }
  await createCustomer().post('/signup', { email, password }, { headers })
  const { text } = await mailTo(email, /Confirm/)
  t.notMatch(text, 'evil.example')
  t.match(linkOf(text), '/verify?token=')
})

t.test('the log of a production service contains no links or addresses', async (t) => {
  const { err, out } = service.output()
  t.notMatch(`${out}${err}`, /token=|person\d/)
})

t.test('a service without mail says so, resets no passwords, and has no operators', async (t) => {
  const port = await freePort()
  const other = await startService({
    command: 'serve',
    isChainless: true,
    env: {
      ...separateVisitors,
      CONCORDAT_OPERATORS: operatorAddress,
      CONCORDAT_PUBLIC_URL_DASHBOARD: `https://dashboard.example:${port}`,
    },
  })
  t.teardown(() => other.stop())
  await other.said('err', /no mail server is configured/, /they have no access/)
  const visitor = createVisitor(other.origin)
  t.match((await visitor.get('/signup')).html, 'does not send mail')
  t.match((await visitor.get('/forgot')).html, 'Contact its operator')
  t.equal((await visitor.get('/signup')).headers.get('strict-transport-security'), 'max-age=31536000')
  await visitor.post(
    '/signup',
    { email: operatorAddress, password },
    { headers: { origin: `https://dashboard.example:${port}` } },
  )
  t.match(visitor.attributes.get('__Secure-concordat.session_token'), /Secure/)
  t.match(visitor.attributes.get('__Host-concordat.form'), /Secure/)
  t.equal((await visitor.get('/account')).status, 200)
  t.equal((await visitor.get('/admin/users')).status, 404)
  const unconfirmed = await visitor.get('/admin')
  t.equal(unconfirmed.status, 403)
  t.match(unconfirmed.html, 'set CONCORDAT_SMTP_URL')
  t.match((await createVisitor(other.origin).get('/forgot')).html, 'cannot send you a link')
})

t.test('mail without a public address is refused by name', async (t) => {
  const env = { CONCORDAT_SMTP_URL: server.url }
  const { code, err } = await runInProcess(['start', '--port', '0', '--data', service.data], env)
  t.equal(code, 2)
  t.match(err, 'CONCORDAT_PUBLIC_URL_DASHBOARD')
})

/** A user with a confirmed address, logged in in two browsers. */
async function confirmedUser() {
  const email = newAddress()
  await signUp(email)
  await confirm(email)
  return { email, ada: await logIn(email), other: await logIn(email) }
}
const isLoggedIn = async ({ get }: Pick<Visitor, 'get'>) => (await get('/account')).status === 200

t.test('a new address is confirmed by its link and the password, and the old one is told', async (t) => {
  const { email, ada, other } = await confirmedUser()
  const next = newAddress()
  const change = (fields: object) =>
    ada.post('/account/address', { email: next, addressPassword: password, ...fields }, fromPublic)
  t.equal((await change({ addressPassword: 'not this one' })).status, 401)
  await createCustomer().post('/forgot', { email }, { ...fromPublic, from: '/forgot' })
  const { text: reset } = await mailTo(email, /Set a new password for/)
  t.match((await change({})).html, 'Check your mail')
  const { text } = await mailTo(next, /Confirm the address/)
  t.match((await ada.get('/account')).html, email, 'not changed yet')
  const send = (secret: string) =>
    createCustomer().post(
      '/address',
      { token: tokenOf(text), password: secret },
      { ...fromPublic, from: linkOf(text) },
    )
  const wrong = await send('not this one')
  t.equal(wrong.status, 401)
  t.match(wrong.html, 'id="password-problem"')
  t.equal((await logIn(email)).answer.status, 303)
  t.equal((await send(password)).location, '/login')
  await mailTo(email, new RegExp(`is now ${next.replaceAll('.', '\\.')}`))
  for (const each of [ada, other]) t.notOk(await isLoggedIn(each))
  t.equal((await logIn(email)).answer.status, 401)
  const moved = await logIn(next)
  t.equal(moved.answer.status, 303)
  t.match((await moved.get('/account')).html, 'confirmed')
  t.equal((await send(password)).status, 400, 'a link works once')
  const late = { token: tokenOf(reset), password: 'what a thief of the old mailbox chooses' }
  t.equal((await createCustomer().post('/reset', late, { ...fromPublic, from: linkOf(reset) })).status, 400)
})

t.test('changes of the password and of the second factor are told by mail, others are not', async (t) => {
  const { email, ada } = await confirmedUser()
  const told = async (words: RegExp) => {
    const { text } = await mailTo(email, words)
    t.match(text, new RegExp(`at ${publicOrigin}. The request came from [\\d.]+\\.`))
    t.match(text, `${publicOrigin}/forgot`)
    t.notMatch(text, 'token=')
  }
  const next = 'another one that is mine'
  const changed = { current: password, password: next }
  t.equal(
    (await ada.post('/account/password', { ...changed, current: 'not this one' }, fromPublic)).status,
    401,
  )
  t.equal((await ada.post('/account/password', changed, fromPublic)).status, 303)
  await told(/^Subject: Your password was changed/m)
  const page = '/account/second-factor'
  const { html } = await ada.post(page, { setUpPassword: next }, fromPublic)
  const [, uri = ''] = /name="uri" value="([^"]*)"/.exec(html) ?? []
  const secret = new URL(uri.replaceAll('&amp;', '&')).searchParams.get('secret') ?? ''
  await ada.post(`${page}/confirm`, { uri, code: timeCode(secret) }, fromPublic)
  await told(/^Subject: Your second factor was turned on/m)
  await ada.post(`${page}/codes`, { codesPassword: next }, { ...fromPublic, from: page })
  await told(/^Subject: Your recovery codes were replaced/m)
  await ada.post(`${page}/off`, { offPassword: next }, { ...fromPublic, from: page })
  await told(/^Subject: Your second factor was turned off/m)
  await createCustomer().post('/forgot', { email }, { ...fromPublic, from: '/forgot' })
  const { text: reset } = await mailTo(email, /Set a new password for/)
  const set = { token: tokenOf(reset), password }
  t.equal((await createCustomer().post('/reset', set, { ...fromPublic, from: linkOf(reset) })).status, 303)
  await told(/^Subject: Your password was set by a reset link/m)
  const subjects = server.mails.flatMap(({ to, text }) =>
    to.includes(email) ? [/^Subject: (.*?)\r?$/m.exec(text)?.[1]] : [],
  )
  t.equal(new Set(subjects).size, subjects.length, 'each is told once')
  t.equal(subjects.length, 7, 'with the two links')
})

t.test('a change to a known address has the same response; only the mail differs', async (t) => {
  const { ada } = await confirmedUser()
  const { email: taken, other } = await confirmedUser()
  const shown = async (email: string) => {
    const fields = { email, addressPassword: password }
    const { status, html } = await ada.post('/account/address', fields, fromPublic)
    return [status, html.replaceAll(email, 'ADDRESS').replace(/value="[^"]*"/g, '')]
  }
  const free = newAddress()
  t.same(await shown(taken), await shown(free))
  const { text } = await mailTo(taken, /nothing was changed/)
  t.notMatch(text, 'token=')
  t.ok(await isLoggedIn(other))
  const { text: link } = await mailTo(free, /Confirm the address/)
  await signUp(free)
  await confirm(free)
  const late = { token: tokenOf(link), password }
  const answer = await createCustomer().post('/address', late, { ...fromPublic, from: linkOf(link) })
  t.equal(answer.status, 409, 'somebody else has signed up with the address')
  t.match(answer.html, 'already exists')
})
