import t from 'tap'
import type { Settlement } from '../../../src/gateway/quota/lease-table.js'
import { createSettlements } from '../../../src/gateway/quota/settlements.js'

const of = (subject: string, used: number, returned: number, startsOn = '2030-01-01') => ({
  subject,
  period: 'day' as const,
  startsOn,
  used,
  returned,
})

t.test('a subject and window is written once, with everything that was added', async (t) => {
  const written: (readonly Settlement[])[] = []
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
  t.same(written, [[of('a', 3, 3), of('a', 5, 0, '2030-01-02'), { ...of('a', 7, 0), period: 'month' }]])
  t.notOk(settlements.waiting())
  await settlements.finish()
  t.equal(written.length, 1, 'nothing to write, nothing written')
})

t.test('a write that fails keeps the count and loses the lease', async (t) => {
  const written: (readonly Settlement[])[] = []
  const errors: unknown[] = []
  let broken = true
  const settlements = createSettlements(
    async (all) => {
      if (broken) throw new Error('down')
      written.push(all)
    },
    (error) => errors.push(error),
  )
  settlements.add(of('a', 2, 7))
  settlements.add(of('b', 0, 7))
  await settlements.finish()
  t.match(errors, [{ message: 'down' }])
  broken = false
  settlements.write()
  t.same(written, [], 'not at once: the database is given time')
  await settlements.finish()
  t.same(written, [[of('a', 2, 0)]], 'giving back twice would admit too much')
})

t.test('what is added while a write is under way waits for the next', async (t) => {
  const written: (readonly Settlement[])[] = []
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
  t.same(written, [[of('a', 1, 0)], [of('a', 2, 0)]])
})
