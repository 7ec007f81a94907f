import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { setAccountLimits } from '../../../../../src/service/gateway/accounts/index.js'
import {
  createQuota,
  createQuotaNotices,
  type Quota,
} from '../../../../../src/service/gateway/quota/index.js'
import { quotaCounts, quotaNotices, users } from '../../../../../src/service/gateway/store/index.js'
import { bothDatabases } from '../../../../support/databases.js'
import { awayFromMidnight } from '../../../../support/midnight.js'
import { until } from '../../../../support/until.js'
import { leaseTimeoutMs } from '../../../../support/user-quota.js'

/** Mails about daily limits, sent by two processes on one database, with both kinds of it. */
const limit = 20
const tuning = {
  ...{ leaseRequests: 5, leaseRequestsMost: 20, leaseSeconds: 1, leaseRefillPercent: 50 },
  ...{ leaseIdleSeconds: 60, leaseIdleAloneSeconds: 60, leaseAskAgainMilliseconds: 20 },
  ...{ usedFlushSeconds: 60, usedFlushAloneSeconds: 60 },
}

await awayFromMidnight()
for (const [name, store] of await bothDatabases(t)) {
  const { db } = store
  const mails: string[] = []
  const failed: string[] = []
  /** Mails to these addresses fail so many times. */
  const failing = new Map<string, number>()
  const newUser = async (values: Partial<typeof users.$inferInsert> = {}) => {
    const id = `usr_${randomUUID()}`
    const email = `${id}@example.com`
    await db.insert(users).values({ id, email, origin: 'dashboard', emailVerified: true, ...values })
    return { id, email, payer: { id: 'key_1', userId: id, dailyLimit: null, monthlyLimit: null } }
  }
  const replica = (replicaId: string) => {
    const quota = createQuota({
      ...{ store, limitPerDay: limit, tuning, leaseTimeoutMs, replicaId },
      replicas: () => 2,
    })
    const notices = createQuotaNotices({
      ...{ db, warningPercent: 80, limitPerDay: quota.limitPerDay, origin: () => 'https://rpc.example.com' },
      retrySeconds: 0.1,
      sendMail: async (to, subject) => {
        const left = failing.get(to) ?? 0
        if (left > 0) {
          failing.set(to, left - 1)
          failed.push(to)
          throw new Error('mailbox unavailable')
        }
        mails.push(`${to}: ${subject}`)
      },
      onError: (error) => {
        t.match(error, { message: 'mailbox unavailable' })
      },
    })
    quota.onWritten(notices.check)
    return { quota, notices }
  }
  const replicas = [replica('rep_a'), replica('rep_b')]
  const close = (each: readonly ReturnType<typeof replica>[]) =>
    Promise.all(each.map(({ quota, notices }) => quota.close().then(notices.close)))
  t.teardown(() => close(replicas))
  /** Writes what was used, waits for the mails, and returns those of a user. */
  const mailsTo = async (email: string) => {
    await Promise.all(replicas.map(({ quota }) => quota.flush()))
    await Promise.all(replicas.map(({ notices }) => notices.close()))
    return mails.filter((mail) => mail.startsWith(email)).map((mail) => mail.slice(email.length + 2))
  }
  const [one, two] = replicas.map(({ quota }) => quota) as [Quota, Quota]
  const nearly = '80 % of your requests of today are used'
  const spent = 'Your requests of today are used'

  t.test(`${name}: used requests count, not leases, and each level gives one mail`, async (t) => {
    const { email, payer } = await newUser()
    await one.take(payer, 11)
    await two.take(payer, 4)
    t.same(await mailsTo(email), [], '15 of 20, with leases of more')
    await two.take(payer, 1)
    t.same(await mailsTo(email), [nearly])
    await Promise.all([one.take(payer, 1), two.take(payer, 1)])
    t.same(await mailsTo(email), [nearly], 'told once')
    for (const quota of [one, two]) await quota.take(payer, 2)
    t.same(await mailsTo(email), [nearly, spent])
  })

  t.test(`${name}: a user who reaches both levels at once gets one mail`, async (t) => {
    const { email, payer } = await newUser()
    await one.take(payer, limit)
    t.same(await mailsTo(email), [spent])
  })

  t.test(`${name}: a lowered limit counts, and unconfirmed addresses receive nothing`, async (t) => {
    const lowered = await newUser({ dailyLimit: 5 })
    await one.take({ ...lowered.payer, userDailyLimit: 5 }, 4)
    t.same(await mailsTo(lowered.email), [nearly])
    const unconfirmed = await newUser({ emailVerified: false })
    await one.take(unconfirmed.payer, limit)
    t.same(await mailsTo(unconfirmed.email), [])
  })

  t.test(`${name}: users are told again under a limit that an operator has changed`, async (t) => {
    const { id, email, payer } = await newUser({ dailyLimit: 5 })
    await one.take({ ...payer, userDailyLimit: 5 }, 5)
    t.same(await mailsTo(email), [spent])
    await setAccountLimits(db, id, { dailyLimit: null, keyLimit: 1 }, '')
    await one.take(payer, 11)
    t.same(await mailsTo(email), [spent, nearly], '16 of 20')
    await setAccountLimits(db, id, { dailyLimit: null, keyLimit: null }, '')
    await one.take(payer, 1)
    t.same(await mailsTo(email), [spent, nearly], 'the daily limit is the same')
    await one.take(payer, 3)
    t.same(await mailsTo(email), [spent, nearly, spent])
  })

  t.test(`${name}: a mail that fails is tried again by one process, until it is sent`, async (t) => {
    const both = [replica('rep_c'), replica('rep_d')] as const
    const [{ quota }] = both
    const { email, payer } = await newUser()
    failing.set(email, 2)
    await quota.take(payer, 16)
    await quota.flush()
    await until(() => mails.some((mail) => mail.startsWith(email)))
    t.equal(failed.filter((to) => to === email).length, 2)

    const higher = await newUser()
    failing.set(higher.email, 1)
    await quota.take(higher.payer, 16)
    await quota.flush()
    await until(() => failed.includes(higher.email))
    await quota.take(higher.payer, 4)
    await quota.flush()
    await until(() => mails.includes(`${higher.email}: ${spent}`))

    const refused = await newUser()
    failing.set(refused.email, Number.POSITIVE_INFINITY)
    await quota.take(refused.payer, 16)
    await quota.flush()
    await until(() => failed.includes(refused.email))
    const ofRefused = eq(quotaNotices.userId, refused.id)
    const before = Date.now()
    await db
      .update(quotaNotices)
      .set({ attempts: 5, retryAt: new Date(0) })
      .where(ofRefused)
    const noticeOfRefused = async () => (await db.select().from(quotaNotices).where(ofRefused))[0]
    await until(async () => (await noticeOfRefused())?.attempts === 6)
    const retryAt = (await noticeOfRefused())?.retryAt?.getTime() ?? 0
    t.ok(retryAt >= before + 100 * 2 ** 5, 'the interval doubles with each attempt')
    await db
      .update(quotaNotices)
      .set({ retryAt: new Date(0) })
      .where(ofRefused)
    const yesterday = await newUser()
    const day = '2020-01-01'
    await db
      .insert(quotaCounts)
      .values({ subject: yesterday.id, period: 'day', startsOn: day, granted: 16, used: 16, lastLease: 0 })
    await db.insert(quotaNotices).values({ userId: yesterday.id, day, level: 80, retryAt: new Date(0) })
    // A mail that needs two more looks shows that the others were seen and left.
    const later = await newUser()
    failing.set(later.email, 2)
    await quota.take(later.payer, 16)
    await quota.flush()
    await until(() => mails.some((mail) => mail.startsWith(later.email)))
    t.equal((await noticeOfRefused())?.attempts, 6, 'the attempts for a mail are limited')
    await close(both)
    for (const [to, subject] of [
      [email, nearly],
      [later.email, nearly],
    ])
      t.same(
        mails.filter((mail) => mail.startsWith(to ?? '')),
        [`${to}: ${subject}`],
        'one mail',
      )
    t.ok(mails.filter((mail) => mail.startsWith(higher.email)).length <= 2)
    t.same(
      mails.filter((mail) => mail.startsWith(yesterday.email)),
      [],
      'no mail about another day',
    )
  })
}
