import t from 'tap'
import { withDeadline } from '../../../src/gateway/upstream/deadline.js'

/** Ends with the reason of the deadline that it is given. */
const untilAborted = (deadline: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (deadline.aborted) reject(deadline.reason)
    deadline.addEventListener('abort', () => reject(deadline.reason))
  })

t.test('a deadline that passes is a TimeoutError', async (t) => {
  await t.rejects(withDeadline(1, undefined, untilAborted), { name: 'TimeoutError' })
})

t.test("a caller who leaves, before or during the run, aborts it with the caller's reason", async (t) => {
  const reason = new DOMException('left', 'AbortError')
  await t.rejects(withDeadline(60_000, AbortSignal.abort(reason), untilAborted), reason)
  const caller = new AbortController()
  const run = withDeadline(60_000, caller.signal, untilAborted)
  caller.abort(reason)
  await t.rejects(run, reason)
})

t.test('what ends in time leaves no deadline behind', async (t) => {
  let seen: AbortSignal | undefined
  const caller = new AbortController()
  const run = async (deadline: AbortSignal) => {
    seen = deadline
    return 7
  }
  t.equal(await withDeadline(60_000, caller.signal, run), 7)
  caller.abort()
  t.equal(seen?.aborted, false)
})
