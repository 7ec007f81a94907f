import t from 'tap'
import { mapConcurrently } from '../../../../../src/runtime/server/protocol/promises.js'

/** Uses the processor for so many milliseconds. */
function work(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

t.test('all batches of a process share the time of an event-loop turn', async (t) => {
  let done = 0
  const batches = Array.from({ length: 20 }, () =>
    mapConcurrently(3, 3, () => {
      work(6)
      done += 1
    }),
  )
  // The turn is over after two tasks; each batch starts one nevertheless.
  t.ok(done <= batches.length + 1, `${done} tasks in the first turn`)
  await Promise.all(batches)
  t.equal(done, 60)
})
