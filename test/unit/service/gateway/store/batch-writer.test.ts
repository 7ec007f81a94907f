import t from 'tap'
import { type Batch, createBatchWriter } from '../../../../../src/service/gateway/store/index.js'
import { until } from '../../../../support/until.js'

t.test('rows are written in numbered batches, one after another', async (t) => {
  const written: Batch<number>[] = []
  const answers: (() => void)[] = []
  const writer = createBatchWriter<number>(
    (batch) => {
      written.push(batch)
      return new Promise<void>((resolve) => answers.push(resolve))
    },
    () => t.fail(),
  )
  t.notOk(writer.isBusy())
  const all = writer.write(Array.from({ length: 1_500 }, (_, n) => n))
  const more = writer.write([7])
  t.ok(writer.isBusy())
  for (const rows of [1_000, 500, 1]) {
    t.equal(written.at(-1)?.rows.length, rows)
    answers.at(-1)?.()
    await new Promise(setImmediate)
  }
  await Promise.all([all, more])
  t.notOk(writer.isBusy())
  t.same(
    written.map(({ number }) => number),
    [1, 2, 3],
  )
  await writer.write([])
  await writer.close()
  t.equal(written.length, 3, 'without rows there is no write')
})

t.test('a failed batch is retried with its number before later rows', async (t) => {
  const tried: Batch<string>[] = []
  const errors: unknown[] = []
  let broken = true
  const writer = createBatchWriter<string>(
    async (batch) => {
      tried.push(batch)
      if (broken) throw new Error('down')
    },
    (error) => errors.push(error),
  )
  await writer.write(['a'])
  t.match(errors, [{ message: 'down' }])
  t.ok(writer.isBusy())
  broken = false
  await writer.write(['b'])
  t.equal(tried.length, 1, 'the next attempt waits a second')
  await until(async () => {
    await writer.write([])
    return !writer.isBusy()
  })
  t.same(tried, [
    { number: 1, rows: ['a'] },
    { number: 1, rows: ['a'] },
    { number: 2, rows: ['b'] },
  ])
})

t.test('shutdown retries immediately, and only once', async (t) => {
  const tried: Batch<string>[] = []
  let broken = true
  const writer = createBatchWriter<string>(
    async (batch) => {
      tried.push(batch)
      if (broken) throw new Error('down')
    },
    () => undefined,
  )
  await writer.write(['a'])
  await writer.close()
  t.equal(tried.length, 2)
  t.ok(writer.isBusy())
  broken = false
  await writer.close()
  t.same(
    tried.map(({ number }) => number),
    [1, 1, 1],
  )
  t.notOk(writer.isBusy())
})
