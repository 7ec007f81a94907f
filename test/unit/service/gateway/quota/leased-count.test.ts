import t from 'tap'
import {
  addLease,
  becomesIdle,
  expectedRequests,
  isOutgrown,
  type LeasedCount,
  newLeasedCount,
  nextLeaseSize,
  putBack,
  recall,
  requestsWithin,
  serveWaiting,
  settlementOf,
  useLease,
} from '../../../../../src/service/gateway/quota/leased-count.js'

const times = { leaseRefillPercent: 25 }

function withLease(size: number, startsOn = '2030-01-01'): LeasedCount {
  const user = newLeasedCount('u', 'day', 100)
  addLease(user, { startsOn, size, granted: size, databaseTime: 0 }, times)
  return user
}

function waiting(user: LeasedCount, n: number): number[] {
  const admitted: number[] = []
  user.waiting.push({
    n,
    admit: (some) => admitted.push(some),
    reject: t.fail,
  })
  return admitted
}

t.test('lease sizes grow while leases are used up quickly, and shrink otherwise', async (t) => {
  const sizes = { leaseRequests: 100, leaseRequestsMost: 800, leaseIdleSeconds: 1 }
  const user = newLeasedCount('u', 'day', 25_000)
  const next = (after: number) => {
    const now = user.leasedAt + after
    user.leaseSize = nextLeaseSize(user, sizes, now)
    user.leasedAt = now
    return user.leaseSize
  }
  t.strictSame([0, 999, 0, 0, 0].map(next), [100, 200, 400, 800, 800], 'within a second')
  t.strictSame([1_000, 2_000, 5_000, 1_000].map(next), [400, 200, 100, 100], 'later')
})

t.test('the rate counts the requests since the last lease, over at least a second', async (t) => {
  const user = withLease(100)
  t.equal(requestsWithin(newLeasedCount('v', 'day', 100), 30, 5_000), 0, 'unknown before the first lease')
  t.equal(requestsWithin(user, 30, 5_000), 0)
  useLease(user, 20)
  t.equal(requestsWithin(user, 30, 100), 600, 'a burst')
  t.equal(requestsWithin(user, 30, 10_000), 60)
  t.equal(requestsWithin(user, 1, 30_000), 1)
  putBack(user, 10, '2030-01-01')
  t.equal(requestsWithin(user, 30, 10_000), 30)
})

t.test('right after a lease, the rate before it is expected to continue', async (t) => {
  const user = withLease(100)
  user.ahead = 600
  t.equal(expectedRequests(user, 30, 0), 600)
  useLease(user, 2)
  t.equal(expectedRequests(user, 30, 100), 600, 'no less than before')
  t.equal(expectedRequests(user, 30, 15_000), 302, 'half of the time was measured')
  t.equal(expectedRequests(user, 30, 30_000), 2)
  t.equal(expectedRequests(user, 0, 0), 0, 'leases without a time')
  waiting(user, 200)
  t.equal(expectedRequests(user, 30, 30_000), 600, 'refused requests were not measured')
  useLease(user, 48)
  t.equal(expectedRequests(user, 30, 1_000), 1_500, 'a rate that grows')
})

t.test('a whole lease far from the limit leaves as much when the next one is requested', async (t) => {
  const user = newLeasedCount('u', 'day', 25_000)
  const leased = (size: number, granted: number) => {
    addLease(user, { startsOn: '2030-01-01', size, granted, databaseTime: 0 }, times)
    return user.refillBelow
  }
  user.leaseSize = 100
  t.equal(leased(100, 100), 25, 'the rate is not known yet')
  user.ahead = 1_200
  t.equal(leased(1_200, 1_300), 1_200)
  t.equal(leased(900, 2_200), 25, 'a share of the rest')
  t.equal(leased(1_200, 24_199), 1_200, '2,001 were left')
  t.equal(leased(1_200, 24_200), 25, '2,000 were left')
  t.equal(leased(50, 24_900), 0)
})

t.test('a rate that has grown since the last lease outgrows it, far from the limit', async (t) => {
  let now = 1_000
  t.intercept(performance, 'now', { value: () => now })
  const user = newLeasedCount('u', 'day', 25_000)
  const day = { startsOn: '2030-01-01', databaseTime: 5_000 }
  user.leasedAt = now
  addLease(user, { ...day, size: 100, granted: 100 }, times)
  t.equal(user.measureAt, 6_000)
  now += 1_000
  useLease(user, 3)
  t.equal(isOutgrown(user, 30, 6_000), false, 'three a second')
  t.equal(user.measureAt, 7_000)
  useLease(user, 1)
  t.equal(isOutgrown(user, 30, 7_000), true, 'four a second')
  user.ahead = 120
  t.equal(isOutgrown(user, 30, 7_000), false, 'the last lease was sized for them')
  user.ahead = 0
  user.granted = 23_000
  t.equal(isOutgrown(user, 30, 7_000), false, 'near the limit')
})

