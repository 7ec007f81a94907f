import { array, assert, constant, integer, oneof, property, record } from 'fast-check'
import t from 'tap'
import { HourlyBudget } from '../../../../../src/cli/conform/watch/hourly-budget.js'

const second = 1_000
const hour = 3_600 * second

t.test('requests refill evenly up to the burst', async (t) => {
  let at = 0
  const budget = new HourlyBudget({ perHour: 360, first: 6, burst: 20, now: () => at })
  t.equal(budget.available(), 6)
  budget.spend(6)
  t.equal(budget.available(), 0)
  at += 60 * second
  t.equal(budget.available(), 6)
  at += hour
  t.equal(budget.available(), 20)
})

t.test('no hour has more requests than its budget', async () => {
  const waits = oneof(constant(0), integer({ min: 0, max: hour / 4 }))
  const rounds = array(record({ wait: waits, share: integer({ min: 1, max: 100 }) }), { maxLength: 100 })
  const numbers = record({ perHour: integer({ min: 1, max: 500 }), burst: integer({ min: 1, max: 200 }) })
  assert(
    property(numbers, rounds, ({ perHour, burst }, rounds) => {
      let at = 0
      const sent: { readonly at: number; readonly requests: number }[] = []
      const budget = new HourlyBudget({ perHour, first: burst, burst, now: () => at })
      for (const { wait, share } of rounds) {
        at += wait
        const requests = Math.ceil((budget.available() * share) / 100)
        budget.spend(requests)
        sent.push({ at, requests })
      }
      return sent.every(({ at: from }) => {
        const within = sent.filter(({ at }) => at >= from && at < from + hour)
        return within.reduce((sum, { requests }) => sum + requests, 0) <= perHour
      })
    }),
  )
})
