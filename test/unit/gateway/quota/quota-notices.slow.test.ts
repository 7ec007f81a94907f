import { randomUUID } from 'node:crypto'
import t from 'tap'
import { createQuota, createQuotaNotices, type Quota } from '../../../../src/gateway/quota/index.js'
import { users } from '../../../../src/gateway/store/index.js'
import { bothDatabases } from '../../../support/databases.js'
import { awayFromMidnight } from '../../../support/midnight.js'

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
  const newUser = async (values: Partial<typeof users.$inferInsert> = {}) => {
    const id = `usr_${randomUUID()}`
    const email = `${id}@example.com`
    await db.insert(users).values({ id, email, origin: 'dashboard', emailVerified: true, ...values })
    return { id, email, payer: { id: 'key_1', userId: id, dailyLimit: null, monthlyLimit: null } }
  }
  const replica = (replicaId: string) => {
    const quota = createQuota({ store, limitPerDay: limit, tuning, replicaId, replicas: () => 2 })
    const notices = createQuotaNotices({
      ...{ db, warningPercent: 80, limitPerDay: quota.limitPerDay, origin: () => 'https://rpc.example.com' },
      sendMail: async (to, subject) => {
        mails.push(`${to}: ${subject}`)
      },
      onError: (error) => {
        throw error
      },
    })
    quota.onWritten(notices.check)
    return { quota, notices }
  }
  const replicas = [replica('rep_a'), replica('rep_b')]
  t.teardown(() => Promise.all(replicas.map(({ quota }) => quota.close())))
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
}
