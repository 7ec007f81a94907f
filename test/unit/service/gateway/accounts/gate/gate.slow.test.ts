import t from 'tap'
import { limits } from '../../../../../../generated/contract.js'
import { createGate } from '../../../../../../src/service/gateway/accounts/gate/gate.js'
import { resetSecondFactor } from '../../../../../../src/service/gateway/accounts/index.js'
import { createSecret } from '../../../../../../src/service/gateway/store/index.js'
import { timeCode, wrongTimeCode } from '../../../../../support/time-code.js'
import { newAddress, newClientAddress, password } from '../../../../../support/visitor.js'
import { type Browser, createBrowser, openAccounts } from '../open-accounts.js'

/** Guesses, codes and links from many addresses. */
const opened = await openAccounts(t)
const { accounts, store, mails, securityLog, link, user } = opened
const codesPerHour = limits.codeAttemptsPerAccountPerHour
const passwordsPerHour = limits.logInAttemptsPerAccountPerHour
const STEP_MS = 30_000

/** A user who is logged in, with a confirmed address. */
async function newcomer() {
  const [browser, email] = [createBrowser(), newAddress()]
  await accounts.signUp(browser, email, password)
  await accounts.verifyEmail(browser, await link(email), password)
  browser.keep(await accounts.logIn(browser, email, password))
  return { browser, email, userId: (await user(browser)).userId }
}

/** The same with a second factor, turned on by the code of the present interval. */
async function withSecondFactor() {
  const ada = await newcomer()
  const secret = await prepare(ada.browser)
  const on = ada.browser.keep(
    await accounts.turnOnSecondFactor(ada.browser, await user(ada.browser), timeCode(secret)),
  )
  if (!on.ok) throw new TypeError(on.problem)
  return { ...ada, secret, codes: on.recoveryCodes }
}

async function prepare(browser: Browser) {
  const prepared = await accounts.prepareSecondFactor(browser, await user(browser), password)
  if (!prepared.ok) throw new TypeError(prepared.problem)
  return new URL(prepared.uri).searchParams.get('secret') ?? ''
}

/** A browser at an address whose user has entered the right password. */
async function afterPassword(email: string, address = newClientAddress()) {
  const browser = createBrowser(address)
  browser.keep(await accounts.logIn(browser, email, password))
  return browser
}
/** The same session from another address. */
const elsewhere = (browser: Browser): Browser => ({ ...browser, address: newClientAddress() })
const nextCode = (secret: string) => timeCode(secret, Date.now() + STEP_MS)
const kindsOf = async (userId: string) =>
  (await securityLog.list(userId, 300)).map(({ kind, detail }) => [kind, detail].join(': '))
const count = (outcomes: readonly { readonly ok: boolean; readonly problem?: string }[], problem: string) =>
  outcomes.filter((each) => each.problem === problem).length

t.test('a proof that could not be judged can be given again, and counts for nothing', async (t) => {
  const secret = createSecret('the secret of a gate in a test, long enough')
  const gate = createGate({ db: store.db, secret, limits, securityLog })
  const account = { email: newAddress(), userId: 'usr_unjudged' }
  const give = (judge: () => Promise<{ ok: true } | { ok: false; problem: 'code_wrong' }>) =>
    gate.pass(
      'log-in-code',
      { from: createBrowser(newClientAddress()), of: () => account, once: '123456' },
      judge,
    )
  const failing = async () => {
    throw new Error('the database is away')
  }
  for (let n = 0; n <= codesPerHour; n += 1) await t.rejects(give(failing), /away/)
  t.match(await give(async () => ({ ok: false, problem: 'code_wrong' })), { problem: 'code_wrong' })
  t.match(await give(async () => ({ ok: true })), { ok: true })
  t.match(await give(async () => ({ ok: true })), { problem: 'code_wrong' }, 'used')
})

