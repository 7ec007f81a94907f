import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { createKeys } from '../../../../../src/service/gateway/keys/index.js'
import {
  createSecurityLog,
  deleteOldSecurityEvents,
  recordKeyEvents,
} from '../../../../../src/service/gateway/security-log/index.js'
import { createSecret, securityEvents, users } from '../../../../../src/service/gateway/store/index.js'
import { bothDatabases } from '../../../../support/databases.js'

const secret = createSecret('the secret of these tests, long enough')
const bounds = { securityEventsPerAccount: 3, failedLogInEventsPerAccount: 2, securityEventDays: 90 }
const from = { address: '192.0.2.1', headers: { 'user-agent': 'x'.repeat(1_000) } }
const fail = (error: unknown) => {
  throw error
}

for (const [name, { db, server }] of await bothDatabases(t)) {
  const log = createSecurityLog(db, bounds, fail)
  const newUser = async () => {
    const [id, email] = [`usr_${randomUUID()}`, `${randomUUID()}@Example.com`]
    await db.insert(users).values({ id, email, origin: 'dashboard' })
    return { userId: id, email }
  }
  const kinds = async (userId: string) => (await log.list(userId, 100)).map(({ kind }) => kind)

  t.test(`${name}: events are read from every replica, the latest first, by id and by address`, async (t) => {
    const { userId, email } = await newUser()
    const other = createSecurityLog(db, bounds, fail)
    await other.note({ of: { userId }, kind: 'sign-up', from })
    await log.note({ of: { email: email.toLowerCase() }, kind: 'log-in', actor: 'user', detail: 'it’s' })
    await log.note({ of: { email: 'nobody@example.com' }, kind: 'log-in' })
    const [second, first] = await log.list(userId, 100)
    t.match(second, { kind: 'log-in', actor: 'user', address: null, userAgent: null, detail: 'it’s' })
    t.match(first, { kind: 'sign-up', address: '192.0.2.1', detail: '' })
    t.equal(first?.userAgent?.length, 300, 'long texts are cut')
    t.same(
      (await other.list(userId, 1)).map(({ id }) => id),
      [second?.id],
    )
  })

  t.test(`${name}: both bounds hold, and failed log-ins take no room of other events`, async (t) => {
    const { userId } = await newUser()
    for (const kind of ['sign-up', 'log-in', 'password-changed', 'key-created'] as const)
      await log.note({ of: { userId }, kind })
    for (let count = 0; count < 4; count += 1) await log.note({ of: { userId }, kind: 'log-in-failed' })
    t.same(await kinds(userId), [
      ...['log-in-failed', 'log-in-failed'],
      ...['key-created', 'password-changed', 'log-in'],
    ])
    for (let count = 0; count < 4; count += 1) await log.note({ of: { userId }, kind: 'proof-failed' })
    t.equal(
      (await kinds(userId)).filter((kind) => kind.endsWith('-failed')).length,
      4,
      'kinds of failures apart',
    )
  })

  t.test(`${name}: a frequent kind of events takes no room of others`, async (t) => {
    const { userId } = await newUser()
    await log.note({ of: { userId }, kind: 'log-in', detail: 'first' })
    await log.note({ of: { userId }, kind: 'log-in', detail: 'second' })
    for (let count = 0; count < 9; count += 1)
      for (const kind of ['key-disabled', 'key-enabled'] as const) await log.note({ of: { userId }, kind })
    const left = await log.list(userId, 100)
    t.same(
      left.map(({ kind }) => kind),
      ['key-enabled', 'key-disabled', 'log-in'],
    )
    t.equal(left.at(-1)?.detail, 'second')
  })

  t.test(`${name}: events end with their age, and with their account`, async (t) => {
    const { userId } = await newUser()
    await log.note({ of: { userId }, kind: 'sign-up' })
    await log.note({ of: { userId }, kind: 'log-in' })
    await db
      .update(securityEvents)
      .set({ at: sql`now() - interval '91 days'` })
      .where(sql`user_id = ${userId} and kind = 'sign-up'`)
    t.same(await kinds(userId), ['log-in'], 'too old')
    t.equal(await deleteOldSecurityEvents(db, bounds), false)
    const count = () => db.$count(securityEvents, eq(securityEvents.userId, userId))
    t.equal(await count(), 1)
    await db.delete(users).where(eq(users.id, userId))
    t.equal(await count(), 0)
  })

  t.test(`${name}: changes of keys are noted with who made them`, async (t) => {
    const full = createSecurityLog(db, limits, fail)
    const keys = createKeys({ store: { db, server }, secret, limits })
    const byUser = recordKeyEvents(keys, full, 'user')
    const user = { origin: 'cli', email: (await newUser()).email } as const
    const { key } = await byUser.create({ user, network: 'test', name: 'wallet' })
    await byUser.rotate(key.id)
    await byUser.disable(key.id)
    await byUser.enable(key.id)
    const publicKey = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' })
    await byUser.addJwtKey(key.id, { id: 'app', publicKey })
    await byUser.removeJwtKey(key.id, 'app')
    await byUser.endGrace(key.id)
    await byUser.set(key.id, { name: 'purse', access: { origins: null, methods: ['eth_chainId'] } })
    await recordKeyEvents(keys, full, 'command-line').set(key.id, { dailyLimit: 5, monthlyLimit: null })
    await recordKeyEvents(keys, full, 'operator').setDisabledByOperator(key.id, true)
    await t.rejects(byUser.rotate('key_none'), { code: 'key_unknown' })
    await recordKeyEvents(keys, full, 'command-line').delete(key.id)
    const events = await full.list(key.userId, 100)
    t.same(
      events.map(({ kind, actor, detail }) => `${kind} ${actor} ${detail}`),
      [
        'key-deleted command-line purse',
        'key-disabled operator purse',
        'key-changed command-line purse (requests per day, requests per month removed)',
        'key-changed user purse (name, origins removed, methods)',
        'key-changed user wallet (old URL ended)',
        'key-changed user wallet (public key app removed)',
        'key-changed user wallet (public key app added)',
        'key-enabled user wallet',
        'key-disabled user wallet',
        'key-rotated user wallet',
        'key-created user wallet',
      ],
    )
  })
}
