import t from 'tap'
import { LogPace } from '../../../../../src/gateway/nodes/answers/log-pace.js'

t.test('logs wait for the next turn of the event loop when the time of a turn is used up', async (t) => {
  const pace = new LogPace()
  const worked = (milliseconds: number) => pace.worked(performance.now() - milliseconds)
  t.equal(worked(0), undefined, 'short work goes on')
  let hasTurned = false
  setImmediate(() => {
    hasTurned = true
  })
  const nextTurn = worked(100)
  t.ok(nextTurn)
  t.equal(worked(0), nextTurn, 'all answers wait for the same turn')
  await nextTurn
  t.ok(hasTurned, 'other work of the turn came first')
  t.equal(worked(0), undefined, 'the next turn has its own time')
})
