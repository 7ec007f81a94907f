import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { tuningDefaults } from '../../../../../src/service/gateway/app/config/tuning.js'
import { createCounts } from '../../../../../src/service/gateway/quota/counts.js'
import type {
  Lease,
  LeaseQuestion,
  Settlement,
} from '../../../../../src/service/gateway/quota/lease-statements.js'
import { createBatchWriter } from '../../../../../src/service/gateway/store/index.js'

const tuning = {
  ...tuningDefaults,
  leaseIdleSeconds: 3_600,
  leaseIdleAloneSeconds: 3_600,
  usedFlushSeconds: 3_600,
  usedFlushAloneSeconds: 3_600,
}

/** Counts of users. The test controls the leases and the clock. */
function counting(t: Pick<Test, 'equal' | 'fail'>) {
  const asked: LeaseQuestion[] = []
  const answers: { give(lease: Partial<Lease>): void; fail(error: Error): void }[] = []
  const clock = { now: Date.parse('2030-01-01T12:00:00Z') }
  const settled: Settlement[] = []
  const ask = (question: LeaseQuestion) => {
    asked.push(question)
    return new Promise<Lease>((resolve, reject) => {
      answers.push({
        give: (lease) =>
          resolve({ startsOn: '2030-01-01', size: 100, granted: 100, databaseTime: clock.now, ...lease }),
        fail: reject,
      })
    })
  }
  const counts = createCounts({
    tuning,
    now: () => clock.now,
    isAlone: () => true,
    isShared: false,
    writer: createBatchWriter<Settlement>(
      async (batch) => void settled.push(...batch.rows),
      (error) => t.fail(String(error)),
    ),
    lease: { ask },
  })
  const user = counts.of('usr', 'day', 25_000)
  const take = (n: number) => counts.take(user, n, clock.now)
  /** Takes the first lease of 100 requests and uses 75 of them. */
  const begin = async () => {
    const first = take(1)
    answers[0]?.give({})
    t.equal(await first, 1)
    t.equal(take(74), 74)
    t.equal(asked.length, 1)
  }
  return { asked, answers, clock, settled, counts, user, take, begin }
}

t.test(
  'the next lease is requested once before this one is used up, and no request waits for it',
  async (t) => {
    const { asked, answers, take, begin, user } = counting(t)
    await begin()
    t.equal(take(1), 1, 'the last quarter is in use')
    t.equal(take(1), 1)
    t.match(asked.slice(1), [{ subject: 'usr', wanted: 0, most: 200, limit: 25_000 }])
    answers[1]?.give({ size: 200, granted: 300 })
    await delay(0)
    t.match(user, { left: 223, granted: 300 })
    t.equal(take(173), 173)
    t.equal(asked.length, 2)
    t.equal(take(1), 1)
    t.match(asked.slice(2), [{ wanted: 0, most: 400 }])
  },
)

t.test(
  'a request larger than the rest waits for the pending lease, then requests the difference',
  async (t) => {
    const { asked, answers, take, begin } = counting(t)
    await begin()
    take(1)
    const waiting = take(300)
    answers[1]?.give({ size: 200, granted: 300 })
    await delay(0)
    t.match(asked.slice(2), [{ wanted: 76 }])
    answers[2]?.give({ size: 400, granted: 700 })
    t.equal(await waiting, 300)
    t.equal(asked.length, 3)
  },
)

t.test(
  'a failed lease rejects only the requests that need it, and the next request tries again',
  async (t) => {
    const { asked, answers, take, begin, counts, settled } = counting(t)
    await begin()
    take(1)
    answers[1]?.fail(new Error('down'))
    await delay(0)
    t.equal(take(1), 1, 'leased requests are admitted')
    t.equal(asked.length, 2, 'and no lease is requested ahead')
    const next = take(30)
    t.match(asked.slice(2), [{ wanted: 7 }])
    answers[2]?.give({ size: 100, granted: 200 })
    t.equal(await next, 30)
    take(72)
    const refused = take(100)
    answers[3]?.fail(new Error('down'))
    await t.rejects(Promise.resolve(refused), { httpStatus: 503, cause: { message: 'down' } })
    await counts.close()
    t.same(
      settled.reduce((sum, { used }) => sum + used, 0),
      75 + 1 + 1 + 30 + 72,
    )
  },
)

