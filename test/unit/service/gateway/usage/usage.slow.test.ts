import { and, eq, inArray, sql } from 'drizzle-orm'
import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { createKeys } from '../../../../../src/service/gateway/keys/index.js'
import {
  apiKeys,
  createSecret,
  quotaCounts,
  usageHours,
  usageMinutes,
} from '../../../../../src/service/gateway/store/index.js'
import { replicas } from '../../../../../src/service/gateway/store/schema.js'
import {
  createUsage,
  deleteOldUsage,
  durationBounds,
  writeUsage,
} from '../../../../../src/service/gateway/usage/index.js'
import type { UsageRow } from '../../../../../src/service/gateway/usage/usage.js'
import { bothDatabases } from '../../../../support/databases.js'
import { writeRows } from '../../../../support/written-usage.js'

const secret = createSecret('the secret of these tests, long enough')
const MINUTES_PER_HOUR = 60
const MINUTE_MS = 60_000
/** A whole hour in the past. */
const hour = Math.floor(Date.now() / MINUTE_MS / MINUTES_PER_HOUR) * MINUTES_PER_HOUR - MINUTES_PER_HOUR
/** The counts by class when all requests belong to one class. */
const ofClass = (of: number, requests = 1) =>
  [...durationBounds, Number.POSITIVE_INFINITY].map((_bound, at) => (at === of ? requests : 0))
const row = (more: Partial<UsageRow>): UsageRow => ({
  keyId: 'key_a',
  method: 'eth_call',
  code: 0,
  minute: hour,
  requests: 1,
  durations: ofClass(0),
  microseconds: 10,
  slowestMicroseconds: 10,
  nodeCalls: 0,
  free: 0,
  ...more,
})

