import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { errorTable } from '../../../../../generated/errors.js'
import { findAccount, listAccounts } from '../../../../../src/service/gateway/accounts/index.js'
import { createKeys } from '../../../../../src/service/gateway/keys/index.js'
import { createSecret, quotaCounts } from '../../../../../src/service/gateway/store/index.js'
import {
  classOf,
  durationBounds,
  type MetricRange,
  metricRanges,
  readAccountUsage,
  readKeyMetrics,
  readUsageOfAccounts,
} from '../../../../../src/service/gateway/usage/index.js'
import type { UsageRow } from '../../../../../src/service/gateway/usage/usage.js'
import { bothDatabases } from '../../../../support/databases.js'
import { awayFromMidnight } from '../../../../support/midnight.js'
import { writeRows } from '../../../../support/written-usage.js'

const MINUTE_MS = 60_000
const HOUR_MINUTES = 60
const DAY_MINUTES = 24 * HOUR_MINUTES
const { invalidParams, executionReverted, limitExceeded, unavailable } = errorTable
const ranges = Object.keys(metricRanges) as MetricRange[]
const secret = createSecret('the secret of these tests, long enough')

/** A row of calls that each took 2 milliseconds. */
const row = (keyId: string, minute: number, more: Partial<UsageRow> = {}): UsageRow => {
  const requests = more.requests ?? 1
  return {
    keyId,
    method: 'eth_call',
    code: 0,
    minute,
    requests,
    microseconds: 2_000 * requests,
    slowestMicroseconds: 2_000,
    nodeCalls: 0,
    free: 0,
    durations: [...durationBounds, Number.POSITIVE_INFINITY].map((_bound, at) =>
      at === classOf(durationBounds, 2) ? requests : 0,
    ),
    ...more,
  }
}

