import t from 'tap'
import type { SettlementBatch } from '../../../../src/gateway/quota/lease-table.js'
import { createSettlements } from '../../../../src/gateway/quota/settlements.js'

const of = (subject: string, used: number, returned: number, startsOn = '2030-01-01') => ({
  subject,
  period: 'day' as const,
  startsOn,
  used,
  returned,
})

t.test('a subject and window is written once, with everything that was added', async (t) => {
  const written: SettlementBatch[] = []
  const settlements = createSettlements(
    async (all) => void written.push(all),
    () => t.fail(),
  )
  settlements.add(of('a', 1, 0))
  settlements.add(of('a', 2, 3))
  settlements.add(of('a', 5, 0, '2030-01-02'))
  settlements.add({ ...of('a', 7, 0), period: 'month' })
  settlements.add(undefined)
  t.ok(settlements.waiting())
  await settlements.finish()
  const together = [of('a', 3, 3), of('a', 5, 0, '2030-01-02'), { ...of('a', 7, 0), period: 'month' }]
  t.same(written, [{ number: 1, settlements: together }])
  t.notOk(settlements.waiting())
  await settlements.finish()
  t.equal(written.length, 1, 'nothing to write, nothing written')
})

t.test('a batch that failed is written again as it was, before what was added since', async (t) => {
  const tried: SettlementBatch[] = []
  const errors: unknown[] = []
  let broken = true
  const settlements = createSettlements(
    async (batch) => {
      tried.push(batch)
      if (broken) throw new Error('down')
    },
    (error) => errors.push(error),
  )
  settlements.add(of('a', 2, 7))
  await settlements.finish()
  t.match(errors, [{ message: 'down' }])
  settlements.add(of('a', 1, 0))
  broken = false
  settlements.write()
  t.equal(tried.length, 1, 'not at once: the database is given time')
  await settlements.finish()
  t.same(tried, [
    { number: 1, settlements: [of('a', 2, 7)] },
    { number: 1, settlements: [of('a', 2, 7)] },
    { number: 2, settlements: [of('a', 1, 0)] },
  ])
  t.notOk(settlements.waiting())
})

t.test('what is added while a write is under way waits for the next', async (t) => {
  const written: SettlementBatch[] = []
  let answer: () => void = t.fail
  const settlements = createSettlements(
    async (all) => {
      written.push(all)
      await new Promise<void>((resolve) => {
        answer = resolve
      })
    },
    () => t.fail(),
  )
  settlements.add(of('a', 1, 0))
  settlements.write()
  settlements.add(of('a', 2, 0))
  settlements.write()
  t.equal(written.length, 1)
  answer()
  const finished = settlements.finish()
  await new Promise(setImmediate)
  answer()
  await finished
  t.same(
    written.map(({ settlements: each }) => each),
    [[of('a', 1, 0)], [of('a', 2, 0)]],
  )
})