t.test('a lease is idle after three usual pauses of its user', async (t) => {
  const times = { sharedMs: 5_000, leastMs: 5_000 }
  /** Seconds after which a lease is idle, if its user calls at these intervals for a while. */
  const idleAfter = (pauseSeconds: number, calls: number, granted = 100) => {
    const user = newLeasedCount('u', 'day', 25_000)
    user.granted = granted
    const pass = (seconds: number) => {
      for (let n = 1; n <= 10 * seconds; n += 1)
        if (becomesIdle(user, false, 100, times)) return Math.round(n / 10)
      return 0
    }
    for (let call = 0; call < calls; call += 1) {
      becomesIdle(user, true, 100, times)
      if (call < calls - 1 && pass(pauseSeconds) > 0) t.fail(`idle between calls, every ${pauseSeconds} s`)
    }
    return pass(1_000)
  }
  t.equal(idleAfter(1, 1), 60, 'after the first call')
  t.equal(idleAfter(4, 100), 12)
  t.equal(idleAfter(10, 20), 30)
  t.equal(idleAfter(30, 20), 90)
  t.equal(idleAfter(0.1, 1_000), 5)
  t.equal(idleAfter(1, 1, 23_000), 5, 'near the limit')
})

t.test('recalled requests are returned, except for those of a second', async (t) => {
  const user = withLease(100)
  useLease(user, 30)
  t.match(recall(user, 10_000), { used: 30, returned: 67 })
  t.match(user, { left: 3, granted: 33, refillBelow: 0 })
  t.equal(recall(user, 10_000), undefined)
})

t.test('a lease lasts until the midnight after its day', async (t) => {
  const user = withLease(10)
  t.equal(new Date(user.window.endsAt).toISOString(), '2030-01-02T00:00:00.000Z')
  t.match(user, { left: 10, granted: 10 })
})

t.test('use is settled once', async (t) => {
  const user = withLease(10)
  useLease(user, 4)
  t.same(settlementOf(user, 0), {
    subject: 'u',
    period: 'day',
    startsOn: '2030-01-01',
    used: 4,
    returned: 0,
  })
  t.equal(settlementOf(user, 0), undefined)
  t.same(settlementOf(user, user.left), {
    subject: 'u',
    period: 'day',
    startsOn: '2030-01-01',
    used: 0,
    returned: 6,
  })
  t.match(user, { left: 0, granted: 4 })
})

t.test('requests are served in order, and each waits until its whole size is available', async (t) => {
  const user = withLease(5)
  const [first, second, third] = [waiting(user, 2), waiting(user, 4), waiting(user, 1)]
  serveWaiting(user)
  t.same([first, second, third], [[2], [], []])
  t.equal(user.left, 3, 'the rest is reserved for the second request')
  addLease(user, { startsOn: '2030-01-01', size: 2, granted: 7, databaseTime: 0 }, times)
  serveWaiting(user)
  t.same([first, second, third], [[2], [4], [1]])
  t.match(user, { left: 0, unwritten: 7, granted: 7 })
})

t.test('a lease of a new day ends the previous one, whose rest is returned', async (t) => {
  const user = withLease(10)
  useLease(user, 3)
  const before = addLease(user, { startsOn: '2030-01-02', size: 6, granted: 6, databaseTime: 0 }, times)
  t.same(before, { subject: 'u', period: 'day', startsOn: '2030-01-01', used: 3, returned: 7 })
  t.match(user, { left: 6, granted: 6, unwritten: 0, window: { startsOn: '2030-01-02' } })
})

t.test('a month ends at the first midnight of the next month', async (t) => {
  const key = newLeasedCount('k', 'month', 100)
  addLease(key, { startsOn: '2030-12-01', size: 1, granted: 1, databaseTime: 0 }, times)
  t.equal(new Date(key.window.endsAt).toISOString(), '2031-01-01T00:00:00.000Z')
})

t.test('refunded requests can be taken again, or are returned when their window has ended', async (t) => {
  const user = withLease(10)
  useLease(user, 4)
  t.equal(putBack(user, 3, '2030-01-01'), undefined)
  t.match(user, { left: 9, unwritten: 1 })
  const { subject, period } = user
  t.same(putBack(user, 3, '2029-12-31'), {
    subject,
    period,
    startsOn: '2029-12-31',
    used: -3,
    returned: 3,
  })
  t.match(user, { left: 9, unwritten: 1 })
})
