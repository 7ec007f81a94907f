import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { mailSecurityEvents } from '../../../../../src/service/gateway/accounts/index.js'
import { createSecurityLog } from '../../../../../src/service/gateway/security-log/index.js'
import { users } from '../../../../../src/service/gateway/store/index.js'
import { bothDatabases } from '../../../../support/databases.js'

t.test('only confirmed addresses receive mails about security events', async (t) => {
  for (const [name, { db }] of await bothDatabases(t)) {
    await db.insert(users).values([
      { id: 'usr_confirmed', origin: 'dashboard', email: 'ada@example.com', emailVerified: true },
      { id: 'usr_unconfirmed', origin: 'dashboard', email: 'bob@example.com' },
    ])
    const sent: string[] = []
    const fail = (error: unknown) => t.fail(String(error))
    const log = mailSecurityEvents(createSecurityLog(db, limits, fail), {
      db,
      origin: () => 'https://rpc.example.net',
      sendMail: async (to, subject) => {
        sent.push(`${to}: ${subject}`)
      },
      onError: fail,
    })
    for (const userId of ['usr_confirmed', 'usr_unconfirmed'])
      await log.note({ of: { userId }, kind: 'second-factor-reset', actor: 'operator' })
    await log.close()
    t.same(sent, ['ada@example.com: An operator turned off your second factor'], name)
    t.equal((await log.list('usr_unconfirmed', 10)).length, 1, 'the log has the event of both')
  }
})

t.test('an event of an address is mailed in whatever case the address was written', async (t) => {
  for (const [name, { db }] of await bothDatabases(t)) {
    await db
      .insert(users)
      .values({ id: 'usr_ada', origin: 'dashboard', email: 'Ada@example.com', emailVerified: true })
    const sent: string[] = []
    const fail = (error: unknown) => t.fail(String(error))
    const log = mailSecurityEvents(createSecurityLog(db, limits, fail), {
      db,
      origin: () => 'https://rpc.example.net',
      sendMail: async (to) => {
        sent.push(to)
      },
      onError: fail,
    })
    await log.note({ of: { email: 'aDA@example.com' }, kind: 'password-changed' })
    await log.close()
    t.equal((await log.list('usr_ada', 10)).length, 1, name)
    t.same(sent, ['Ada@example.com'], name)
  }
})