for (const [name, store] of await bothDatabases(t)) {
  const { db } = store
  const minutesOf = (keyId: string) =>
    db
      .select()
      .from(usageMinutes)
      .where(eq(usageMinutes.keyId, keyId))
      .orderBy(usageMinutes.startsAt, usageMinutes.method, usageMinutes.code)

  t.test(`${name}: usage is summed by minute and by hour`, async (t) => {
    await writeUsage(db, 'rep_1', {
      number: 1,
      rows: [row({}), row({ code: 3 }), row({ method: '', code: -32600 })],
    })
    await writeRows(db, [
      row({ minute: hour + 59, requests: 4, durations: ofClass(0, 4), nodeCalls: 5 }),
      row({ microseconds: 10, slowestMicroseconds: 10, durations: ofClass(1), nodeCalls: 3_000_000_000 }),
      row({ microseconds: 80, slowestMicroseconds: 80, durations: ofClass(2) }),
    ])
    const at = (minute: number) => new Date(minute * MINUTE_MS)
    t.same(
      (await minutesOf('key_a')).map(
        ({ startsAt, method, code, requests, microseconds, slowestMicroseconds, nodeCalls }) => [
          startsAt,
          method,
          code,
          requests,
          microseconds,
          slowestMicroseconds,
          nodeCalls,
        ],
      ),
      [
        [at(hour), '', -32600, 1, 10, 10, 0],
        [at(hour), 'eth_call', 0, 3, 100, 80, 3_000_000_000],
        [at(hour), 'eth_call', 3, 1, 10, 10, 0],
        [at(hour + 59), 'eth_call', 0, 4, 10, 10, 5],
      ],
    )
    const [ofHour] = await db
      .select()
      .from(usageHours)
      .where(and(eq(usageHours.keyId, 'key_a'), eq(usageHours.method, 'eth_call'), eq(usageHours.code, 0)))
    const summed = { requests: 7, microseconds: 110, slowestMicroseconds: 80, nodeCalls: 3_000_000_005 }
    t.match(ofHour, { startsAt: at(hour), ...summed })
    t.same(
      ofHour?.durations,
      durationBounds.map((_bound, place) => [5, 1, 1][place] ?? 0).concat(0),
      'and so are the duration classes',
    )
  })

  t.test(`${name}: a batch that is written again changes nothing`, async (t) => {
    const batch = { number: 1, rows: [row({ keyId: 'key_b' })] }
    await Promise.all([1, 2, 3].map(() => writeUsage(db, 'rep_3', batch)))
    t.match(await minutesOf('key_b'), [{ requests: 1 }])
    await writeUsage(db, 'rep_3', { ...batch, number: 2 })
    await writeUsage(db, 'rep_3', batch)
    t.match(await minutesOf('key_b'), [{ requests: 2 }])
  })

  t.test(`${name}: calls whose write was not acknowledged count once`, async (t) => {
    let isCut = true
    const errors: unknown[] = []
    const usage = createUsage({
      async write(batch) {
        await writeUsage(db, 'rep_cut', batch)
        if (isCut) throw new Error('cut')
      },
      deleteOld: async () => false,
      onError: (error) => errors.push(error),
      usageFlushSeconds: 3_600,
      now: () => hour * MINUTE_MS,
    })
    usage.count('key_cut', 'eth_call', 0, 10, 0)
    await usage.flush(['key_cut'])
    t.match(errors, [{ message: 'cut' }])
    t.match(await minutesOf('key_cut'), [{ requests: 1 }])
    usage.count('key_cut', 'eth_call', 0, 10, 0)
    isCut = false
    await usage.close()
    t.match(await minutesOf('key_cut'), [{ requests: 2, microseconds: 20 }])
  })

  t.test(`${name}: a key stores the time of its last use`, async (t) => {
    const keys = createKeys({ store, secret, limits })
    const user = { origin: 'cli', email: 'used@example.com' } as const
    const { key } = await keys.create({ user, network: 'test', name: 'k' })
    t.equal(key.lastUsedAt, null)
    const [{ changedAt } = {}] = await db.select().from(apiKeys).where(eq(apiKeys.id, key.id))
    for (const [number, minute] of [hour, hour + 5, hour + 2].entries()) {
      await writeUsage(db, 'rep_4', { number: number + 1, rows: [row({ keyId: key.id, minute })] })
    }
    const [found] = await keys.list({ email: user.email })
    t.same(found?.lastUsedAt, new Date((hour + 5) * MINUTE_MS))
    t.match(
      await db.select().from(apiKeys).where(eq(apiKeys.id, key.id)),
      [{ changedAt }],
      'that does not count as a change of the key',
    )
  })

  t.test(`${name}: processes that count the same keys do not block each other`, async (t) => {
    const keysOf = (order: number) => Array.from({ length: 200 }, (_, n) => `key_c${(n * order) % 200}`)
    await Promise.all(
      [1, 3, 7, 9, 11, 13].map((order) =>
        writeUsage(db, `rep_c${order}`, { number: 1, rows: keysOf(order).map((keyId) => row({ keyId })) }),
      ),
    )
    t.match(await minutesOf('key_c77'), [{ requests: 6 }])
  })

  t.test(`${name}: expired usage is deleted`, async (t) => {
    const old = hour - limits.usageMinutesKeptHours * MINUTES_PER_HOUR
    await writeRows(db, [row({ keyId: 'key_o', minute: old }), row({ keyId: 'key_o' })])
    const count = { subject: 'usr_o', period: 'day', granted: 1, lastLease: 1 } as const
    await db.insert(quotaCounts).values([
      { ...count, startsOn: '2020-01-01' },
      { ...count, startsOn: new Date().toISOString().slice(0, 10) },
    ])
    for (const [digest, age, dailyLimit] of [
      ['over', 2, null],
      ['lowered', 2, 5],
      ['lowered long ago', limits.loweredLimitsDays + 1, 5],
    ] as const)
      await db.execute(sql`
        insert into former_users (address_digest, user_id, deleted_at, daily_limit)
        values (${digest}, 'usr_f', now() - make_interval(days => ${age}::integer), ${dailyLimit}::integer)`)
    t.equal(await deleteOldUsage(db, limits), false)
    t.same(await db.execute(sql`select address_digest from former_users`), [{ address_digest: 'lowered' }])
    t.equal((await minutesOf('key_o')).length, 1)
    t.equal((await db.select().from(usageHours).where(eq(usageHours.keyId, 'key_o'))).length, 2)
    t.equal((await db.select().from(quotaCounts).where(eq(quotaCounts.subject, 'usr_o'))).length, 1)
    t.equal((await db.$count(replicas)) >= 4, true)
  })

  t.test(`${name}: a deleted key is kept for as long as its usage`, async (t) => {
    const keys = createKeys({ store, secret, limits })
    const user = { origin: 'cli', email: 'deletes@example.com' } as const
    const made = async (isDeleted: boolean, ageDays: number) => {
      const { key } = await keys.create({ user, network: 'test', name: 'k' })
      if (isDeleted) await keys.delete(key.id)
      await db
        .update(apiKeys)
        .set({ changedAt: sql`now() - make_interval(days => ${ageDays}::integer)` })
        .where(eq(apiKeys.id, key.id))
      return key.id
    }
    const { usageHoursKeptDays: days } = limits
    const gone = await made(true, days + 1)
    const kept = [await made(true, days - 1), await made(false, days + 1)]
    t.equal(await deleteOldUsage(db, limits), false)
    const left = await db
      .select({ id: apiKeys.id })
      .from(apiKeys)
      .where(inArray(apiKeys.id, [gone, ...kept]))
    t.same(left.map(({ id }) => id).sort(), kept.toSorted())
  })
}
