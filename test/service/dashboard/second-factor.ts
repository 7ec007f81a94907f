import t from 'tap'
import { limits } from '../../../generated/contract.js'
import { timeCode, wrongTimeCode } from '../../support/time-code.js'
import { createVisitor, password, type Visitor } from '../../support/visitor.js'
import { newcomer, origin } from './http-harness.js'

/** The second factor of accounts over HTTP, without scripts. */
const page = '/account/second-factor'
const STEP_MS = 30_000

/** Sets up the second factor of a user; `codes` are the recovery codes. */
async function withSecondFactor() {
  const user = await newcomer()
  const { html } = await user.post(page, { setUpPassword: password })
  const [, uri = ''] = /name="uri" value="([^"]*)"/.exec(html) ?? []
  const secret = new URL(uri.replaceAll('&amp;', '&')).searchParams.get('secret') ?? ''
  // The code of the next interval stays unused for log-ins.
  const confirmed = await user.post(`${page}/confirm`, { uri, code: timeCode(secret) })
  return { ...user, uri, secret, confirmed, codes: recoveryCodesOf(confirmed.html) }
}

const recoveryCodesOf = (html: string) =>
  [...html.matchAll(/<code>((?:[a-z0-9]{4}-){3}[a-z0-9]{4})<\/code>/g)].map(([, code = '']) => code)

/** A browser whose user has entered the right password. */
async function afterPassword(email: string, next = '/keys') {
  const visitor = createVisitor(origin)
  const answer = await visitor.post('/login', { email, password, next }, { from: '/login' })
  return { ...visitor, answer }
}
const enter = ({ post }: Pick<Visitor, 'post'>, fields: Record<string, string>) =>
  post('/login/code', { next: '/usage', ...fields }, { from: '/login/code' })
const isLoggedIn = async ({ get }: Pick<Visitor, 'get'>) => (await get('/account')).status === 200
const nextCode = (secret: string) => timeCode(secret, Date.now() + STEP_MS)

t.test('the second factor is on once a code of the app was right, and codes are shown once', async (t) => {
  const ada = await newcomer()
  t.match((await ada.get('/account')).html, 'Set up a second factor')
  const wrong = await ada.post(page, { setUpPassword: 'not this one' })
  t.equal(wrong.status, 401)
  t.match(wrong.html, 'id="setUpPassword-problem"')
  const { html } = await ada.post(page, { setUpPassword: password })
  const [, uri = ''] = /name="uri" value="([^"]*)"/.exec(html) ?? []
  t.match(uri, /^otpauth:\/\/totp\/Node%20access%20service:/)
  const secret = new URL(uri.replaceAll('&amp;', '&')).searchParams.get('secret') ?? ''
  const again = await ada.post(`${page}/confirm`, { uri, code: wrongTimeCode(secret) })
  t.equal(again.status, 401)
  t.match(again.html, 'id="code-problem"')
  t.match(again.html, secret.slice(0, 4), 'the key is still shown')
  t.equal((await afterPassword(ada.email)).answer.location, '/keys', 'not on yet')
  const on = await ada.post(`${page}/confirm`, { uri, code: timeCode(secret) })
  t.equal(on.status, 200)
  t.equal(recoveryCodesOf(on.html).length, limits.recoveryCodes)
  const [, token = ''] = /name="_csrf" value="([^"]*)"/.exec(on.html) ?? []
  t.equal((await ada.post('/account/sessions', { _csrf: token })).status, 303, 'its forms work')
  const { html: account } = await ada.get('/account')
  t.match(account, `one of ${limits.recoveryCodes} recovery codes`)
  t.match(account, 'Second factor turned on')
  t.same(recoveryCodesOf((await ada.get(page)).html), [], 'never shown again')
})

t.test('turning it on ends all other sessions, and a wrong code ends none', async (t) => {
  const ada = await newcomer()
  const others = [await afterPassword(ada.email), await afterPassword(ada.email)]
  const eve = await newcomer()
  const { html } = await ada.post(page, { setUpPassword: password })
  const [, uri = ''] = /name="uri" value="([^"]*)"/.exec(html) ?? []
  const secret = new URL(uri.replaceAll('&amp;', '&')).searchParams.get('secret') ?? ''
  t.equal((await ada.post(`${page}/confirm`, { uri, code: wrongTimeCode(secret) })).status, 401)
  for (const other of others) t.ok(await isLoggedIn(other))
  const on = await ada.post(`${page}/confirm`, { uri, code: timeCode(secret) })
  t.match(on.html, 'All other sessions have been ended.')
  for (const other of others) t.notOk(await isLoggedIn(other))
  t.ok(await isLoggedIn(ada))
  t.ok(await isLoggedIn(eve))
})

