import t from 'tap'
import { coalesceReads } from '../../../../../src/service/gateway/dashboard/metrics/coalesce-reads.js'

t.test('concurrent readers of one name share a read, and readers of other names do not', async (t) => {
  const asked: string[] = []
  const read = coalesceReads(async (name) => `${name} ${asked.push(name)}`, 100_000)
  t.same(await Promise.all([read('one'), read('other'), read('one')]), ['one 1', 'other 2', 'one 1'])
  t.equal(await read('one'), 'one 1', 'also shortly after')
})

t.test('an outdated value is read again', async (t) => {
  let count = 0
  const read = coalesceReads(async () => {
    count += 1
    return count
  }, 5)
  t.equal(await read('one'), 1)
  while ((await read('one')) === 1) await new Promise(setImmediate)
  t.ok((await read('one')) >= 2)
})

t.test('a failed read rejects every waiting reader, and no later one', async (t) => {
  let fails = true
  const read = coalesceReads(async () => {
    if (fails) throw new TypeError('no database')
    return 'read'
  }, 100_000)
  await t.rejects(Promise.all([read('one'), read('one')]), { message: 'no database' })
  fails = false
  t.equal(await read('one'), 'read')
})
