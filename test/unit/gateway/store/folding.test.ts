import t from 'tap'
import { createFolding } from '../../../../src/gateway/store/folding.js'
import { BUCKETS, bucketOf, bucketsOf } from '../../../../src/gateway/store/journals.js'

const everyBucket = Array.from({ length: BUCKETS }, (_, bucket) => bucket)
const looked = async (seen: readonly unknown[], times: number) => {
  while (seen.length < times) await new Promise((resolve) => setTimeout(resolve, 1))
}

t.test('an id has one bucket, and many ids are spread over all', (t) => {
  t.equal(bucketOf('key_4t1r'), bucketOf('key_4t1r'))
  const ids = Array.from({ length: 1_000 }, (_, n) => `key_${n}`)
  t.same(
    [...bucketsOf(ids)].sort((a, b) => a - b),
    everyBucket,
  )
  t.same(bucketsOf(['usr_1', 'usr_1']), [bucketOf('usr_1')])
  t.end()
})

t.test(
  'every bucket is looked at after the start, then those alone where something was journaled',
  async (t) => {
    const seen: number[] = []
    let rounds = 0
    const folding = createFolding({
      fold: async (buckets) => void seen.push(...buckets),
      afterRound: async () => {
        rounds += 1
      },
      onError: (error) => t.fail(`${error}`),
      tickMilliseconds: 1,
    })
    await looked(seen, 2 * BUCKETS)
    t.same(seen.splice(0), [...everyBucket, ...everyBucket])
    folding.wake([5, 9])
    await looked(seen, 4)
    t.same(seen, [5, 9, 5, 9], 'twice, for what was too young at first')
    while (rounds < 4) await new Promise((resolve) => setTimeout(resolve, 1))
    await folding.close()
    folding.wake([5])
    t.same([seen.length, rounds], [4, 4])
  },
)

t.test('what the database did not do is done when it is back, and told once', async (t) => {
  const errors: unknown[] = []
  const tried: number[] = []
  let isDown = true
  const folding = createFolding({
    async fold(buckets) {
      tried.push(...buckets)
      if (isDown) throw new Error('down')
    },
    afterRound: async () => undefined,
    onError: (error) => errors.push(error),
    tickMilliseconds: 1,
  })
  await looked(tried, 3)
  isDown = false
  const failed = tried.length
  t.ok(tried.every((bucket) => bucket === 0))
  await looked(tried, failed + 2)
  t.same(tried.slice(failed, failed + 2), [0, 1])
  t.match(errors, [{ message: 'down' }])
  await folding.close()
})

t.test('what is known is put together in four rounds of five, and added up in the fifth', async (t) => {
  const work: (readonly ['fold' | 'pack', number])[] = []
  let rounds = 0
  const folding = createFolding({
    fold: async (buckets) => void work.push(...buckets.map((bucket) => ['fold', bucket] as const)),
    pack: async (buckets) => void work.push(...buckets.map((bucket) => ['pack', bucket] as const)),
    afterRound: async () => {
      rounds += 1
    },
    onError: (error) => t.fail(`${error}`),
    tickMilliseconds: 1,
  })
  while (rounds < 5) await new Promise((resolve) => setTimeout(resolve, 1))
  for (const bucket of [0, 7, 8, 63]) {
    const done = work.slice(0, 5 * BUCKETS).filter(([, each]) => each === bucket)
    t.same(done.map(([what]) => what).sort(), ['fold', 'pack', 'pack', 'pack', 'pack'], `bucket ${bucket}`)
  }
  while (rounds < 10) await new Promise((resolve) => setTimeout(resolve, 1))
  const done = work.length
  await new Promise((resolve) => setTimeout(resolve, 20))
  t.equal(work.length, done, 'after it has been added up twice, nothing is left to do')
  await folding.close()
})
