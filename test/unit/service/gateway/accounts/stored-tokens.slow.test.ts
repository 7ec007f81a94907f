import t from 'tap'
import { bothDatabases } from '../../../../support/databases.js'
import { timeCode } from '../../../../support/time-code.js'
import { newAddress, password } from '../../../../support/visitor.js'
import { type Browser, createBrowser, type OpenAccounts, openAccounts } from './open-accounts.js'

/** What a copy of the database holds of sessions, links and log-ins that wait for a code. */
const next = 'another long password'

/** Whatever a client holds as a proof: the values of its cookies, without their signatures, and the token of a link. */
const tokensOf = ({ headers }: Browser) =>
  headers.cookie.split('; ').map((pair) => decodeURIComponent(pair.split('=')[1] ?? '').split('.')[0] ?? '')

async function signUp({ accounts, link }: OpenAccounts, browser: Browser, email: string) {
  await accounts.signUp(browser, email, password)
  await accounts.verifyEmail(browser, await link(email), password)
  browser.keep(await accounts.logIn(browser, email, password))
}

async function turnOn({ accounts, user }: OpenAccounts, browser: Browser) {
  const prepared = await accounts.prepareSecondFactor(browser, await user(browser), password)
  const secret = prepared.ok ? (new URL(prepared.uri).searchParams.get('secret') ?? '') : ''
  const on = await accounts.turnOnSecondFactor(browser, await user(browser), timeCode(secret))
  browser.keep(on)
  return { secret, codes: on.ok ? on.recoveryCodes : [] }
}

for (const [name, store] of await bothDatabases(t))
  t.test(name, async (t) => {
    const opened = await openAccounts(t, store)
    const { accounts, link, user } = opened
    const rows = async () =>
      JSON.stringify([
        (await store.connection.query('select * from sessions')).rows,
        (await store.connection.query('select * from verifications')).rows,
      ])
    const begin = () => store.connection.query('delete from replicas')
    const olderReplica = (age: string) =>
      store.connection.query(`insert into replicas (id, seen_at) values ('old', now() - interval '${age}')`)

    t.test('every live token is stored as a digest, and works', async (t) => {
      await begin()
      const [ada, email, moved] = [createBrowser(), newAddress(), newAddress()]
      await signUp(opened, ada, email)
      const { codes } = await turnOn(opened, ada)
      const waiting = createBrowser()
      waiting.keep(await accounts.logIn(waiting, email, password))
      await accounts.changeAddress(ada, await user(ada), password, moved)
      const change = await link(moved)
      await accounts.requestReset(createBrowser(), email)
      const reset = await link(email)
      const stored = await rows()
      for (const token of [...tokensOf(ada), ...tokensOf(waiting), change, reset]) {
        t.ok(token.length >= 20, token)
        t.notMatch(stored, token)
      }
      t.match(waiting.keep(await accounts.enterCode(waiting, codes[0] ?? '')), { ok: true })
      t.match(await accounts.session(waiting), { user: { email } })
      t.match(await accounts.resetPassword(createBrowser(), reset, next), { ok: true })
      t.equal(await accounts.session(ada), undefined)
      t.match(await accounts.confirmAddress(createBrowser(), change, next), { ok: true })
    })

    t.test('what is stored is no proof', async (t) => {
      await begin()
      const email = newAddress()
      await signUp(opened, createBrowser(), email)
      await accounts.requestReset(createBrowser(), email)
      const { rows: stored } = await store.connection.query('select identifier from verifications')
      for (const { identifier } of stored as { readonly identifier: string }[])
        for (const token of [identifier, identifier.replace(/^.*:/, '')])
          t.match(await accounts.resetPassword(createBrowser(), token, next), { problem: 'link_unusable' })
    })

    t.test('a version without digests finds tokens until it has been gone for a day', async (t) => {
      await begin()
      await olderReplica('2 hours')
      const [ada, email] = [createBrowser(), newAddress()]
      await signUp(opened, ada, email)
      await accounts.requestReset(createBrowser(), email)
      const reset = await link(email)
      const [token = ''] = tokensOf(ada)
      t.match(await rows(), token)
      t.match(await rows(), `reset-password:${reset}`)
      t.match(await accounts.session(ada), { user: { email } })
      await begin()
      await olderReplica('25 hours')
      t.match(await accounts.session(ada), { user: { email } }, 'a stored token still works')
      const other = createBrowser()
      const later = await openAccounts(t, store)
      other.keep(await later.accounts.logIn(other, email, password))
      t.notMatch(await rows(), token, 'a log-in at most an hour later leaves no token of a session')
      t.match(await accounts.session(ada), { user: { email } })
      await begin()
      await olderReplica('1 second')
      t.match(await accounts.session(ada), { user: { email } })
      t.match(await accounts.session(other), { user: { email } }, 'digests are read in any case')
      t.match(await accounts.resetPassword(createBrowser(), reset, next), { ok: true })
    })

    t.test('an ended session ends, and others stay', async (t) => {
      await begin()
      const [ada, other, third, email] = [createBrowser(), createBrowser(), createBrowser(), newAddress()]
      await signUp(opened, ada, email)
      for (const browser of [other, third]) browser.keep(await accounts.logIn(browser, email, password))
      const { sessionId } = await user(other)
      t.match(await accounts.endSession(ada, await user(ada), sessionId), { ok: true })
      t.equal(await accounts.session(other), undefined)
      t.match(await accounts.session(third), { user: { email } })
      t.match(await accounts.endSession(ada, await user(ada), undefined), { ok: true })
      t.equal(await accounts.session(third), undefined)
      t.match(await accounts.session(ada), { user: { email } })
      ada.keep(await accounts.logOut(ada))
      t.equal(await accounts.session(ada), undefined)
    })
  })
