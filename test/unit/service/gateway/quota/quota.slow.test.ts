import { randomUUID } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import t from 'tap'
import { tuningDefaults as tuning } from '../../../../../src/service/gateway/app/config/tuning.js'
import { createQuota } from '../../../../../src/service/gateway/quota/index.js'
import { quotaCounts } from '../../../../../src/service/gateway/store/index.js'
import { bothDatabases } from '../../../../support/databases.js'
import { awayFromMidnight } from '../../../../support/midnight.js'
import { until } from '../../../../support/until.js'
import {
  createUserQuota,
  leaseTimeoutMs,
  type QuotaOptions,
  sum,
  type UserQuota,
} from '../../../../support/user-quota.js'

await awayFromMidnight()
let users = 0
const someone = () => {
  users += 1
  return `usr_${users}`
}
/** Limits at which no lease is returned, however slow the machine is. */
const patient = { ...tuning, leaseIdleSeconds: 3_600 }

for (const [name, store] of await bothDatabases(t)) {
  t.test(name, async (t) => {
    const rowOf = async (user: string, day?: string) => {
      const condition = day === undefined ? undefined : eq(quotaCounts.startsOn, day)
      const [row] = await store.db
        .select()
        .from(quotaCounts)
        .where(and(eq(quotaCounts.subject, user), condition))
      return row
    }
    /** A quota that ends with its test. */
    function quotaOf(
      t: { teardown: (work: () => unknown) => void },
      options: Partial<QuotaOptions> & { readonly limitPerDay: number },
    ): UserQuota {
      const quota = createUserQuota({ store, tuning, ...options })
      t.teardown(() => quota.close())
      return quota
    }

    t.test('500 concurrent requests with a limit of 50: exactly 50 are admitted', async (t) => {
      const quota = quotaOf(t, { limitPerDay: 50 })
      const user = someone()
      const all = await Promise.all(Array.from({ length: 500 }, () => quota.take(user, 1)))
      t.equal(sum(all), 50)
      t.match(all.at(-1), { admitted: 0, limit: 50, remaining: 0, used: 50 })
      t.ok(all.every(({ remaining, used }) => remaining + used === 50))
      t.match(await quota.take(user, 1), { admitted: 0 }, 'and none later')
    })

    t.test('concurrent batches and single requests: exactly the limit, with one partial batch', async (t) => {
      const quota = quotaOf(t, { limitPerDay: 1_000 })
      const user = someone()
      const sizes = Array.from({ length: 120 }, (_, n) => [1, 7, 100][n % 3] ?? 1)
      const all = await Promise.all(sizes.map((n) => quota.take(user, n)))
      t.equal(sum(all), 1_000)
      const partial = all.filter(({ admitted }, n) => admitted > 0 && admitted < (sizes[n] ?? 0))
      t.ok(partial.length <= 1)
    })

    t.test('a batch larger than the rest is admitted in part', async (t) => {
      const quota = quotaOf(t, { limitPerDay: 30 })
      const user = someone()
      t.match(await quota.take(user, 20), { admitted: 20, isRefusing: false, remaining: 10, used: 20 })
      t.match(await quota.take(user, 20), { admitted: 10, isRefusing: true, remaining: 0, used: 30 })
      t.match(await quota.take(user, 20), { admitted: 0, isRefusing: true, remaining: 0, used: 30 })
    })

    t.test('the last requests of a limit are admitted without a refusal', async (t) => {
      const quota = quotaOf(t, { limitPerDay: 3 })
      const user = someone()
      t.match(await quota.take(user, 2), { admitted: 2, isRefusing: false, remaining: 1 })
      t.match(await quota.take(user, 1), { admitted: 1, isRefusing: false, remaining: 0 })
      t.match(await quota.take(user, 1), { admitted: 0, isRefusing: true, remaining: 0 })
    })

    t.test('the first request waits for the database, and the next ones do not', async (t) => {
      const quota = quotaOf(t, { limitPerDay: 25_000 })
      const user = someone()
      const first = quota.take(user, 1)
      t.ok(first instanceof Promise)
      t.match(await first, { admitted: 1, remaining: 24_999, used: 1 })
      for (let n = 2; n <= tuning.leaseRequests; n += 1) {
        const next = quota.take(user, 1)
        if (next instanceof Promise) return t.fail(`the ${n}th waited`)
        t.equal(next.remaining, 25_000 - n)
      }
      t.ok(quota.take(user, 1) instanceof Promise, 'a new lease is needed')
    })

    t.test('a request for none returns the state', async (t) => {
      const quota = quotaOf(t, { limitPerDay: 10 })
      const user = someone()
      t.match(await quota.take(user, 0), { admitted: 0, remaining: 10, used: 0 })
      await quota.take(user, 10)
      t.match(await quota.take(user, 0), { admitted: 0, remaining: 0, used: 10 })
    })

    t.test('a raised limit applies immediately, also right after a refusal', async (t) => {
      const quota = quotaOf(t, { limitPerDay: 2 })
      const user = someone()
      await quota.take(user, 2)
      t.match(await quota.take(user, 1), { admitted: 0 })
      quota.setLimitPerDay(5)
      t.match(await quota.take(user, 5), { admitted: 3, limit: 5, remaining: 0, used: 5 })
      t.match(await quota.take(user, 1), { admitted: 0 })
    })

    t.test('a lowered limit applies immediately, also to leased requests', async (t) => {
      const quota = quotaOf(t, { limitPerDay: 25_000 })
      const user = someone()
      await quota.take(user, 3)
      quota.setLimitPerDay(10)
      t.match(await quota.take(user, 20), { admitted: 7, limit: 10, remaining: 0, used: 10 })
      quota.setLimitPerDay(4)
      t.match(await quota.take(user, 1), { admitted: 0, limit: 4, remaining: 0 })
      quota.setLimitPerDay(11)
      t.match(await quota.take(user, 20), { admitted: 1, limit: 11, remaining: 0, used: 11 })
    })

    t.test('users have separate limits', async (t) => {
      const quota = quotaOf(t, { limitPerDay: 5 })
      const [a, b] = [someone(), someone()]
      await quota.take(a, 5)
      t.match(await quota.take(a, 1), { admitted: 0 })
      t.match(await quota.take(b, 5), { admitted: 5 })
    })

    t.test(
      'near the limit, leases grow while they are used quickly, get smaller at the end, and never exceed it',
      async (t) => {
        const limitPerDay = 2_000
        const quota = quotaOf(t, { limitPerDay })
        const user = someone()
        const leases: number[] = []
        for (let admitted = 1; admitted === 1; ) {
          const taken = quota.take(user, 1)
          admitted = (await taken).admitted
          if (!(taken instanceof Promise)) continue
          const row = await rowOf(user)
          leases.push(row?.lastLease ?? 0)
          if ((row?.granted ?? 0) > limitPerDay) t.fail('granted more than the limit')
        }
        const { leaseRequests } = tuning
        const left = limitPerDay - 7 * leaseRequests
        t.strictSame(leases.slice(0, 4), [
          leaseRequests,
          2 * leaseRequests,
          4 * leaseRequests,
          Math.floor(left / 4),
        ])
        t.equal(leases.at(-2), 1)
        t.equal(leases.at(-1), 0)
      },
    )

    t.test('the count is written during operation, and an idle lease is returned', async (t) => {
      const holder = quotaOf(t, { limitPerDay: 25_000, tuning: { ...patient, usedFlushSeconds: 3_600 } })
      // A new user's lease is idle after twelve of these times.
      const quota = quotaOf(t, { limitPerDay: 25_000, tuning: { ...tuning, leaseIdleSeconds: 0.1 } })
      const [other, user] = [someone(), someone()]
      await holder.take(other, 3)
      t.match(await rowOf(other), { granted: tuning.leaseRequests, used: 0 })
      await quota.take(user, 3)
      await until(async () => (await rowOf(user))?.granted === 3)
      t.match(await rowOf(user), { granted: 3, used: 3 })
      t.match(await quota.take(user, 1), { remaining: 24_996, used: 4 })
    })

    t.test('a restart loses nothing', async (t) => {
      const user = someone()
      for (const [taking, before] of [
        [7, 0],
        [5, 7],
        [1, 12],
      ] as const) {
        const quota = createUserQuota({ store, tuning, limitPerDay: 20 })
        t.match(await quota.take(user, taking), { used: before + taking, remaining: 20 - before - taking })
        await quota.close()
        t.match(await rowOf(user), { granted: before + taking, used: before + taking })
      }
    })

    t.test('a lowered limit applies immediately, and the used count is reported', async (t) => {
      const user = someone()
      const before = createUserQuota({ store, tuning, limitPerDay: 100 })
      await before.take(user, 60)
      await before.close()
      t.match(await quotaOf(t, { limitPerDay: 20 }).take(user, 1), {
        admitted: 0,
        limit: 20,
        used: 60,
        remaining: 0,
      })
      t.match(await quotaOf(t, { limitPerDay: 61 }).take(user, 5), { admitted: 1, used: 61 })
    })

    t.test('midnight UTC starts a new count, also for a held lease', async (t) => {
      let time = new Date('2030-03-04T23:59:58.200Z')
      const quota = quotaOf(t, { limitPerDay: 50, now: () => time })
      const user = someone()
      t.match(await quota.take(user, 50), {
        admitted: 50,
        secondsToReset: 2,
        resetAt: new Date('2030-03-05T00:00:00Z'),
      })
      t.match(await quota.take(user, 1), { admitted: 0 })
      time = new Date('2030-03-04T23:59:59.999Z')
      t.match(await quota.take(user, 1), { admitted: 0, secondsToReset: 1 })
      time = new Date('2030-03-05T00:00:00.000Z')
      t.match(await quota.take(user, 10), { admitted: 10, used: 10, secondsToReset: 86_400 })
      time = new Date('2030-03-06T12:00:00Z')
      t.match(await quota.take(user, 50), { admitted: 50, used: 50, secondsToReset: 43_200 })
      await quota.close()
      t.match(await rowOf(user, '2030-03-04'), { granted: 50, used: 50 })
      t.match(
        await rowOf(user, '2030-03-05'),
        { granted: 10, used: 10 },
        'the rest of its lease was returned',
      )
      t.match(await rowOf(user, '2030-03-06'), { granted: 50, used: 50 })
    })

    t.test('several processes on one database share the limit exactly', async (t) => {
      const user = someone()
      const quotas = [1, 2, 3].map(() => quotaOf(t, { limitPerDay: 700, replicas: () => 3 }))
      const all = await Promise.all(
        Array.from({ length: 1_500 }, (_, n) => (quotas[n % 3] as UserQuota).take(user, 1)),
      )
      t.equal(sum(all), 700)
    })

    t.test('a process waits for leases that another one returns, before it refuses', async (t) => {
      const user = someone()
      const holder = quotaOf(t, { limitPerDay: 800, replicas: () => 2, tuning: patient })
      const asker = quotaOf(t, {
        limitPerDay: 800,
        replicas: () => 2,
        tuning: { ...patient, leaseAskAgainMilliseconds: 600_000 },
      })
      await holder.take(user, 1)
      t.match(await asker.take(user, 700), { admitted: 700 })
      t.match(await rowOf(user), { granted: 800 }, 'the holder has the other 99')
      const waiting = asker.take(user, 99)
      await holder.close()
      t.match(await waiting, { admitted: 99, used: 800, remaining: 0 })
    })

    t.test('a process that is short recalls what another one holds', async (t) => {
      const user = someone()
      const options = { limitPerDay: 3_000, replicas: () => 2, tuning: patient }
      const holder = quotaOf(t, options)
      const asker = quotaOf(t, {
        ...options,
        tuning: { ...patient, leaseAskAgainMilliseconds: 600_000 },
      })
      await holder.take(user, 1)
      await holder.take(user, 79)
      // The holder expects thousands of requests, and gets its share.
      await until(async () => ((await rowOf(user))?.granted ?? 0) > 700)
      let isDone = false
      const waiting = Promise.resolve(asker.take(user, 2_600)).finally(() => {
        isDone = true
      })
      await until(async () => {
        await holder.returnRecalled(store.connection.query)
        return isDone
      })
      t.match(await waiting, { admitted: 2_600 })
    })

    t.test(
      'while the database fails only leased requests are admitted; later the quota recovers',
      async (t) => {
        const errors: unknown[] = []
        let broken = false
        const db = new Proxy(store.db, {
          get: (target, name) =>
            broken && name === 'execute'
              ? () => Promise.reject(new Error('down'))
              : Reflect.get(target, name, target),
        })
        const onError = (error: unknown) => errors.push(error)
        const quota = quotaOf(t, { store: { db }, tuning: patient, limitPerDay: 25_000, onError })
        const user = someone()
        await quota.take(user, 1)
        broken = true
        t.match(
          await quota.take(user, tuning.leaseRequests - 1),
          { admitted: 99 },
          'leased requests are admitted',
        )
        await t.rejects(Promise.resolve(quota.take(user, 1)), {
          name: 'RpcError',
          httpStatus: 503,
          retryAfterSeconds: 2,
          cause: { message: 'down' },
        })
        await until(() => errors.length > 0)
        broken = false
        t.match(await quota.take(user, 1), { admitted: 1, used: 101 })
        await quota.close()
        t.match(await rowOf(user), { granted: 101, used: 101 }, 'and the counts were written eventually')
      },
    )

    t.test('a batch that fails because of the database is free of charge', async (t) => {
      let broken = false
      const db = new Proxy(store.db, {
        get: (target, name) =>
          broken && name === 'execute'
            ? () => Promise.reject(new Error('down'))
            : Reflect.get(target, name, target),
      })
      const quota = quotaOf(t, { store: { db }, tuning: patient, limitPerDay: 25_000 })
      const user = someone()
      await quota.take(user, 1)
      broken = true
      await t.rejects(Promise.resolve(quota.take(user, tuning.leaseRequests)), { name: 'RpcError' })
      broken = false
      t.match(await quota.take(user, 1), { admitted: 1, used: 2, remaining: 24_998 })
    })

    for (const [what, changed, between] of [
      [
        'a lease’s return',
        { usedFlushSeconds: 3_600, leaseIdleSeconds: 0.1 },
        { granted: 2 * tuning.leaseRequests - 70, used: 30 },
      ],
      [
        'a count of used requests',
        { leaseIdleSeconds: 3_600 },
        { granted: 2 * tuning.leaseRequests, used: 30 },
      ],
    ] as const)
      t.test(`${what} that was written, but not acknowledged, counts once`, async (t) => {
        const errors: unknown[] = []
        let isCut = false
        const db = new Proxy(store.db, {
          get: (target, name) =>
            name === 'execute' && isCut
              ? async (query: Parameters<typeof target.execute>[0]) => {
                  await target.execute(query)
                  throw new Error('cut')
                }
              : Reflect.get(target, name, target),
        })
        const quota = quotaOf(t, {
          store: { db },
          limitPerDay: 25_000,
          tuning: { ...tuning, ...changed },
          onError: (error) => errors.push(error),
        })
        const other = quotaOf(t, { limitPerDay: 25_000, tuning: { ...patient, usedFlushSeconds: 3_600 } })
        const user = someone()
        await other.take(user, 10)
        await quota.take(user, 30)
        isCut = true
        await until(() => errors.length >= 2)
        t.match(await rowOf(user), between)
        isCut = false
        await quota.close()
        await other.close()
        t.match(await rowOf(user), { granted: 40, used: 40 })
      })

    t.test('a single process writes the counts for a reader, and soon for other processes', async (t) => {
      let living = 1
      const quota = quotaOf(t, {
        limitPerDay: 25_000,
        tuning: { ...patient, usedFlushAloneSeconds: 3_600, leaseIdleAloneSeconds: 3_600 },
        replicas: () => living,
      })
      const [user, other] = [someone(), someone()]
      await quota.take(user, 3)
      await quota.take(other, 2)
      t.match(await rowOf(user), { granted: tuning.leaseRequests, used: 0 })
      await quota.flush([user, 'usr_none'])
      t.match(await rowOf(user), { granted: tuning.leaseRequests, used: 3 })
      t.match(await rowOf(other), { used: 0 })
      await quota.flush()
      t.match(await rowOf(other), { used: 2 })
      await quota.take(user, 4)
      living = 2
      await until(async () => (await rowOf(user))?.used === 7)
    })

    t.test('a single process keeps an idle lease until another process joins', async (t) => {
      let living = 1
      const idle = { leaseIdleSeconds: 0.1, leaseIdleAloneSeconds: 3_600, usedFlushAloneSeconds: 1 }
      const quota = quotaOf(t, {
        limitPerDay: 25_000,
        tuning: { ...tuning, ...idle },
        replicas: () => living,
      })
      const user = someone()
      await quota.take(user, 1)
      const isWritten = async (granted: number) => {
        const row = await rowOf(user)
        return row?.used === 1 && row.granted === granted
      }
      await until(() => isWritten(tuning.leaseRequests))
      t.notOk(quota.take(user, 0) instanceof Promise, 'it is still there, a second after its use')
      living = 2
      await until(() => isWritten(1))
    })

    t.test('a late answer is not used, and its lease is returned', async (t) => {
      let hold: Promise<unknown> = Promise.resolve()
      const db = new Proxy(store.db, {
        get: (target, name) =>
          name === 'execute'
            ? async (query: Parameters<typeof target.execute>[0]) => {
                const rows = await target.execute(query)
                await hold
                return rows
              }
            : Reflect.get(target, name, target),
      })
      const quota = quotaOf(t, { store: { db }, limitPerDay: 25_000, leaseTimeoutMs: 2_000 })
      const user = someone()
      // The count already exists; a missing one would need two statements.
      const before = createUserQuota({ store, tuning, limitPerDay: 25_000 })
      await before.take(user, 0)
      await before.close()
      let answer: () => void = () => t.fail()
      hold = new Promise<void>((resolve) => {
        answer = resolve
      })
      await t.rejects(Promise.resolve(quota.take(user, 1)), {
        name: 'RpcError',
        message: /cannot be checked/,
      })
      t.match(await rowOf(user), { granted: tuning.leaseRequests })
      hold = Promise.resolve()
      answer()
      await until(async () => (await rowOf(user))?.granted === 0)
      t.match(await quota.take(user, 1), { admitted: 1, used: 1 })
    })

    t.test('after the end no request is admitted', async (t) => {
      const quota = createUserQuota({ store, tuning, limitPerDay: 10 })
      const user = someone()
      const waiting = quota.take(user, 2)
      const closed = quota.close()
      t.match(await waiting, { admitted: 2 }, 'waiting requests are admitted')
      await closed
      await t.rejects(Promise.resolve(quota.take(user, 1)), {
        name: 'RpcError',
        message: /cannot be checked/,
      })
      t.match(await rowOf(user), { granted: 2, used: 2 })
    })

    t.test('limits of a key apply in addition to its user’s', async (t) => {
      let time = new Date('2030-03-30T12:00:00Z')
      const quota = createQuota({
        replicaId: `rep_${randomUUID()}`,
        store: { ...store, server: undefined },
        tuning,
        leaseTimeoutMs,
        limitPerDay: 100,
        now: () => time,
      })
      t.teardown(() => quota.close())
      const userId = someone()
      const free = { id: `key_a_${userId}`, userId, dailyLimit: null, monthlyLimit: null }
      const bound = { id: `key_b_${userId}`, userId, dailyLimit: 10, monthlyLimit: 15 }

      t.match(await quota.take(bound, 8), {
        admitted: 8,
        standings: [
          { period: 'day', limit: 100, remaining: 92, used: 8 },
          { period: 'day', limit: 10, remaining: 2, used: 8 },
          { period: 'month', limit: 15, remaining: 7, used: 8 },
        ],
      })
      t.match(await quota.take(bound, 5), { admitted: 2, refusing: { period: 'day', limit: 10, used: 10 } })
      t.match(
        await quota.take(free, 1),
        { admitted: 1, standings: [{ remaining: 89, used: 11 }] },
        'not charged to the user',
      )

      time = new Date('2030-03-31T12:00:00Z')
      t.match(await quota.take(bound, 7), { admitted: 5, refusing: { period: 'month', limit: 15, used: 15 } })
      t.match(await quota.take(bound, 1), { admitted: 0, refusing: { period: 'month' } })
      t.match(await quota.take(free, 94), { admitted: 94 }, 'of the day')

      time = new Date('2030-04-01T00:00:00Z')
      t.match(await quota.take(free, 95), { admitted: 95 })
      t.match(
        await quota.take(bound, 8),
        {
          admitted: 5,
          refusing: { period: 'day', limit: 100, used: 100 },
          standings: [{ remaining: 0 }, { remaining: 5 }, { remaining: 10 }],
        },
        'requests over the user’s limit are not charged to the key',
      )
      await quota.close()
      const [row] = await store.db
        .select()
        .from(quotaCounts)
        .where(
          and(
            eq(quotaCounts.subject, bound.id),
            eq(quotaCounts.period, 'month'),
            eq(quotaCounts.startsOn, '2030-04-01'),
          ),
        )
      t.match(row, { granted: 5, used: 5 })
    })

    t.test('a changed or removed limit of a key applies to the next request', async (t) => {
      const quota = createQuota({
        replicaId: `rep_${randomUUID()}`,
        store: { ...store, server: undefined },
        tuning,
        leaseTimeoutMs,
        limitPerDay: 100,
      })
      t.teardown(() => quota.close())
      const userId = someone()
      const key = { id: `key_${userId}`, userId, monthlyLimit: null }
      t.match(await quota.take({ ...key, dailyLimit: 3 }, 4), { admitted: 3 })
      t.match(await quota.take({ ...key, dailyLimit: 3 }, 1), { admitted: 0 })
      t.match(await quota.take({ ...key, dailyLimit: null }, 1), { admitted: 1 })
      await until(async () => (await quota.take({ ...key, dailyLimit: 5 }, 1)).admitted > 0)
      t.match(await quota.take({ ...key, dailyLimit: 5 }, 9), {
        admitted: 1,
        refusing: { limit: 5, used: 5 },
      })
    })

    t.test('many users and keys share a statement, and each gets its own answer', async (t) => {
      const quota = createQuota({
        replicaId: `rep_${randomUUID()}`,
        store: { ...store, server: undefined },
        tuning,
        leaseTimeoutMs,
        limitPerDay: 7,
      })
      t.teardown(() => quota.close())
      const people = Array.from({ length: 300 }, someone)
      const all = await Promise.all(
        people.map((userId, n) =>
          quota.take({ id: `key_${userId}`, userId, dailyLimit: n % 2 ? 3 : null, monthlyLimit: null }, 9),
        ),
      )
      t.ok(all.every(({ admitted }, n) => admitted === (n % 2 ? 3 : 7)))
    })
  })
}