t.test('a log-in needs the code; the password alone gives no session', async (t) => {
  const { email, secret, ...ada } = await withSecondFactor()
  const second = await afterPassword(email)
  t.equal(second.answer.location, '/login/code?next=%2Fkeys')
  t.notOk(second.cookies.has('concordat.session_token'))
  t.notOk(await isLoggedIn(second))
  const wrong = await enter(second, { code: wrongTimeCode(secret) })
  t.equal(wrong.status, 401)
  t.match(wrong.html, 'id="code-problem"')
  const code = nextCode(secret)
  t.equal((await enter(second, { code: `${code.slice(0, 3)} ${code.slice(3)}` })).location, '/usage')
  t.ok(await isLoggedIn(second))
  t.match(
    (await enter(await afterPassword(email), { code })).html,
    'id="code-problem"',
    'a code that was used is refused',
  )
  const { html } = await ada.get('/account')
  t.match(html, /Failed log-in: right password, wrong code/)
})

t.test('a code without the password, or for another account, is refused', async (t) => {
  const [ada, eve] = [await withSecondFactor(), await withSecondFactor()]
  const stranger = await enter(createVisitor(origin), { code: nextCode(ada.secret) })
  t.equal(stranger.location, '/login?next=%2Fusage')
  const asEve = await afterPassword(eve.email)
  t.equal((await enter(asEve, { code: nextCode(ada.secret) })).status, 401)
  const forged = createVisitor(origin)
  for (const [name, value] of asEve.cookies)
    forged.cookies.set(name, name.endsWith('two_factor') ? value.replace(/\..*/, '.AAAA') : value)
  t.equal((await enter(forged, { code: nextCode(eve.secret) })).location, '/login?next=%2Fusage')
  t.notOk(await isLoggedIn(forged))
})

t.test('each recovery code works once, in any case and with any separators', async (t) => {
  const { email, codes } = await withSecondFactor()
  const [first = '', second = ''] = codes
  t.match((await enter(await afterPassword(email), { recovery: 'aaaa-bbbb-cccc' })).html, 'recovery-problem')
  t.equal((await enter(await afterPassword(email), { recovery: first.toUpperCase() })).location, '/usage')
  t.equal((await enter(await afterPassword(email), { recovery: first })).status, 401)
  const ada = await afterPassword(email)
  t.equal((await enter(ada, { code: second.replaceAll('-', ' ') })).location, '/usage', 'in the first field')
  const wrong = await enter(await afterPassword(email), { code: second })
  t.match(wrong.html, /<title>Error: .*id="code-problem">Wrong recovery code/s)
  t.match((await ada.get('/account')).html, `one of ${limits.recoveryCodes - 2} recovery codes`)
  t.match((await ada.get('/account')).html, 'Log-in: with a recovery code')
  const renewed = await ada.post(`${page}/codes`, { codesPassword: password }, { from: page })
  const fresh = recoveryCodesOf(renewed.html)
  t.equal(fresh.length, limits.recoveryCodes)
  t.equal((await enter(await afterPassword(email), { recovery: codes[2] ?? '' })).status, 401)
  t.equal((await enter(await afterPassword(email), { recovery: fresh[0] ?? '' })).location, '/usage')
})

t.test('concurrent guesses of a code never exceed the limit, and the owner still logs in', async (t) => {
  const { email, secret, codes, ...ada } = await withSecondFactor()
  const home = await afterPassword(email)
  t.equal((await enter(home, { recovery: codes[0] ?? '' })).location, '/usage')
  const most = limits.codeAttemptsPerAccountPerHour
  const guessers = await Promise.all(Array.from({ length: 2 * most }, () => afterPassword(email)))
  const answers = await Promise.all(guessers.map((each) => enter(each, { recovery: 'aaaa-bbbb-cccc' })))
  const statuses = answers.map(({ status }) => status)
  t.equal(statuses.filter((status) => status === 401).length, most)
  t.equal(statuses.filter((status) => status === 429).length, most)
  t.match(answers.find(({ status }) => status === 429)?.headers.get('retry-after'), /^\d+$/)
  await home.post('/logout', {})
  await home.post('/login', { email, password }, { from: '/login' })
  t.equal((await enter(home, { code: nextCode(secret) })).location, '/usage', 'from the known address')
  t.ok(await isLoggedIn(ada), 'sessions stay')
})

t.test('five wrong codes end a log-in, which then asks for the password again', async (t) => {
  const { email } = await withSecondFactor()
  const guesser = await afterPassword(email)
  for (let n = 0; n < 5; n += 1)
    t.equal((await enter(guesser, { recovery: `aaaa-bbbb-ccc${n}` })).status, 401)
  const ended = await enter(guesser, { recovery: 'aaaa-bbbb-cccc' })
  t.equal(ended.location, '/login?next=%2Fusage')
  t.match((await guesser.get(ended.location ?? '')).html, 'This log-in has expired')
})

t.test('turning it off asks for the password', async (t) => {
  const { email, ...ada } = await withSecondFactor()
  const wrong = await ada.post(`${page}/off`, { offPassword: 'not this one' }, { from: page })
  t.equal(wrong.status, 401)
  t.match(wrong.html, 'id="offPassword-problem"')
  t.equal((await afterPassword(email)).answer.location, '/login/code?next=%2Fkeys')
  const off = await ada.post(`${page}/off`, { offPassword: password }, { from: page })
  t.equal(off.location, '/account')
  t.match((await ada.get('/account')).html, 'Second factor turned off')
  t.equal((await afterPassword(email)).answer.location, '/keys')
})