t.test('mails that anyone can cause are limited for each recipient, and nobody is told', async (t) => {
  const most = limits.mailsPerRecipientPerHour
  const received = async (to: string) => {
    await accounts.close()
    return mails.filter((mail) => mail.to === to).length
  }
  const victim = newAddress()
  await accounts.signUp(createBrowser(), victim, password)
  for (let n = 0; n < 2 * most; n += 1)
    t.match(await accounts.logIn(createBrowser(), victim, password), { problem: 'address_unverified' })
  t.equal(await received(victim), most, 'links for an unverified account')
  const [ada, target] = [await newcomer(), newAddress()]
  for (let n = 0; n < 2 * most; n += 1) {
    const from = elsewhere(ada.browser)
    t.match(await accounts.changeAddress(from, await user(from), password, target), { ok: true })
  }
  t.equal(await received(target), most, 'links for a change of address')
  const known = await newcomer()
  const before = await received(known.email)
  for (let n = 0; n < 2 * most; n += 1) {
    t.match(await accounts.requestReset(createBrowser(), known.email), { ok: true })
    t.match(await accounts.signUp(createBrowser(), known.email, password), { ok: true })
  }
  t.equal((await received(known.email)) - before, most - before, 'links and notices count together')
  const own = await received(known.email)
  t.match(await accounts.requestReset(createBrowser(known.browser.address), known.email), { ok: true })
  t.equal(await received(known.email), own + 1, 'the owner’s address has its own count')
})

t.test('mails that one client causes are limited, whoever receives them', async (t) => {
  const most = limits.signUpsPerAddressPerHour + limits.mailsPerAddressPerHour
  const emails = Array.from({ length: 8 }, newAddress)
  for (const email of emails) await accounts.signUp(createBrowser(), email, password)
  await accounts.close()
  const before = mails.length
  const client = createBrowser()
  for (let n = 0; n < most + 10; n += 1) {
    await store.connection.query(`delete from attempts where key like 'client|%|log-in'`)
    await store.connection.query(`delete from attempts where key like 'account|%'`)
    await accounts.logIn(client, emails[n % emails.length] ?? '', password)
  }
  await accounts.close()
  t.equal(mails.length - before, most)
})

t.test('the second factor is confirmed only while it is off', async (t) => {
  const { browser, email, secret, codes } = await withSecondFactor()
  for (const code of [timeCode(secret), nextCode(secret)])
    t.match(await accounts.turnOnSecondFactor(browser, await user(browser), code), {
      problem: 'second_factor_changed',
    })
  const other = await afterPassword(email)
  t.match(
    await accounts.enterCode(other, codes[0] ?? ''),
    { ok: true },
    'the recovery codes are the first ones',
  )
})

t.test('a code turns the factor on once, also at once in eight sessions', async (t) => {
  const { browser, email, userId } = await newcomer()
  const secret = await prepare(browser)
  const sessions = await Promise.all(Array.from({ length: 8 }, () => afterPassword(email)))
  const code = timeCode(secret)
  const outcomes = await Promise.all(
    sessions.map(async (each) => accounts.turnOnSecondFactor(each, await user(each), code)),
  )
  t.equal(outcomes.filter(({ ok }) => ok).length, 1)
  t.match(await kindsOf(userId), ['second-factor-on: '])
  t.match(
    await accounts.enterCode(await afterPassword(email), code),
    { problem: 'code_wrong' },
    'nor logs in',
  )
})

t.test('wrong codes for turning the factor on are limited by account, with an event', async (t) => {
  const { browser, userId } = await newcomer()
  const secret = await prepare(browser)
  const outcomes = await Promise.all(
    Array.from({ length: 2 * codesPerHour }, async () => {
      const from = elsewhere(browser)
      return accounts.turnOnSecondFactor(from, await user(from), wrongTimeCode(secret))
    }),
  )
  t.equal(count(outcomes, 'too_many_attempts'), codesPerHour)
  const events = await kindsOf(userId)
  t.match(events[0], 'proof-failed: wrong code, to turn on the second factor')
})

