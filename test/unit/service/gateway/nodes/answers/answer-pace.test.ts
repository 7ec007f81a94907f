import t from 'tap'
import { AnswerPace, paceLimits } from '../../../../../../src/service/gateway/nodes/answers/answer-pace.js'

const { bytesPerSecond, servedMs } = paceLimits

/** A pace with a clock of its own. */
function paceOf() {
  let now = 0
  let due: { readonly at: number; run(): void }[] = []
  const pace = new AnswerPace({
    now: () => now,
    after: (milliseconds, run) => due.push({ at: now + milliseconds, run }),
  })
  const read: string[] = []
  /** Works on pieces of an answer, and records when each was begun. */
  const answer = async (
    user: string,
    pieces: number,
    work: number,
    bytes = 0,
    request = { hasEnded: false },
  ) => {
    for (let piece = 0; piece < pieces; piece++) {
      await pace.turn(user, request)
      if (request.hasEnded) return
      read.push(`${user} at ${now}`)
      const from = now
      now += work
      pace.worked(user, from, bytes)
    }
  }
  /** Advances the clock until nothing waits. */
  const run = async (onTurn: () => void = () => undefined) => {
    for (;;) {
      await new Promise(setImmediate)
      const [next] = due.sort((one, other) => one.at - other.at)
      if (next === undefined) return
      due = due.filter((other) => other !== next)
      now = Math.max(now, next.at)
      onTurn()
      next.run()
    }
  }
  return { pace, answer, run, read, now: () => now }
}

t.test('without other users, answers only wait for the next turn of the event loop', async (t) => {
  const { pace, answer, run, read } = paceOf()
  pace.served('a', 0)
  const all = [answer('a', 8, 1, 1e9), answer('a', 2, 1)]
  await run()
  await Promise.all(all)
  t.equal(read.length, 10)
  t.equal(read.at(-1), 'a at 9', 'no time passes without work')
})

t.test('while others are served, answers take a quarter of the time', async (t) => {
  const { pace, answer, run, now } = paceOf()
  pace.served('b', 0)
  const all = answer('a', 100, 1)
  await run(() => pace.served('b', now()))
  await all
  t.ok(now() >= 390 && now() <= 400, `${now()} ms`)
})

t.test('while others are served, the bytes a second are limited', async (t) => {
  const { pace, answer, run, now } = paceOf()
  const piece = 65_536
  pace.served('b', 0)
  const all = answer('a', 512, 0.01, piece)
  await run(() => pace.served('b', now()))
  await all
  const perSecond = (512 * piece * 1_000) / now()
  t.ok(Math.abs(perSecond / bytesPerSecond - 1) < 0.01, `${perSecond} bytes a second`)
})

t.test('the rest ends when others are no longer served', async (t) => {
  const { pace, answer, run, now } = paceOf()
  pace.served('b', 0)
  const all = answer('a', 1_000, 1)
  await run()
  await all
  t.ok(now() < 1_000 + servedMs, `${now()} ms`)
})

t.test('users take turns, and answers that were left take none', async (t) => {
  const { pace, answer, run, read, now } = paceOf()
  const left = { hasEnded: false }
  pace.served('d', 0)
  await answer('a', 1, 10)
  const all = [answer('a', 3, 10), answer('a', 1, 10, 0, left), answer('b', 2, 10), answer('c', 1, 10)]
  left.hasEnded = true
  await run(() => pace.served('d', now()))
  await Promise.all(all)
  t.same(read, ['a at 0', 'a at 40', 'b at 80', 'c at 120', 'a at 160', 'b at 200', 'a at 240'])
})

t.test(
  'the requests of a user and of the service itself do not slow down the answers of that user',
  async (t) => {
    const { pace, answer, run, now } = paceOf()
    const all = answer('a', 100, 1)
    await run(() => {
      pace.served('a', now())
      pace.served(undefined, now())
    })
    await all
    t.equal(now(), 100)
  },
)
