import { sql } from 'drizzle-orm'
import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { deleteExpired } from '../../../../../src/service/gateway/accounts/index.js'
import {
  apiKeys,
  attempts,
  sessions,
  users,
  verifications,
} from '../../../../../src/service/gateway/store/index.js'
import { bothDatabases } from '../../../../support/databases.js'
import { createBrowser, openAccounts } from './open-accounts.js'

const dayMs = 86_400_000
const password = 'a password of this test'

for (const [name, store] of await bothDatabases(t)) {
  const { db } = store
  const ids = async () =>
    (await db.select({ id: users.id }).from(users).orderBy(users.id)).map(({ id }) => id)

  t.test(`${name}: expired sessions and links are deleted, others stay`, async (t) => {
    const [over, live] = [sql`now() - interval '1 second'`, sql`now() + interval '1 minute'`]
    await db.insert(users).values({ id: 'usr_1', origin: 'dashboard', email: 'ada@example.com' })
    for (const [id, expiresAt] of [
      ['over', over],
      ['live', live],
    ] as const) {
      await db.insert(sessions).values({ id, token: id, userId: 'usr_1', ipAddress: '192.0.2.1', expiresAt })
      await db.insert(verifications).values({ id, identifier: id, value: 'usr_1', expiresAt })
    }
    t.equal(await deleteExpired(db, limits), false)
    t.same(await db.select({ id: sessions.id }).from(sessions), [{ id: 'live' }])
    t.same(await db.select({ id: verifications.id }).from(verifications), [{ id: 'live' }])
    await db.delete(users)
  })

  t.test(
    `${name}: counts of attempts are deleted after their window, known addresses after 30 days`,
    async (t) => {
      const window = limits.verificationLinkHours * 3_600_000
      for (const [key, age] of [
        ['account|live', window - 60_000],
        ['address|over', window + 60_000],
        ['client|over|log-in', window + 60_000],
        ['known|live', 30 * dayMs - 60_000],
        ['known|over', 30 * dayMs + 60_000],
        ['once|over', window + 60_000],
      ] as const)
        await db.insert(attempts).values({ id: key, key, count: 1, lastRequest: Date.now() - age })
      t.equal(await deleteExpired(db, limits), false)
      t.same(await db.select({ key: attempts.key }).from(attempts).orderBy(attempts.key), [
        { key: 'account|live' },
        { key: 'known|live' },
      ])
      await db.delete(attempts)
    },
  )

  t.test(`${name}: accounts that never confirmed their address are deleted, used ones stay`, async (t) => {
    const updatedAt = sql`now() - make_interval(days => ${limits.unconfirmedAccountDays}::integer)`
    const abandoned = (id: string) => ({
      id,
      origin: 'dashboard' as const,
      email: `${id}@example.com`,
      updatedAt,
    })
    await db
      .insert(users)
      .values([
        abandoned('abandoned'),
        { ...abandoned('confirmed'), emailVerified: true },
        { ...abandoned('disabled'), disabledAt: updatedAt },
        abandoned('has-deleted-key'),
        { ...abandoned('limited'), dailyLimit: 5 },
        { ...abandoned('limited-keys'), keyLimit: 1 },
        { ...abandoned('logged-in-without-mail'), lastLogInAt: updatedAt },
        { ...abandoned('made-by-operator'), origin: 'cli' },
        { ...abandoned('made-by-start'), origin: 'embedded' },
        { ...abandoned('new'), updatedAt: sql`${updatedAt} + interval '1 minute'` },
      ])
    const key = { id: 'key_1', userId: 'has-deleted-key', network: 'mainnet', name: 'of a test' }
    await db.insert(apiKeys).values({ ...key, state: 'deleted', masked: '' })
    t.equal(await deleteExpired(db, limits), false)
    t.same(await ids(), [
      'confirmed',
      'disabled',
      'has-deleted-key',
      'limited',
      'limited-keys',
      'logged-in-without-mail',
      'made-by-operator',
      'made-by-start',
      'new',
    ])
    await db.delete(apiKeys)
    await db.delete(users)
  })

  t.test(`${name}: a link that is sent again keeps the account until the link has expired`, async (t) => {
    const { accounts, link } = await openAccounts(t, store)
    const email = 'bob@example.com'
    const signUp = async () => t.match(await accounts.signUp(createBrowser(), email, password), { ok: true })
    const age = () =>
      db.execute(
        sql`update users set updated_at = now() - interval '1 year', created_at = now() - interval '1 year'`,
      )

    await signUp()
    await link(email)
    await age()
    t.match(await accounts.sendAgain(createBrowser(), email), { ok: true })
    const token = await link(email)
    await deleteExpired(db, limits)
    t.match(await accounts.verifyEmail(createBrowser(), token, password), { ok: true })
    await age()
    await deleteExpired(db, limits)
    t.equal((await ids()).length, 1, 'a confirmed account stays without a log-in')
    await db.delete(users)

    await signUp()
    const late = await link(email)
    await age()
    await deleteExpired(db, limits)
    t.same(await ids(), [])
    t.match(await accounts.verifyEmail(createBrowser(), late, password), { problem: 'link_unusable' })
    await signUp()
    t.match(
      await accounts.verifyEmail(createBrowser(), await link(email), password),
      { ok: true },
      'the address can be used again',
    )
    await db.delete(users)
  })

  t.test(`${name}: without mail, a sign-up needs no confirmation, and its account stays`, async (t) => {
    const { accounts } = await openAccounts(t, store, false)
    const browser = createBrowser()
    browser.keep(await accounts.signUp(browser, 'eve@example.com', password))
    await accounts.logOut(browser)
    await db.execute(sql`update users set updated_at = now() - interval '1 year'`)
    await deleteExpired(db, limits)
    t.match(await accounts.logIn(createBrowser(), 'eve@example.com', password), { ok: true })
    await db.delete(users)
  })
}
