import t from 'tap'
import { onceMade } from '../../../../../src/service/gateway/util/index.js'

t.test('a value is made once for each key, also for concurrent readers', async (t) => {
  const made: string[] = []
  const read = onceMade(async (key: string) => `${key} ${made.push(key)}`)
  t.same(await Promise.all([read('one'), read('other'), read('one')]), ['one 1', 'other 2', 'one 1'])
  t.equal(await read('one'), 'one 1')
})

t.test('a failure rejects every waiting reader, and the next reader tries again', async (t) => {
  let fails = true
  const read = onceMade(async () => {
    if (fails) throw new TypeError('no memory')
    return 'made'
  })
  await t.rejects(Promise.all([read('one'), read('one')]), { message: 'no memory' })
  fails = false
  t.equal(await read('one'), 'made')
})
