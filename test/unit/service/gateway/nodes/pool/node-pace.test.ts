import t from 'tap'
import { NodePace } from '../../../../../../src/service/gateway/nodes/pool/node-pace.js'

/** Starts calls at a time until the node may be asked no more, and returns their number. */
function starts(pace: NodePace, now: number, most = 1_000): number {
  let started = 0
  for (; started < most && pace.nextAt(now) <= now; started += 1) pace.started(now)
  return started
}

t.test('a node is left alone for as long as it says', async (t) => {
  for (const [told, paused] of [
    [3_000, 3_000],
    [undefined, 1_000],
    [0, 100],
    [-60_000, 100],
    [3_600_000, 60_000],
  ] as const) {
    const pace = new NodePace(5_000, 1, 0)
    pace.refused(told, 5_000)
    t.equal(pace.nextAt(5_000), 5_000 + paused, String(told))
    t.ok(pace.isLimited(5_000))
  }
  const pace = new NodePace(5_000, 1, 0)
  pace.refused(3_000, 5_000)
  pace.refused(1_000, 5_100)
  t.equal(pace.nextAt(5_100), 8_000, 'the longest time counts')
})

t.test(
  'the rate falls by half of the refused share, down to 16 a second, and grows without a refusal',
  async (t) => {
    const pace = new NodePace(5_000, 0, 200)
    let now = 5_000
    /** Starts calls in a second, of which the node refuses a share, and waits as it says. */
    const burst = (share: number, calls = 200) => {
      const started = starts(pace, now, calls)
      for (let refused = 0; refused < started * share; refused += 1) pace.refused(1_000, now)
      now += 1_000
      return started
    }
    t.strictSame([burst(0.5), burst(0.5), burst(0.5)], [200, 150, 113])
    for (let second = 0; second < 6; second += 1) burst(1)
    t.equal(burst(1), 16)
    const free = Array.from({ length: 35 }, () => burst(0, 1_000))
    t.ok((free[5] ?? 0) > 2 * (free[0] ?? 0))
    t.notOk(pace.isLimited(now), 'half a minute after the last refusal')
    t.equal(free.at(-1), 1_000)
  },
)

t.test('calls that a node refuses at once are limited from the first second on', async (t) => {
  for (const [inFlight, perSecond, most] of [
    [1, 0, 128],
    [40, 100, 140],
  ] as const) {
    const pace = new NodePace(5_000, inFlight, perSecond)
    let started = inFlight
    for (let now = 5_000; now < 6_000; now += 1) {
      const calls = starts(pace, now)
      for (let refused = 0; refused < calls; refused += 1) pace.refused(0, now)
      started += calls
    }
    t.equal(started, most)
  }
})