t.test(
  'guesses of a password are limited by account on all forms together, with an event each',
  async (t) => {
    const forms: Readonly<Record<string, (from: Browser) => Promise<{ readonly ok: boolean }>>> = {
      'to change it': async (from) =>
        accounts.changePassword(from, await user(from), 'not this one', 'another long password'),
      'to change the address': async (from) =>
        accounts.changeAddress(from, await user(from), 'not this one', newAddress()),
      'to delete the account': async (from) => accounts.deleteAccount(from, await user(from), 'not this one'),
      'to set up a second factor': async (from) =>
        accounts.prepareSecondFactor(from, await user(from), 'not this one'),
      'for new recovery codes': async (from) =>
        accounts.renewRecoveryCodes(from, await user(from), 'not this one'),
      'to turn off the second factor': async (from) =>
        accounts.turnOffSecondFactor(from, await user(from), 'not this one'),
    }
    const { browser, userId, email } = await withSecondFactor()
    for (const [what, send] of Object.entries(forms)) {
      t.match(await send(elsewhere(browser)), { problem: 'password_wrong' }, what)
      t.equal((await kindsOf(userId))[0], `proof-failed: wrong password, ${what}`)
    }
    const names = Object.keys(forms)
    const outcomes = await Promise.all(
      Array.from({ length: passwordsPerHour + 10 }, (_, n) =>
        forms[names[n % names.length] ?? '']?.(elsewhere(browser)),
      ),
    )
    const judged = outcomes.filter(
      (each) => (each as { problem?: string }).problem === 'password_wrong',
    ).length
    t.equal(judged, passwordsPerHour - names.length)
    t.match(await accounts.logIn(createBrowser(), email, password), { problem: 'too_many_attempts' })
    t.match(await accounts.logIn(createBrowser(browser.address), email, password), { ok: true }, 'the owner')
    t.match(
      await accounts.changePassword(browser, await user(browser), password, 'another long password'),
      { ok: true },
      'the owner in the session',
    )
  },
)

t.test('wrong codes of a person with the password do not lock the owner out', async (t) => {
  const { browser, email, secret, codes } = await withSecondFactor()
  const guess = async (browser: Browser) => accounts.enterCode(browser, 'aaaa-bbbb-cccc')
  const outcomes = []
  for (let n = 0; n < 2 * codesPerHour; n += 1) outcomes.push(await guess(await afterPassword(email)))
  t.equal(count(outcomes, 'code_wrong'), codesPerHour)
  t.equal(count(outcomes, 'too_many_attempts'), codesPerHour)
  const home = await afterPassword(email, browser.address)
  t.match(await accounts.enterCode(home, nextCode(secret)), { ok: true }, 'where it was turned on')
  for (let n = 0; n < codesPerHour; n += 1) await guess(await afterPassword(email))
  const again = await afterPassword(email, browser.address)
  t.match(await accounts.enterCode(again, codes[0] ?? ''), { ok: true }, 'where a code was entered')
})

t.test('guesses from an address of the owner are limited, too', async (t) => {
  const { browser, email } = await withSecondFactor()
  const outcomes = []
  for (let n = 0; n < codesPerHour + 3; n += 1) {
    // The limit of the client, 10 a minute, would end this earlier.
    await store.connection.query(`delete from attempts where key like 'client|%'`)
    const each = await afterPassword(email, browser.address)
    outcomes.push(await accounts.enterCode(each, 'aaaa-bbbb-cccc'))
  }
  t.equal(count(outcomes, 'code_wrong'), codesPerHour)
  t.equal(count(outcomes, 'too_many_attempts'), 3)
})

