import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { dashboardRoutes } from '../../../../support/dashboard-routes.js'
import { startMailServer } from '../../../../support/mail-server.js'
import { timeCode, wrongTimeCode } from '../../../../support/time-code.js'
import {
  createVisitor,
  newAddress,
  password,
  type VisitedPage,
  type Visitor,
} from '../../../../support/visitor.js'
import { openSite } from './site.js'

/**
 * Every form of the dashboard that takes a proof of identity, as the running router has them. Each gets more wrong
 * proofs than are judged, from as many addresses, the right one twice, and the right one in eight sessions at once.
 */
const tooMany = 4
const atOnce = 8
const next = 'another long password'
const STEP_MS = 30_000

const mail = await startMailServer()
t.teardown(() => mail.close())
const origin = 'http://dashboard.example'
const site = await openSite(t, { CONCORDAT_SMTP_URL: mail.url, CONCORDAT_PUBLIC_URL_DASHBOARD: origin })

/** A browser at a new address, which opened the site by its public address. */
function newVisitor(): Visitor {
  const visitor = createVisitor(site.origin)
  const post: Visitor['post'] = (path, fields, options) =>
    visitor.post(path, fields, { ...options, headers: { origin } })
  return { ...visitor, post }
}

/** A form for one account. */
interface FormTrial {
  /** A browser of the account at a new address, in the state that the form needs. */
  browser(): Promise<Visitor>
  send(browser: Visitor, isRight: boolean): Promise<VisitedPage>
  isPassed(answer: VisitedPage): boolean
}

/** A form that takes a proof. */
interface SecretForm {
  /** Number of wrong proofs that are judged; undefined if all are, because the proof is too long to be guessed. */
  readonly judged?: number
  /** How often the right proof works, one after the other and at once; undefined if it may work each time. */
  readonly works?: 1
  begin(): Promise<FormTrial>
}

const passwords = limits.logInAttemptsPerAccountPerHour
const codes = limits.codeAttemptsPerAccountPerHour
const is303 = ({ status }: VisitedPage) => status === 303
const is200 = ({ status }: VisitedPage) => status === 200
const given = (isRight: boolean) => (isRight ? password : 'not this one')

async function linkTo(address: string, words: RegExp, after = 0) {
  const sent = () => mail.mails.filter(({ to, text }) => to.includes(address) && words.test(text))
  await mail.mail(() => sent().length > after)
  const [, token = ''] = /token=(\S+)/.exec(sent().at(-1)?.text ?? '') ?? []
  return token
}

async function signUp() {
  const email = newAddress()
  await newVisitor().post('/signup', { email, password })
  return { email, token: await linkTo(email, /Confirm the address/) }
}

/** An account with a confirmed address, and what opens sessions of it. */
async function account() {
  const { email, token } = await signUp()
  const anyone = newVisitor()
  await anyone.post('/verify', { token, password }, { from: '/verify' })
  const logIn = async () => {
    const visitor = newVisitor()
    await visitor.post('/login', { email, password }, { from: '/login' })
    return visitor
  }
  /** The first session, from another address. */
  const first = await logIn()
  const browser = async () => {
    const visitor = newVisitor()
    for (const [name, value] of first.cookies) visitor.cookies.set(name, value)
    return visitor
  }
  const session = browser
  return { email, logIn, first, session }
}

async function prepared() {
  const ada = await account()
  const { html } = await ada.first.post('/account/second-factor', { setUpPassword: password })
  const [, uri = ''] = /name="uri" value="([^"]*)"/.exec(html) ?? []
  const secret = new URL(uri.replaceAll('&amp;', '&')).searchParams.get('secret') ?? ''
  return { ...ada, uri, secret }
}

async function withSecondFactor() {
  const ada = await prepared()
  const { uri, secret } = ada
  await ada.first.post('/account/second-factor/confirm', { uri, code: timeCode(secret) })
  return ada
}

