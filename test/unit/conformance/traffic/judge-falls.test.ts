import t from 'tap'
import { judgeFalls } from '../../../../src/conformance/traffic/judge-falls.js'
import type { Seen } from '../../../../src/conformance/traffic/seen.js'

const form = {
  kind: 'falls',
  header: 'ratelimit',
  pattern: String.raw`r=(\d+)`,
  by: undefined,
  resets: String.raw`t=(\d+)$`,
} as const

/** An answer: when it was sent and received, in seconds, and what it states. */
type Row = readonly [sent: number, received: number, left: number, seconds: number]

function violations(rows: readonly Row[]): number {
  const judge = judgeFalls(form)
  for (const [sent, received, left, seconds] of rows)
    judge.see?.({
      exchange: { reply: { status: 200, headers: { ratelimit: `r=${left};t=${seconds}` }, bytes: [] } },
      ...{ sent: sent * 1_000, received: received * 1_000, clock: received * 1_000, key: '1' },
      charged: { kind: 'a single request', charge: { least: 1, most: 1, worst: 1 } },
    } as unknown as Seen)
  return judge.verdict().violated
}

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
