import t from 'tap'
import { createDatabaseClock } from '../../../../../src/service/gateway/quota/quota.js'

t.test('a given clock is used as it is', async (t) => {
  const clock = createDatabaseClock(() => new Date(1_000))
  clock.asking()(99)
  t.equal(clock.now(), 1_000)
})

t.test('the clock follows the database time and never lags behind it', async (t) => {
  const clock = createDatabaseClock()
  const told = clock.asking()
  const databaseTime = Date.UTC(2030, 0, 1)
  told(databaseTime)
  const now = clock.now()
  t.ok(now >= databaseTime, 'time passes between query and answer')
  t.ok(now < databaseTime + 5_000)
})