/** A form of a session that asks for the password. */
const withPassword = (
  path: string,
  field: string,
  isPassed: FormTrial['isPassed'],
  more: () => Readonly<Record<string, string>> = () => ({}),
  begin: () => Promise<{ session(): Promise<Visitor> }> = account,
): SecretForm => ({
  judged: passwords,
  async begin() {
    const { session } = await begin()
    return {
      browser: session,
      send: (browser, isRight) =>
        browser.post(path, { ...more(), [field]: given(isRight) }, { from: '/account/second-factor' }),
      isPassed,
    }
  },
})

/** A mailed link whose form asks for the password. */
const linkWithPassword = (path: string, token: () => Promise<string>): SecretForm => ({
  judged: passwords,
  works: 1,
  async begin() {
    const link = await token()
    return {
      browser: async () => newVisitor(),
      send: (browser, isRight) =>
        browser.post(path, { token: link, password: given(isRight) }, { from: '/login' }),
      isPassed: is303,
    }
  },
})

const secretForms: Readonly<Record<string, SecretForm>> = {
  '/login': {
    judged: passwords,
    async begin() {
      const { email } = await account()
      return {
        browser: async () => newVisitor(),
        send: (browser, isRight) =>
          browser.post('/login', { email, password: given(isRight) }, { from: '/login' }),
        isPassed: is303,
      }
    },
  },
  '/login/code': {
    judged: codes,
    works: 1,
    async begin() {
      const { logIn, secret } = await withSecondFactor()
      /** One code for all attempts, also if an interval ends between them. The present one was used. */
      let right: string | undefined
      return {
        browser: logIn,
        send(browser, isRight) {
          right ??= timeCode(secret, Date.now() + STEP_MS)
          const code = isRight ? right : wrongTimeCode(secret)
          return browser.post('/login/code', { code }, { from: '/login' })
        },
        isPassed: ({ location }) => location === '/keys',
      }
    },
  },
  '/verify': linkWithPassword('/verify', async () => (await signUp()).token),
  '/address': linkWithPassword('/address', async () => {
    const [{ first }, email] = [await account(), newAddress()]
    await first.post('/account/address', { email, addressPassword: password })
    return linkTo(email, /Confirm the address/)
  }),
  '/reset': {
    works: 1,
    async begin() {
      const { email } = await account()
      await newVisitor().post('/forgot', { email }, { from: '/forgot' })
      const link = await linkTo(email, /Set a new password/)
      const wrong = () => [...link].reverse().join('')
      return {
        browser: async () => newVisitor(),
        send: (browser, isRight) =>
          browser.post('/reset', { token: isRight ? link : wrong(), password: next }, { from: '/login' }),
        isPassed: is303,
      }
    },
  },
  '/account/password': withPassword('/account/password', 'current', is303, () => ({ password: next })),
  '/account/address': withPassword('/account/address', 'addressPassword', is200, () => ({
    email: newAddress(),
  })),
  '/account/delete': withPassword('/account/delete', 'deletePassword', is303),
  '/account/second-factor': withPassword('/account/second-factor', 'setUpPassword', is200),
  '/account/second-factor/confirm': {
    judged: codes,
    works: 1,
    async begin() {
      const { logIn, session, uri, secret } = await prepared()
      // Sessions of their own, because the right code ends the others.
      const sessions = await Promise.all(Array.from({ length: atOnce + 2 }, logIn))
      let right: string | undefined
      return {
        browser: async () => sessions.pop() ?? session(),
        send(browser, isRight) {
          right ??= timeCode(secret)
          const code = isRight ? right : wrongTimeCode(secret)
          return browser.post(
            '/account/second-factor/confirm',
            { uri, code },
            { from: '/account/second-factor' },
          )
        },
        isPassed: is200,
      }
    },
  },
  '/account/second-factor/codes': withPassword(
    '/account/second-factor/codes',
    'codesPassword',
    is200,
    () => ({}),
    withSecondFactor,
  ),
  '/account/second-factor/off': withPassword(
    '/account/second-factor/off',
    'offPassword',
    is303,
    () => ({}),
    withSecondFactor,
  ),
}

