import { array, assert, asyncProperty, integer, record, tuple } from 'fast-check'
import t from 'tap'
import { HourlyBudget } from '../../../../../src/cli/conform/watch/hourly-budget.js'
import { Rotation } from '../../../../../src/cli/conform/watch/rotation.js'
import { paceOf } from '../../../../../src/cli/conform/watch/watch-plan.js'
import type { Scenario } from '../../../../../src/judge/index.js'

/** Requests of a round without its cases: the head and a network number. */
const overhead = 2

const scenarios = (costs: readonly number[]) =>
  costs.map(
    (cost, at): Scenario => ({
      id: `a/${at}-${cost}`,
      group: 'a',
      scenario: 'It holds.',
      rules: [],
      effect: 'read',
      networks: [],
      needs: [],
      after: [],
      followsHead: false,
      builtIn: false,
      origin: 'file',
      steps: [],
      source: { file: 'a.yaml', line: 1 },
    }),
  )

const costOf = (sample: readonly Scenario[]) =>
  sample.reduce((sum, { id }) => sum + Number(id.split('-')[1]), overhead)

t.test(
  'every case runs within the stated duration, even if each needs as many requests as it may',
  async () => {
    // Most cases need few requests, and one needs up to two fifths of an hour's.
    const costs = tuple(
      array(integer({ min: 2, max: 20 }), { minLength: 1, maxLength: 200 }),
      integer({ min: 2, max: 200 }),
    ).map(([many, one]) => [...many, one, ...many])
    const paces = record({
      seconds: integer({ min: 30, max: 600 }),
      perHour: integer({ min: 500, max: 5000 }),
    })
    await assert(
      asyncProperty(costs, paces, async (costs, { seconds, perHour }) => {
        const all = costs.reduce((sum, cost) => sum + cost, 0)
        const largest = Math.max(...costs) + overhead
        if (largest > perHour / 2 || (perHour * seconds) / 3600 < overhead + 2) return
        const pace = paceOf({ seconds, perHour, largest, overhead, all })
        let at = 0
        const budget = new HourlyBudget({ ...pace, perHour, now: () => at })
        const rotation = new Rotation(scenarios(costs))
        for (; !rotation.isComplete && at < pace.rotation; at += seconds * 1000) {
          const requests = budget.available()
          const sample = await rotation.next(requests, [], async (cases) => costOf(cases))
          if (sample.length > 0) budget.spend(costOf(sample))
          else if (requests > 0) budget.spend(1)
        }
        if (!rotation.isComplete) throw new TypeError(`a rotation takes longer than ${pace.rotation} ms`)
      }),
      { numRuns: 300 },
    )
  },
)