t.test('an own session neither answers for another account nor resets its count', async (t) => {
  const [ada, eve] = [await withSecondFactor(), await withSecondFactor()]
  const both = createBrowser(eve.browser.address)
  both.headers.cookie = eve.browser.headers.cookie
  const asAda = await afterPassword(ada.email, eve.browser.address)
  both.headers.cookie += `; ${asAda.headers.cookie}`
  t.match(await accounts.enterCode(both, nextCode(eve.secret)), { problem: 'code_wrong' })
  t.notMatch((await kindsOf(ada.userId))[0], /^log-in: /)
})

t.test('of two waiting log-ins in one request, one is counted, judged and opened', async (t) => {
  const [ada, eve] = [await withSecondFactor(), await withSecondFactor()]
  const waiting = [await afterPassword(eve.email), await afterPassword(ada.email)]
  for (const [first, last] of [waiting, waiting.toReversed()]) {
    const both = createBrowser()
    both.headers.cookie = `${first?.headers.cookie}; ${last?.headers.cookie}`
    const outcome = await accounts.enterCode(both, nextCode(eve.secret))
    if (outcome.ok) both.headers.cookie = outcome.setCookies.map((line) => line.split(';')[0]).join('; ')
    const found = await accounts.session(both)
    t.not(found?.user.userId, ada.userId)
    t.notMatch((await kindsOf(ada.userId))[0], /^log-in: /)
  }
})

t.test('a link confirms an address once, and a wrong password does not use it up', async (t) => {
  const [email, next] = [newAddress(), newAddress()]
  await accounts.signUp(createBrowser(), email, password)
  const token = await link(email)
  t.match(await accounts.verifyEmail(createBrowser(), token, 'not this one'), { problem: 'password_wrong' })
  const all = await Promise.all(
    Array.from({ length: 8 }, () => accounts.verifyEmail(createBrowser(), token, password)),
  )
  t.equal(all.filter(({ ok }) => ok).length, 1)
  t.equal(count(all, 'link_unusable'), 7)
  const ada = createBrowser()
  ada.keep(await accounts.logIn(ada, email, password))
  await accounts.changeAddress(ada, await user(ada), password, next)
  const change = await link(next)
  const changes = await Promise.all(
    Array.from({ length: 8 }, () => accounts.confirmAddress(createBrowser(), change, password)),
  )
  t.equal(changes.filter(({ ok }) => ok).length, 1)
})

t.test('a new password makes reset links and waiting log-ins useless', async (t) => {
  const { browser, email, codes } = await withSecondFactor()
  await accounts.requestReset(createBrowser(), email)
  const first = await link(email)
  await accounts.requestReset(createBrowser(), email)
  const second = await link(email)
  t.not(first, second)
  const waiting = await afterPassword(email)
  const next = 'another long password'
  const resets = await Promise.all(
    Array.from({ length: 8 }, () => accounts.resetPassword(createBrowser(), second, next)),
  )
  t.equal(resets.filter(({ ok }) => ok).length, 1)
  t.match(await accounts.resetPassword(createBrowser(), first, next), { problem: 'link_unusable' })
  t.match(await accounts.enterCode(waiting, codes[0] ?? ''), { problem: 'log_in_expired' })
  t.equal(await accounts.session(browser), undefined)
})

t.test('turning the second factor off ends all other sessions', async (t) => {
  const { browser, email, codes } = await withSecondFactor()
  const other = await afterPassword(email)
  other.keep(await accounts.enterCode(other, codes[0] ?? ''))
  t.ok(await accounts.session(other))
  t.match(browser.keep(await accounts.turnOffSecondFactor(browser, await user(browser), password)), {
    ok: true,
  })
  t.ok(await accounts.session(browser))
  t.equal(await accounts.session(other), undefined)
})

t.test('an operator who resets a second factor ends the sessions of the account', async (t) => {
  const { browser, userId } = await withSecondFactor()
  t.ok(await resetSecondFactor(store.db, userId))
  t.equal(await accounts.session(browser), undefined)
})