/** Forms that cause a mail to an address that anyone can type. They take no proof. */
const mailForms: Readonly<Record<string, (email: string) => Promise<unknown>>> = {
  '/signup': (email) => newVisitor().post('/signup', { email, password }),
  '/signup/again': (email) => newVisitor().post('/signup/again', { email }, { from: '/signup' }),
  '/forgot': (email) => newVisitor().post('/forgot', { email }, { from: '/forgot' }),
}

/** Forms that take neither. A session and the token of its forms are enough. */
const otherForms = [
  '/logout',
  '/theme',
  '/account/sessions',
  '/keys',
  ...['name', 'call', 'settings', 'tokens', 'tokens/remove', 'rotate', 'end-grace'].map(
    (each) => `/keys/:id/${each}`,
  ),
  ...['delete', 'disable', 'enable'].map((each) => `/keys/:id/${each}`),
  ...['second-factor', 'limits', 'disable', 'enable'].map((each) => `/admin/users/:id/${each}`),
  ...['disable', 'enable'].map((each) => `/admin/users/:account/keys/:id/${each}`),
]

t.test('every form of the running router is known, with what it takes', async (t) => {
  const posts = (await dashboardRoutes()).filter(({ method }) => method === 'POST').map(({ path }) => path)
  t.same([...Object.keys(secretForms), ...Object.keys(mailForms), ...otherForms].sort(), posts.sort())
})

for (const [path, form] of Object.entries(secretForms)) {
  const times = (form.judged ?? passwords) + tooMany
  t.test(`${path}: of ${times} wrong proofs, ${form.judged ?? 'all'} are judged`, async (t) => {
    const { browser, send, isPassed } = await form.begin()
    let judged = 0
    for (let n = 0; n < times; n += 1) {
      const answer = await send(await browser(), false)
      t.notOk(isPassed(answer), `attempt ${n + 1}: ${answer.status}`)
      if (answer.status !== 429) judged += 1
    }
    t.equal(judged, form.judged ?? times)
  })

  t.test(`${path}: the right proof ${form.works === 1 ? 'works once' : 'is accepted'}`, async (t) => {
    const { browser, send, isPassed } = await form.begin()
    const [one, other] = [await browser(), await browser()]
    t.ok(isPassed(await send(one, true)))
    if (form.works === 1) t.notOk(isPassed(await send(other, true)))
  })

  t.test(`${path}: the right proof in ${atOnce} sessions at once`, async (t) => {
    const { browser, send, isPassed } = await form.begin()
    const browsers = await Promise.all(Array.from({ length: atOnce }, browser))
    const answers = await Promise.all(browsers.map((each) => send(each, true)))
    const passed = answers.filter(isPassed).length
    if (form.works === 1) t.equal(passed, 1)
    else t.ok(passed >= 1)
    t.same(
      answers.filter(({ status }) => status >= 500),
      [],
    )
  })
}

for (const [path, send] of Object.entries(mailForms)) {
  const times = limits.mailsPerRecipientPerHour + tooMany
  t.test(`${path}: of ${times} mails to one address from as many clients, few are sent`, async (t) => {
    // The link of a sign-up is sent again only until it is used.
    const { email } = await (path === '/signup/again' ? signUp() : account())
    const before = mail.mails.filter(({ to }) => to.includes(email)).length
    for (let n = 0; n < times; n += 1) await send(email)
    const { email: last, first } = await account()
    await first.get('/account')
    const received = () => mail.mails.filter(({ to }) => to.includes(email)).length
    await mail.mail(({ to }) => to.includes(last))
    t.ok(received() > before)
    t.ok(received() <= limits.mailsPerRecipientPerHour, `${received()}`)
  })
}