t.test(
  'after a failed request in advance, the next lease is requested before this one is used up',
  async (t) => {
    const { asked, answers, take, begin, user } = counting(t)
    let now = performance.now()
    t.intercept(performance, 'now', { value: () => now })
    await begin()
    take(1)
    answers[1]?.fail(new Error('down'))
    await delay(0)
    while (asked.length < 3 && user.left > 0) {
      now += 100
      t.equal(take(1), 1)
    }
    t.equal(asked.length, 3)
    t.ok(user.left > 0)
  },
)

t.test('a failed request in advance is repeated four times a second', async (t) => {
  const { asked, answers, take, begin } = counting(t)
  let now = performance.now()
  t.intercept(performance, 'now', { value: () => now })
  await begin()
  for (let query = 2; query < 5; query += 1) {
    t.equal(take(1), 1)
    t.equal(asked.length, query)
    answers.at(-1)?.fail(new Error('down'))
    await delay(0)
    now += 249
    t.equal(take(1), 1)
    t.equal(asked.length, query, 'the failure is recent')
    now += 1
  }
})

/** A user at a steady rate, whose time the test controls. */
function steadyUser(t: Test, perSecond: number) {
  const { asked, answers, take, user, clock } = counting(t)
  let now = performance.now()
  t.intercept(performance, 'now', { value: () => now })
  let granted = 0
  let refused = 0
  /** Answers all questions: leases are granted as requested, or none in an outage. */
  const answer = (isOutage: boolean) => {
    for (const [at, { ahead = 0, wanted }] of asked.splice(0).entries()) {
      const size = Math.max(ahead, wanted, granted === 0 ? 100 : 0)
      if (!isOutage) granted += size
      if (isOutage) answers[at]?.fail(new Error('down'))
      else answers[at]?.give({ size, granted })
    }
    answers.length = 0
  }
  const use = async (seconds: number, isOutage: boolean) => {
    for (let request = 0; request < perSecond * seconds; request += 1) {
      now += 1_000 / perSecond
      clock.now += 1_000 / perSecond
      let isTaken = false
      Promise.resolve(take(1))
        .catch(() => {
          refused += 1
        })
        .finally(() => {
          isTaken = true
        })
      while (!isTaken || asked.length > 0) {
        answer(isOutage)
        await nextTurn()
      }
    }
  }
  return { user, use, refused: () => refused }
}

t.test('after an outage that used up a lease, the next outage finds thirty seconds of use', async (t) => {
  const { user, use, refused } = steadyUser(t, 10)
  await use(60, false)
  await use(70, true)
  t.ok(refused() > 0, 'the first outage was too long')
  for (const seconds of [3, 10, 20, 29]) {
    await use(seconds, false)
    t.ok(user.left >= 10 * 29, `${user.left} left after ${seconds} s`)
  }
})

t.test('a user who became active a moment ago is served through two outages in a row', async (t) => {
  for (const perSecond of [0.25, 5, 10])
    for (const [lead, between] of [
      [3, 10],
      [10, 3],
    ] as const)
      await t.test(`${perSecond} a second, after ${lead} s, and again after ${between} s`, async (t) => {
        const { use, refused } = steadyUser(t, perSecond)
        await use(Math.max(lead, 1 / perSecond), false)
        await use(25, true)
        await use(between, false)
        await use(25, true)
        t.equal(refused(), 0)
      })
})

