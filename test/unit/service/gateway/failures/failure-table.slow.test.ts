import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import type { FailureEntry } from '../../../../../src/service/gateway/failures/failure-log.js'
import {
  deleteOldFailures,
  findFailure,
  readFailures,
  writeFailures,
} from '../../../../../src/service/gateway/failures/index.js'
import { createKeys } from '../../../../../src/service/gateway/keys/index.js'
import { createSecret } from '../../../../../src/service/gateway/store/index.js'
import { bothDatabases } from '../../../../support/databases.js'

const secret = createSecret('the secret of these tests, long enough')
const minuteMs = 60_000
/** The beginning of a minute in the past, so that no entry is in the future. */
const start = Math.floor(Date.now() / minuteMs - 100) * minuteMs

for (const [name, store] of await bothDatabases(t)) {
  const { db } = store
  const keys = createKeys({ store, secret, limits })
  const newKey = async () => {
    const email = `${randomUUID()}@example.com`
    return (await keys.create({ user: { origin: 'cli', email }, network: 'test', name: 'wallet' })).key.id
  }
  const entry = (keyId: string, at: number, more: Partial<FailureEntry> = {}): FailureEntry => ({
    ...{ id: `fail_${randomUUID()}`, keyId, at, isRefused: false, method: 'eth_call', code: 3 },
    ...{ message: 'execution reverted', failure: 'executionReverted', requestId: 'r' },
    ...{ milliseconds: 1.5, params: undefined },
    ...more,
  })
  const write = (rows: readonly FailureEntry[]) => writeFailures(db, limits, { rows })
  const read = (keyId: string, filter = {}, most = 5_000) => readFailures(db, limits, keyId, filter, most)

  t.test(`${name}: entries are read as they were written, filtered and in pages`, async (t) => {
    const keyId = await newKey()
    const params = { text: `["it's", "{a,b}", "\\\\ \\" ö", null]`, isPart: true }
    const rows = [
      entry(keyId, start, { params, message: `"quoted", {braces} and ' \\ NULL` }),
      entry(keyId, start + 1_000, { method: '', code: -32601 }),
      entry(keyId, start + 2_000, { method: 'origins', code: -32016, isRefused: true }),
      entry(await newKey(), start),
    ]
    await write(rows)
    await write(rows)
    const all = await read(keyId)
    t.same(
      all.map(({ id }) => id),
      [rows[2]?.id, rows[1]?.id, rows[0]?.id],
      'once each, the latest first',
    )
    const { at, keyId: _, ...written } = rows[0] as FailureEntry
    t.same(all[2], { ...written, at: new Date(at) })
    t.same(await findFailure(db, keyId, rows[0]?.id ?? ''), all[2])
    t.equal(await findFailure(db, keyId, rows[3]?.id ?? ''), undefined, 'of another key')
    const idsOf = async (filter: object) => (await read(keyId, filter)).map(({ id }) => id)
    t.same(await idsOf({ method: '' }), [rows[1]?.id])
    t.same(await idsOf({ code: 3 }), [rows[0]?.id])
    t.same(await idsOf({ isRefused: true }), [rows[2]?.id])
    t.same(await idsOf({ from: new Date(start + 1_000), to: new Date(start + 2_000) }), [rows[1]?.id])
    const [first] = await read(keyId, {}, 1)
    t.same(await readFailures(db, limits, keyId, {}, 5, first), all.slice(1))
  })

  t.test(`${name}: several processes together keep the bounds of a minute`, async (t) => {
    const keyId = await newKey()
    const most = limits.failuresPerKeyPerMinute
    const batch = (more: Partial<FailureEntry>, count: number) =>
      Array.from({ length: count }, (_, n) => entry(keyId, start + n, more))
    await Promise.all([
      write(batch({}, most)),
      write(batch({}, most)),
      write(batch({ isRefused: true, method: 'origins' }, 50)),
    ])
    await write([entry(keyId, start + 59_999, { method: 'eth_getLogs', code: -32005 })])
    await write([entry(keyId, start + minuteMs, {})])
    t.equal((await read(keyId, { isRefused: false, to: new Date(start + minuteMs) })).length, most)
    t.equal((await read(keyId, { method: 'eth_getLogs' })).length, 1, 'a rare failure is kept')
    t.equal((await read(keyId, { isRefused: true })).length, limits.refusalsPerKeyPerMinute)
    t.equal((await read(keyId, { from: new Date(start + minuteMs) })).length, 1)
  })

  t.test(`${name}: a key keeps its newest entries, and rare ones`, async (t) => {
    const keyId = await newKey()
    const rare = entry(keyId, start - minuteMs, { code: -32000 })
    await write([rare])
    const minutes = Math.ceil(limits.failuresPerKey / limits.failuresPerKeyPerMinute) + 2
    for (let minute = 0; minute < minutes; minute += 1) {
      const from = start + minute * minuteMs
      await write(
        Array.from({ length: limits.failuresPerKeyPerMinute }, (_, n) => entry(keyId, from + n * 1_000)),
      )
    }
    const all = await read(keyId)
    t.equal(all.length, limits.failuresPerKey)
    t.equal(all.at(-1)?.id, rare.id)
    t.equal(all[0]?.at.getTime(), start + minutes * minuteMs - 1_000)
  })

  t.test(`${name}: entries end with their key, and after their time`, async (t) => {
    const [keyId, other] = [await newKey(), await newKey()]
    const oldest = Date.now() - limits.failureLogHours * 3_600_000
    await write([entry(keyId, start), entry(other, oldest - 1_000), entry(other, oldest + 60_000)])
    t.equal((await read(other)).length, 1, 'an old entry is not read')
    t.equal(await deleteOldFailures(db, limits), false)
    await keys.delete(keyId)
    await write([entry(keyId, start)])
    const left = await db.execute<{ key_id: string }>(
      sql`select key_id from failures where key_id in (${keyId}, ${other})`,
    )
    t.same(left, [{ key_id: other }])
  })
}
