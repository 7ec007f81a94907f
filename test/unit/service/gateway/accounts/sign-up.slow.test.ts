import { eq } from 'drizzle-orm'
import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { verifications } from '../../../../../src/service/gateway/store/index.js'
import { newAddress, password } from '../../../../support/visitor.js'
import { type Browser, createBrowser, openAccounts } from './open-accounts.js'

/** Who gets a session by the link of a sign-up. */
const refused = { ok: false, problem: 'link_unusable' } as const
const opened = await openAccounts(t)
const { accounts, link, mails } = opened

/** Signs up in a new browser, which keeps its cookie. */
async function signUp(email: string, secret = password): Promise<Browser> {
  const browser = createBrowser()
  t.match(browser.keep(await accounts.signUp(browser, email, secret)), { ok: true })
  return browser
}

t.test('the link logs in the browser that signed up, once', async (t) => {
  const email = newAddress()
  const ada = await signUp(email)
  t.match(ada.headers.cookie, /^concordat\.sign_up=\w{32}$/)
  const token = await link(email)
  t.same(await accounts.finishSignUp(ada, 'made.up.token'), refused)
  const copy = createBrowser(ada.address)
  copy.headers.cookie = ada.headers.cookie
  const finished = await accounts.finishSignUp(ada, token)
  t.match(finished, { ok: true })
  t.match(
    finished.ok && finished.setCookies.join('\n'),
    /sign_up=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax/,
  )
  ada.keep(finished)
  const user = await opened.user(ada)
  t.match(user, { email, emailVerified: true, userId: finished.ok && finished.userId })
  t.same(await accounts.finishSignUp(copy, token), refused, 'the link and the cookie work once')
  t.equal(await accounts.session(copy), undefined)
})

t.test('in any other browser, the link asks for the password and starts no session', async (t) => {
  const email = newAddress()
  const attacker = await signUp(email, 'a password of somebody else')
  const token = await link(email)
  const [owner, cookieOfAnother] = [createBrowser(), await signUp(newAddress())]
  for (const browser of [owner, cookieOfAnother]) t.same(await accounts.finishSignUp(browser, token), refused)
  t.match(await accounts.verifyEmail(owner, token, password), { ok: false, problem: 'password_wrong' })
  t.match(await accounts.logIn(attacker, email, 'a password of somebody else'), {
    ok: false,
    problem: 'address_unverified',
  })
})

t.test(
  'who signs up with an address that somebody else signed up with is not logged in to that account',
  async (t) => {
    const email = newAddress()
    await signUp(email, 'a password of somebody else')
    const token = await link(email)
    const owner = await signUp(email)
    t.match(owner.headers.cookie, /sign_up=/, 'the outcome is the same for a known address')
    t.same(await accounts.finishSignUp(owner, token), refused)
  },
)

t.test('the owner who sets a new password ends what the browser of the sign-up holds', async (t) => {
  const email = newAddress()
  const attacker = await signUp(email, 'a password of somebody else')
  const token = await link(email)
  await accounts.requestReset(createBrowser(), email)
  t.match(await accounts.resetPassword(createBrowser(), await link(email), password), { ok: true })
  t.same(await accounts.finishSignUp(attacker, token), refused)
})

t.test('the deletion of an account ends what the browser of its sign-up holds', async (t) => {
  const email = newAddress()
  await signUp(email)
  const phone = createBrowser()
  await accounts.verifyEmail(phone, await link(email), password)
  phone.keep(await accounts.logIn(phone, email, password))
  const user = await opened.user(phone)
  t.match(await accounts.deleteAccount(phone, user, password), { ok: true })
  // A stranger who signs up with the address on the same day gets the id of the deleted account.
  const left = await opened.store.db.select().from(verifications).where(eq(verifications.value, user.userId))
  t.same(left, [])
})

t.test('of eight uses at once, one starts a session', async (t) => {
  const email = newAddress()
  const ada = await signUp(email)
  const token = await link(email)
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => accounts.finishSignUp(ada, token)))
  t.equal(outcomes.filter(({ ok }) => ok).length, 1)
})

t.test(
  'the link can be sent again, within the limits of the recipient, and one of the links works',
  async (t) => {
    const email = newAddress()
    const ada = await signUp(email)
    const first = await link(email)
    for (let n = 0; n < limits.mailsPerRecipientPerHour + 2; n += 1)
      t.match(await accounts.sendAgain(createBrowser(), email), { ok: true })
    await accounts.close()
    t.equal(mails.filter(({ to }) => to === email).length, limits.mailsPerRecipientPerHour)
    const again = await link(email)
    ada.keep(await accounts.finishSignUp(ada, again))
    t.match(await opened.user(ada), { email })
    t.same(await accounts.finishSignUp(ada, first), refused)
    const before = mails.length
    for (const other of [newAddress(), email]) t.match(await accounts.sendAgain(ada, other), { ok: true })
    await accounts.close()
    t.equal(mails.length, before, 'nothing is sent to unknown and confirmed addresses')
  },
)
