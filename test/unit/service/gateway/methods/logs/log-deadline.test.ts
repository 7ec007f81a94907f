import { once } from 'node:events'
import t from 'tap'
import { LogDeadline } from '../../../../../../src/service/gateway/methods/logs/log-deadline.js'

t.test('the signal aborts at the deadline with the reason', async (t) => {
  const deadline = new LogDeadline(5, () => 'over')
  await once(deadline.signal, 'abort')
  t.equal(deadline.signal.reason, 'over')
})

t.test('a pause stops the clock', async (t) => {
  const deadline = new LogDeadline(1, () => 'over')
  deadline.pause()
  deadline.pause()
  await once(new LogDeadline(20, () => 'a longer time').signal, 'abort')
  t.equal(deadline.signal.aborted, false)
  deadline.resume()
  deadline.resume()
  await once(deadline.signal, 'abort')
  deadline.resume()
  t.equal(deadline.signal.reason, 'over')
})

t.test('a cancelled deadline stays cancelled', async (t) => {
  const deadline = new LogDeadline(60_000, () => 'over')
  deadline.end('given up')
  deadline.resume()
  t.equal(deadline.signal.reason, 'given up')
})
