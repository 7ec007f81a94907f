import t from 'tap'
import { createLeaseSource } from '../../../../../src/service/gateway/quota/lease-source.js'
import type { LeaseQuestion } from '../../../../../src/service/gateway/quota/lease-statements.js'
import { until } from '../../../../support/until.js'
import { leaseTimeoutMs } from '../../../../support/user-quota.js'

const question = (n: number): LeaseQuestion => ({
  subject: `usr_${n}`,
  period: 'day',
  limit: 10,
  wanted: 1,
  most: 100,
})
const lease = (granted: number) => ({ startsOn: '2030-01-01', size: 1, granted, databaseTime: 0 })
const never = () => t.fail('no lease arrives too late in these tests')

/** A database whose answers the test controls. It records which requests came together. */
function database() {
  const statements: {
    readonly questions: readonly LeaseQuestion[]
    answer(): void
    fail(error: Error): void
  }[] = []
  const take = (questions: readonly LeaseQuestion[]) =>
    new Promise<ReturnType<typeof lease>[]>((resolve, reject) => {
      statements.push({ questions, answer: () => resolve(questions.map((_, n) => lease(n))), fail: reject })
    })
  const asked = async (count: number) => {
    await until(() => statements.length >= count)
  }
  return { statements, take, asked }
}

t.test(
  'requests of one event loop turn share a query, later ones share the next, and each gets its own answer',
  async (t) => {
    const { statements, take, asked } = database()
    const source = createLeaseSource(take, never, leaseTimeoutMs)
    const answers = [source.ask(question(1))]
    await asked(1)
    t.same(statements[0]?.questions, [question(1)])
    answers.push(...[2, 3, 4].map((n) => source.ask(question(n))))
    await asked(2)
    t.same(statements[1]?.questions, [2, 3, 4].map(question))
    const later = [5, 6].map((n) => source.ask(question(n)))
    statements[0]?.answer()
    statements[1]?.answer()
    t.same(
      (await Promise.all(answers)).map(({ granted }) => granted),
      [0, 0, 1, 2],
    )
    await asked(3)
    t.same(statements[2]?.questions, [5, 6].map(question))
    statements[2]?.answer()
    await Promise.all(later)
  },
)

t.test('a failed statement rejects all its requests, and no others', async (t) => {
  const { statements, take, asked } = database()
  const source = createLeaseSource(take, never, leaseTimeoutMs)
  const first = source.ask(question(1))
  await asked(1)
  const others = Promise.allSettled([2, 3].map((n) => source.ask(question(n))))
  await asked(2)
  statements[1]?.fail(new Error('down'))
  statements[0]?.answer()
  t.match(await first, { size: 1 })
  t.same(
    (await others).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
})

t.test('a request that waits too long is refused, and its late lease is returned', async (t) => {
  const late: string[] = []
  const { statements, take } = database()
  const source = createLeaseSource(take, ({ subject }) => late.push(subject))
  const first = source.ask(question(1))
  const second = source.ask(question(2))
  const third = source.ask(question(3))
  for (const each of [first, second, third])
    await t.rejects(each, { name: 'QueryError', message: /within 2000 ms/ })
  for (const { answer } of statements) answer()
  while (late.length < 3) await new Promise(setImmediate)
  t.same(late.sort(), ['usr_1', 'usr_2', 'usr_3'])
})
