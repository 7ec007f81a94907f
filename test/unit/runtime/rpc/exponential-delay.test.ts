import t from 'tap'
import { exponentialDelay } from '../../../../src/runtime/rpc/index.js'

t.test('a delay doubles with each failure up to the longest one', async (t) => {
  t.same(
    [1, 2, 3, 4, 5, 2_000].map((failures) => exponentialDelay(failures, 0.5, 4)),
    [0.5, 1, 2, 4, 4, 4],
  )
})
