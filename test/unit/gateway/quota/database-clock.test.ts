import t from 'tap'
import { createDatabaseClock } from '../../../../src/gateway/quota/database-clock.js'

t.test('the clock of a test is taken as it is', async (t) => {
  const clock = createDatabaseClock(() => new Date(1_000))
  clock.asking()(99)
  t.equal(clock.now(), 1_000)
})

t.test('it follows what the database tells, and is never behind', async (t) => {
  const clock = createDatabaseClock()
  const told = clock.asking()
  const databaseTime = Date.UTC(2030, 0, 1)
  told(databaseTime)
  const now = clock.now()
  t.ok(now >= databaseTime, 'time passes between question and answer')
  t.ok(now < databaseTime + 5_000)
})
