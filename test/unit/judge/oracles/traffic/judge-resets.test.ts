import t from 'tap'
import { judgeResets } from '../../../../../src/judge/oracles/traffic/judge-resets.js'
import type { Seen } from '../../../../../src/judge/oracles/traffic/seen.js'
import type { HeaderNumber } from '../../../../../src/judge/scenario/invariant.js'

const day = 86_400
const form = { header: 'ratelimit', pattern: String.raw`;t=(\d+)$` } as HeaderNumber

/** The violations of an answer at noon UTC, a number of seconds after its request was sent. */
function violations(stated: number, afterSeconds: number): number {
  const judge = judgeResets(form, day)
  const headers = { date: 'Sun, 17 May 2026 12:00:00 GMT', ratelimit: `"daily";r=1;t=${stated}` }
  judge.see?.({
    exchange: { reply: { status: 200, headers } },
    ...{ sent: 0, received: afterSeconds * 1_000, clock: 0, key: '1' },
  } as unknown as Seen)
  return judge.verdict().violated
}

t.test('seconds until a reset are judged from the request to the answer', async (t) => {
  const rows: readonly (readonly [stated: number, afterSeconds: number, violations: number])[] = [
    [day / 2, 0, 0],
    [day / 2 + 5, 0, 0],
    [day / 2 + 6, 0, 1],
    [day / 2 - 5, 0, 0],
    [day / 2 - 6, 0, 1],
    [day / 2 + 12, 7, 0],
    [day / 2 + 13, 7, 1],
    [day / 2 - 6, 7, 1],
    [day / 2 + 7_200, 7, 1],
  ]
  for (const [stated, afterSeconds, expected] of rows)
    t.equal(violations(stated, afterSeconds), expected, `${stated} s, answered after ${afterSeconds} s`)
})
