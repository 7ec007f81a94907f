import t from 'tap'
import { judgeFalls } from '../../../../../src/judge/oracles/traffic/judge-falls.js'
import type { Seen } from '../../../../../src/judge/oracles/traffic/seen.js'

const form = {
  kind: 'falls',
  header: 'ratelimit',
  pattern: String.raw`r=(\d+)`,
  by: undefined,
  resets: String.raw`t=(\d+)$`,
} as const

/** An answer: when it was sent and received, in seconds, and what it states. */
type Row = readonly [sent: number, received: number, left: number, seconds: number]

function verdictOf(rows: readonly Row[]) {
  const judge = judgeFalls(form)
  for (const [sent, received, left, seconds] of rows)
    judge.see?.({
      exchange: { reply: { status: 200, headers: { ratelimit: `r=${left};t=${seconds}` }, bytes: [] } },
      ...{ sent: sent * 1_000, received: received * 1_000, clock: received * 1_000, key: '1' },
      charged: { kind: 'a single request', charge: { least: 1, most: 1, worst: 1 } },
    } as unknown as Seen)
  return judge.verdict()
}

const violations = (rows: readonly Row[]) => verdictOf(rows).violated

t.test('remaining requests may rise only at a reset', (t) => {
  // A slow answer states the seconds of its arrival, two minutes before.
  const slow: Row = [1, 121, 8, 999]
  const rows: readonly (readonly [string, readonly Row[], number])[] = [
    ['a fall', [[0, 1, 9, 1_000], slow, [122, 123, 7, 878]], 0],
    ['a rise after a slow answer', [[0, 1, 9, 1_000], slow, [122, 123, 9, 878]], 1],
    ['a rise in a slow answer', [[0, 1, 7, 1_000], slow], 1],
    ['a reset', [[0, 1, 9, 1_000], slow, [1_001, 1_002, 99, 86_399]], 0],
    [
      'a reset that a slow answer shows',
      [
        [990, 991, 9, 10],
        [1_001, 1_121, 99, 86_399],
      ],
      0,
    ],
  ]
  for (const [name, answers, expected] of rows) t.equal(violations(answers), expected, name)
  t.end()
})

t.test('a reset that is more than a minute later begins the next window', (t) => {
  const rise = (seconds: number) =>
    violations([
      [0, 0.5, 9, 100],
      [1, 1.5, 99, seconds],
    ])
  t.equal(rise(159), 1, 'a minute later')
  t.equal(rise(160), 0)
  t.end()
})

t.test('up to 16 processes explain rises, if each is seen in three answers', (t) => {
  /** The counts of processes that answer in turn. */
  const answers = (processes: number, each: number): readonly Row[] =>
    Array.from({ length: processes * each }, (_, at) => {
      const turn = Math.floor(at / processes)
      return [at, at + 0.5, 10_000 * ((at % processes) + 1) - turn, 86_400 - at]
    })
  t.match(verdictOf(answers(2, 3)), { violated: 0, undecided: /at least 2 processes/ })
  t.match(verdictOf(answers(16, 3)), { violated: 0, undecided: /at least 16 processes/ })
  t.ok(violations(answers(17, 3)) > 0, 'too many')
  t.ok(violations(answers(2, 2)) > 0, 'too few answers')
  t.end()
})

t.test('one answer compares nothing', (t) => {
  t.equal(verdictOf([[0, 0.5, 9, 100]]).compared, 0)
  t.equal(
    verdictOf([
      [0, 0.5, 9, 100],
      [1, 1.5, 8, 99],
    ]).compared,
    1,
  )
  t.end()
})