t.test('a limit is known to be spent after a refusal, until its window ends', async (t) => {
  const { asked, answers, take, counts, user, clock } = counting(t)
  t.notOk(counts.isSpent(user), 'nothing is known before the first lease')
  const first = take(2)
  answers[0]?.give({ size: 2, granted: 25_000 })
  t.equal(await first, 2)
  t.notOk(counts.isSpent(user), 'other processes may still return leases')
  const refused = take(1)
  t.notOk(counts.isSpent(user), 'a query is pending')
  answers[1]?.give({ size: 0, granted: 25_000 })
  t.equal(await refused, 0)
  t.ok(counts.isSpent(user))
  t.equal(take(1), 0)
  t.equal(asked.length, 2, 'no query is needed')
  const { now } = clock
  clock.now = user.window.endsAt - 1
  t.ok(counts.isSpent(user))
  clock.now += 1
  t.notOk(counts.isSpent(user))
  clock.now = now
  t.notOk(counts.isSpent(counts.of('usr', 'day', 25_001)), 'the limit was raised')
})

t.test('a refusal in use is renewed before it expires, until requests are left', async (t) => {
  const { asked, answers, take, counts, user } = counting(t)
  let now = performance.now()
  t.intercept(performance, 'now', { value: () => now })
  const first = take(1)
  answers[0]?.give({ size: 1, granted: 25_000 })
  t.equal(await first, 1)
  const refused = take(1)
  answers[1]?.give({ size: 0, granted: 25_000 })
  t.equal(await refused, 0)
  for (let query = 2; query < 5; query++) {
    now += 400
    t.ok(counts.isSpent(user))
    t.equal(asked.length, query, 'the refusal is recent')
    now += 200
    t.ok(counts.isSpent(user))
    t.ok(counts.isSpent(user))
    t.equal(asked.length, query + 1)
    answers[query]?.give({ size: 0, granted: 25_000 })
    await delay(0)
  }
  now += 600
  t.ok(counts.isSpent(user))
  answers[5]?.give({ size: 7, granted: 25_000 })
  await delay(0)
  t.notOk(counts.isSpent(user), 'another process has returned requests')
  t.equal(take(7), 7)
})

t.test('an unused refusal expires', async (t) => {
  const { asked, answers, take, counts, user } = counting(t)
  let now = performance.now()
  t.intercept(performance, 'now', { value: () => now })
  const refused = take(1)
  answers[0]?.give({ size: 0, granted: 25_000 })
  t.equal(await refused, 0)
  t.ok(counts.isSpent(user))
  now += 1_000
  t.notOk(counts.isSpent(user))
  const admitted = take(1)
  answers[asked.length - 1]?.give({ size: 1, granted: 25_000 })
  t.equal(await admitted, 1)
})

t.test('near the limit, leases are requested only when needed', async (t) => {
  const { asked, answers, take } = counting(t)
  const first = take(1)
  answers[0]?.give({ size: 99, granted: 24_900 })
  t.equal(await first, 1)
  t.equal(take(98), 98)
  t.equal(asked.length, 1)
})

t.test('a lease of yesterday that arrives today is returned unused', async (t) => {
  const { asked, answers, take, begin, clock, counts, settled } = counting(t)
  await begin()
  take(1)
  clock.now = Date.parse('2030-01-02T00:00:00Z')
  const next = take(1)
  answers[1]?.give({ size: 200, granted: 300 })
  await delay(0)
  t.match(asked.slice(2), [{ wanted: 1 }])
  answers[2]?.give({ startsOn: '2030-01-02', size: 100, granted: 100 })
  t.equal(await next, 1)
  await counts.close()
  t.equal(settled.length, 2)
  t.match(settled, [
    { startsOn: '2030-01-01', used: 76, returned: 224 },
    { startsOn: '2030-01-02', used: 1, returned: 99 },
  ])
})

t.test('shutdown waits for a pending lease and returns it', async (t) => {
  const { answers, take, begin, counts, settled } = counting(t)
  await begin()
  take(1)
  const closing = counts.close()
  await delay(0)
  answers[1]?.give({ size: 200, granted: 300 })
  await closing
  t.equal(settled.length, 1)
  t.match(settled, [{ used: 76, returned: 224 }])
})