await awayFromMidnight()
for (const [name, store] of await bothDatabases(t)) {
  const { db } = store
  const now = Math.floor(Date.now() / MINUTE_MS)

  t.test(`${name}: a key without calls has none in any period`, async (t) => {
    for (const range of ranges) {
      const { at, total, steps, methods, errors } = await readKeyMetrics(db, ['key_none'], range)
      t.match(total, { requests: 0, p50: null, p95: null, slowest: 0 })
      t.equal(steps.length, metricRanges[range].steps)
      t.same([methods, errors], [[], []])
      const last = steps.at(-1)?.startsAt.getTime() ?? 0
      t.ok(last <= at.getTime() && at.getTime() < last + metricRanges[range].stepSeconds * 1_000)
      t.equal(
        steps.reduce((sum, { requests }) => sum + requests, 0),
        0,
      )
    }
  })

  t.test(`${name}: the report equals the written usage, by outcome, method, code and step`, async (t) => {
    const rows = [
      row('key_m', now, { requests: 7 }),
      row('key_m', now - 1, { method: 'eth_getLogs', requests: 2, nodeCalls: 41 }),
      row('key_m', now - 1, { code: executionReverted.code, requests: 3, nodeCalls: 3 }),
      row('key_m', now, { method: '', code: invalidParams.code, free: 1 }),
      row('key_m', now, { code: limitExceeded.code, requests: 4 }),
      row('key_m', now, { code: unavailable.code, slowestMicroseconds: 9_000_000 }),
      row('key_other', now),
    ]
    await writeRows(db, rows)
    for (const range of ranges) {
      const { total, steps, methods, errors } = await readKeyMetrics(db, ['key_m'], range)
      t.match(total, {
        requests: 18,
        charged: 13,
        outcomes: { result: 9, caller: 4, limit: 4, service: 1 },
        slowest: 9_000,
        nodeCalls: 44,
      })
      t.ok(total.p50 !== null && total.p50 > 1 && total.p50 <= 2.5, `${range}: ${total.p50}`)
      t.equal(
        steps.reduce((sum, { requests }) => sum + requests, 0),
        18,
      )
      t.match(methods, [
        { method: 'eth_call', requests: 15, nodeCalls: 3 },
        { method: 'eth_getLogs', requests: 2, outcomes: { result: 2 }, nodeCalls: 41 },
        { method: '', requests: 1, outcomes: { caller: 1 }, nodeCalls: 0 },
      ])
      t.same(Object.fromEntries(errors.map(({ code, requests }) => [code, requests])), {
        [limitExceeded.code]: 4,
        [executionReverted.code]: 3,
        [invalidParams.code]: 1,
        [unavailable.code]: 1,
      })
    }
    const { steps } = await readKeyMetrics(db, ['key_m'], 'hour')
    const at = (minute: number) => steps.find(({ startsAt }) => startsAt.getTime() === minute * MINUTE_MS)
    t.match(at(now - 1), { requests: 5, outcomes: { result: 2, caller: 3 }, nodeCalls: 44 })
    t.match(at(now), { requests: 13, outcomes: { result: 7, caller: 1, limit: 4, service: 1 } })
  })

  t.test(`${name}: a period excludes earlier calls`, async (t) => {
    const before = {
      hour: 2 * HOUR_MINUTES,
      day: 26 * HOUR_MINUTES,
      week: 8 * DAY_MINUTES,
      month: 31 * DAY_MINUTES,
    }
    const rows = Object.values(before).map((minutes) => row('key_old', now - minutes))
    await writeRows(db, rows)
    for (const [place, range] of ranges.entries()) {
      t.equal((await readKeyMetrics(db, ['key_old'], range)).total.requests, place, range)
    }
  })

  t.test(`${name}: an account’s days, its keys, and the times of refusals`, async (t) => {
    const keys = createKeys({ store, secret, limits })
    const user = { origin: 'cli', email: 'account@example.com' } as const
    const { key } = await keys.create({ user, network: 'test', name: 'busy' })
    const { key: gone } = await keys.create({ user, network: 'main', name: 'gone' })
    const { key: idle } = await keys.create({ user, network: 'main', name: 'idle' })
    const { key: unused } = await keys.create({ user, network: 'main', name: 'unused' })
    const userId = key.userId ?? ''
    const dayOf = (minute: number) => new Date(minute * MINUTE_MS).toISOString().slice(0, 10)
    const quota = { period: 'day', granted: 50, lastLease: 10 } as const
    await db.insert(quotaCounts).values([
      { ...quota, subject: userId, startsOn: dayOf(now), used: 15 },
      { ...quota, subject: userId, startsOn: dayOf(now - 2 * DAY_MINUTES), used: 50 },
      { ...quota, subject: userId, startsOn: dayOf(now - 9 * DAY_MINUTES), used: 3 },
      { ...quota, subject: key.id, startsOn: dayOf(now), used: 99 },
      { ...quota, subject: userId, period: 'month', startsOn: dayOf(now), used: 99 },
    ])
    const refused = { code: limitExceeded.code, requests: 5 }
    await writeRows(db, [
      row(key.id, now, { requests: 8, nodeCalls: 700 }),
      row(key.id, now, { code: executionReverted.code, requests: 2, nodeCalls: 20 }),
      row(gone.id, now, { requests: 2, nodeCalls: 1 }),
      row(key.id, now, refused),
      // Without charge, such as too large a body; the rest of the row is charged.
      row(key.id, now, { method: '', code: errorTable.invalidRequest.code, requests: 4, free: 3 }),
      row(gone.id, now - 2 * DAY_MINUTES, refused),
      row(idle.id, now - 3 * DAY_MINUTES, { nodeCalls: 9 }),
      row('key_of_another', now),
    ])
    await keys.delete(gone.id)
    await keys.delete(unused.id)
    const usage = await readAccountUsage(db, userId, 5)
    t.same(
      usage.days,
      [
        [4, 0, 0, 0, 0, 0, 0, 0],
        [3, 1, 0, 1, 0, 0, 0, 9],
        [2, 55, 50, 0, 50, 5, 0, 0],
        [1, 0, 0, 0, 0, 0, 0, 0],
        [0, 23, 15, 13, 2, 8, 3, 721],
      ].map(([ago = 0, received, charged, answered, unanswered, refused, failed, nodeCalls]) => ({
        day: dayOf(now - ago * DAY_MINUTES),
        ...{ received, charged, answered, unanswered, refused, failed, nodeCalls },
      })),
    )
    t.same(usage.keys, [
      {
        id: key.id,
        name: 'busy',
        masked: key.masked,
        isDeleted: false,
        answered: 11,
        failed: 3,
        refused: 8,
        nodeCalls: 720,
      },
      {
        id: gone.id,
        name: 'gone',
        masked: gone.masked,
        isDeleted: true,
        answered: 2,
        failed: 0,
        refused: 0,
        nodeCalls: 1,
      },
      {
        id: idle.id,
        name: 'idle',
        masked: idle.masked,
        isDeleted: false,
        answered: 0,
        failed: 0,
        refused: 0,
        nodeCalls: 0,
      },
    ])
    t.match(await findAccount(db, userId), { usedToday: 15, nodeCallsToday: 721, receivedLastHour: 21 })
    const totals = {
      charged: 65,
      received: 79,
      answered: 14,
      unanswered: 52,
      refused: 13,
      failed: 3,
      nodeCalls: 730,
    }
    const all = await readUsageOfAccounts(db, 5)
    t.same(
      all.find(({ id }) => id === userId),
      { id: userId, email: 'account@example.com', ...totals },
    )
    const { total } = await readKeyMetrics(db, [key.id, gone.id], 'hour')
    t.match(total, { requests: 21, nodeCalls: 721 })
    t.same(usage.lastRefusedAt, new Date(now * MINUTE_MS))
    t.equal(usage.resetsAt.toISOString(), `${dayOf(now + DAY_MINUTES)}T00:00:00.000Z`)
    t.ok(Math.abs(usage.at.getTime() - Date.now()) < 10 * MINUTE_MS)
    t.match(await readAccountUsage(db, 'usr_nobody', 2), {
      days: [{ charged: 0 }, { received: 0, charged: 0, refused: 0 }],
      keys: [],
      lastRefusedAt: null,
    })
  })

  t.test(`${name}: accounts are ordered by their requests or node calls of today`, async (t) => {
    const keys = createKeys({ store, secret, limits })
    const [first, second, third] = await Promise.all(
      ['first', 'second', 'third'].map((who) =>
        keys.create({
          user: { origin: 'cli', email: `${who}@order.example.com` },
          network: 'test',
          name: who,
        }),
      ),
    )
    await writeRows(db, [
      row(first?.key.id ?? '', now, { nodeCalls: 3 }),
      row(second?.key.id ?? '', now, { nodeCalls: 4_000 }),
      row(second?.key.id ?? '', now, { method: 'eth_getLogs', nodeCalls: 4_000_000_000 }),
      row(third?.key.id ?? '', now - DAY_MINUTES, { nodeCalls: 5_000 }),
    ])
    const search = { search: 'order.example.com', order: 'most-node-calls', skip: 0, most: 10 } as const
    const { accounts } = await listAccounts(db, search)
    t.same(
      accounts.map(({ email, nodeCallsToday }) => [email.split('@')[0], nodeCallsToday]),
      [
        ['second', 4_000_004_000],
        ['first', 3],
        ['third', 0],
      ],
    )
  })
}
