import t from 'tap'
import { RecentCalls } from '../../../../../../src/service/gateway/nodes/pool/recent-calls.js'

const settings = {
  failingWindowMs: 30_000,
  failingCalls: 20,
  failingShare: 0.5,
  failingSilent: 5,
  internalErrorUsers: 3,
}

/** Calls by letter: a for answered, f for failed, s for silent; a digit for an internal error of that user. */
function recentCalls(letters: string, now = 0) {
  const calls = new RecentCalls(settings)
  calls.isFailing(now)
  for (const letter of letters) {
    if (letter === 'f' || letter === 's') calls.failed(letter === 's', now)
    else calls.answered()
    if (/\d/.test(letter)) calls.internalError(letter, now)
  }
  return calls
}

t.test('a node is failing when half of at least 20 calls failed', async (t) => {
  const rows: readonly [why: string, letters: string, isFailing: boolean][] = [
    ['19 calls, all failed', 'f'.repeat(19), false],
    ['20 calls, all failed', 'f'.repeat(20), true],
    ['20 calls, 9 failed', 'f'.repeat(9) + 'a'.repeat(11), false],
    ['20 calls, 10 failed', 'f'.repeat(10) + 'a'.repeat(10), true],
    ['200 calls, 99 failed', 'f'.repeat(99) + 'a'.repeat(101), false],
    ['200 calls, 100 failed', 'f'.repeat(100) + 'a'.repeat(100), true],
    ['no call', '', false],
  ]
  for (const [why, letters, isFailing] of rows) t.equal(recentCalls(letters).isFailing(0), isFailing, why)
})

t.test('a node is failing when five requests in a row had no answer', async (t) => {
  const rows: readonly [letters: string, isFailing: boolean][] = [
    ['ssss', false],
    ['sssss', true],
    ['ssssas', false],
    ['ssssfs', false],
    ['ssssasssss', true],
  ]
  for (const [letters, isFailing] of rows) t.equal(recentCalls(letters).isFailing(0), isFailing, letters)
  t.equal(recentCalls('as').isSilent, true)
  t.equal(recentCalls('sa').isSilent, false)
})

t.test('internal errors count from three users on, and no user decides alone', async (t) => {
  const rows: readonly [why: string, letters: string, isFailing: boolean][] = [
    ['one user', '1'.repeat(1_000), false],
    ['two users', '12'.repeat(500), false],
    ['three users, 10 of 20 calls', `${'123'.repeat(3)}1${'a'.repeat(10)}`, true],
    ['three users, 9 of 20 calls', '123'.repeat(3) + 'a'.repeat(11), false],
    ['three users, two of them with one call', `${'1'.repeat(18)}23`, false],
    ['three users, 19 calls', `${'123'.repeat(6)}1`, false],
    ['together with failed calls', `123${'f'.repeat(7)}${'a'.repeat(10)}`, true],
    ['one user, together with failed calls', `111${'f'.repeat(7)}${'a'.repeat(10)}`, false],
  ]
  for (const [why, letters, isFailing] of rows) t.equal(recentCalls(letters).isFailing(0), isFailing, why)
})

t.test('calls count for 30 s, and a node is failing for at least as long', async (t) => {
  const spread = (lastAt: number) => {
    const calls = recentCalls('f'.repeat(10))
    for (let time = 0; time < 10; time++) calls.failed(false, lastAt)
    return calls.isFailing(lastAt)
  }
  t.equal(spread(26_999), true)
  t.equal(spread(30_000), false, 'the first calls have expired')

  const calls = recentCalls('f'.repeat(20))
  t.equal(calls.isFailing(0), true)
  t.equal(calls.isFailing(29_999), true)
  t.equal(calls.isFailing(30_000), false)

  const recovered = recentCalls('f'.repeat(20))
  t.equal(recovered.isFailing(0), true)
  for (let time = 0; time < 100; time++) recovered.answered()
  t.equal(recovered.isFailing(29_999), true, 'it is tried again after 30 s, not at once')
  t.equal(recovered.isFailing(30_000), false)

  const silent = recentCalls('sssss')
  t.equal(silent.isFailing(29_999), true)
  t.equal(silent.isFailing(30_000), false)
  silent.failed(true, 30_000)
  t.equal(silent.isFailing(30_000), true, 'another request without an answer')
})

t.test('nothing is known of the calls of a node that answers again', async (t) => {
  const calls = recentCalls('sssss')
  calls.clear()
  t.equal(calls.isFailing(0), false)
  t.equal(calls.isSilent, false)
  calls.failed(false, 0)
  t.equal(calls.isFailing(0), false)
})

t.test('the rate is that of the last calls', async (t) => {
  const calls = recentCalls('')
  t.equal(calls.perSecond(0), 0)
  for (let now = 0; now < 9_000; now += 10) {
    if (now % 3_000 === 0) calls.isFailing(now)
    calls.answered()
  }
  t.equal(Math.round(calls.perSecond(9_000)), 100)
  t.equal(calls.perSecond(60_000), 0)
})
