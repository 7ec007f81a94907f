import { sql } from 'drizzle-orm'
import t from 'tap'
import { deleteExpired } from '../../../../../src/service/gateway/accounts/index.js'
import { sessions, users, verifications } from '../../../../../src/service/gateway/store/index.js'
import { bothDatabases } from '../../../../support/databases.js'

for (const [name, { db }] of await bothDatabases(t))
  t.test(`${name}: expired sessions and links are deleted, others stay`, async (t) => {
    const [over, live] = [sql`now() - interval '1 second'`, sql`now() + interval '1 minute'`]
    await db.insert(users).values({ id: 'usr_1', origin: 'dashboard', email: 'ada@example.com' })
    for (const [id, expiresAt] of [
      ['over', over],
      ['live', live],
    ] as const) {
      await db.insert(sessions).values({ id, token: id, userId: 'usr_1', ipAddress: '192.0.2.1', expiresAt })
      await db.insert(verifications).values({ id, identifier: id, value: 'usr_1', expiresAt })
    }
    t.equal(await deleteExpired(db), false)
    t.same(await db.select({ id: sessions.id }).from(sessions), [{ id: 'live' }])
    t.same(await db.select({ id: verifications.id }).from(verifications), [{ id: 'live' }])
  })
