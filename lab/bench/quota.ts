/**
 * The cost of limits and usage, on the request path and at the database. Run it on an idle machine.
 *
 *   npx tsx lab/bench/quota.ts
 */
import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { tuningDefaults as tuning } from '../../src/service/gateway/app/config/tuning.js'
import type { AcceptedKey } from '../../src/service/gateway/keys/accepted-key.js'
import { findByDigests } from '../../src/service/gateway/keys/key-store.js'
import { PerKeyState } from '../../src/service/gateway/keys/per-key-state.js'
import { settle, takeLeases } from '../../src/service/gateway/quota/lease-statements.js'
import { createQuota } from '../../src/service/gateway/quota/quota.js'
import { createAdmit } from '../../src/service/gateway/request/charge.js'
import { openServerDatabase } from '../../src/service/gateway/store/open-store.js'
import { createUsage, durationBounds } from '../../src/service/gateway/usage/usage.js'
import { writeUsage } from '../../src/service/gateway/usage/usage-table.js'
import { startPostgres } from '../../test/support/postgres.js'
import { databaseTime } from './database-time.js'

const ends: (() => unknown)[] = []
const postgres = await startPostgres({ teardown: (end) => ends.unshift(end) }, { isDurable: true })
const database = await openServerDatabase(await postgres.createDatabase('bench'))
ends.unshift(() => database.close())
const { db } = database

/** Bytes that the database has written ahead so far. */
async function writtenAhead(): Promise<number> {
  const { rows } = await database.connection.query(
    "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as bytes",
  )
  return Number((rows[0] as { bytes: string }).bytes)
}

/** Runs work in rounds and returns its cost per item: in this process, at the database, and in elapsed time. */
async function measure(
  what: string,
  rounds: number,
  items: number,
  work: (round: number) => Promise<unknown>,
) {
  for (let round = -Math.min(20, rounds); round < 0; round += 1) await work(round)
  const [before, logged] = [await databaseTime(postgres.pid()), await writtenAhead()]
  const [here, began] = [process.cpuUsage(), performance.now()]
  const latencies: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now()
    await work(round)
    latencies.push(performance.now() - start)
  }
  const clock = (performance.now() - began) * 1_000
  const { user, system } = process.cpuUsage(here)
  const there = (await databaseTime(postgres.pid())) - before
  const log = ((await writtenAhead()) - logged) / rounds / items
  const per = (microseconds: number) => (microseconds / rounds / items).toFixed(1).padStart(8)
  const median = latencies.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0
  console.log(
    `${what.padEnd(44)}${per(user + system)} µs here${per(there)} µs at the database${per(clock)} µs by the clock,${log.toFixed().padStart(6)} bytes of WAL; median of a statement ${median.toFixed(2)} ms`,
  )
}

/** Runs work many times and returns the average time, in nanoseconds. */
function measureHere(what: string, times: number, work: (n: number) => unknown): void {
  for (let n = 0; n < times / 10; n += 1) work(n)
  const before = process.cpuUsage()
  for (let n = 0; n < times; n += 1) work(n)
  const { user, system } = process.cpuUsage(before)
  console.log(`${what.padEnd(44)}${(((user + system) * 1_000) / times).toFixed(0).padStart(8)} ns`)
}

const terms = { replicas: 3 }
const question = (n: number) =>
  ({
    subject: `usr_${n}`,
    period: 'day',
    limit: 1_000_000_000,
    wanted: 1,
    most: tuning.leaseRequests,
  }) as const
const firstMinute = Math.floor(Date.now() / 60_000)
const usageRow = (n: number, minute: number) => ({
  keyId: `key_${n}`,
  method: 'eth_call',
  code: 0,
  minute,
  requests: 10,
  microseconds: 1_000,
  slowestMicroseconds: 100,
  nodeCalls: 0,
  free: 0,
  durations: [...durationBounds, Number.POSITIVE_INFINITY].map((_bound, at) => (at === 0 ? 10 : 0)),
})
const upTo = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n))
const startsOn = new Date().toISOString().slice(0, 10)
const settlement = (n: number, returned = 0) =>
  ({ subject: `usr_${n}`, period: 'day', startsOn, used: 1, returned }) as const

let batches = 0
await measure('a lease, alone', 2_000, 1, (round) => takeLeases(db, [question(round % 50)], terms))
await measure('a lease, 50 together', 100, 50, () => takeLeases(db, upTo(50, question), terms))
await measure('a lease, 200 together', 100, 200, (round) =>
  takeLeases(
    db,
    upTo(200, (n) => question(n + 200 * Math.abs(round % 50))),
    terms,
  ),
)
await measure('a lease’s return, 200 together', 100, 200, (round) => {
  batches += 1
  const rows = upTo(200, (n) => settlement(n + 200 * Math.abs(round % 50), 1))
  return settle(db, 'rep', { number: batches, rows })
})
await database.connection.query(`insert into users (id, origin, email) select 'usr_' || n, 'cli', n || '@example.com'
  from generate_series(1, 20000) as n`)
await database.connection.query(`insert into api_keys
  (id, user_id, network, name, slot, digest, sealed, secret_version, masked)
  select 'key_' || n, 'usr_' || n, 'test', 'k', 1, md5(n::text), 's', 'v', 'm' from generate_series(1, 20000) as n`)
await database.connection.query('analyze')
/** Users that call in every second. One statement covers 1,000 users. */
const active = 10_000
const eachThousand = async (write: (first: number) => Promise<unknown>) => {
  for (let first = 0; first < active; first += 1_000) {
    batches += 1
    await write(first)
  }
}
await measure('what a user used in a minute, each second', 3, active, async () => {
  for (let second = 0; second < 60; second += 1)
    await eachThousand((first) =>
      settle(db, 'rep', { number: batches, rows: upTo(1_000, (n) => settlement(first + n)) }),
    )
})
await measure('a key’s usage of a minute, each ten seconds', 5, active, async (round) => {
  for (let write = 0; write < 6; write += 1)
    await eachThousand((first) =>
      writeUsage(db, 'rep', {
        number: batches,
        rows: upTo(1_000, (n) => usageRow(first + n, firstMinute + round)),
      }),
    )
})
const digestOf = (n: number) => createHash('md5').update(String(n)).digest('hex')
await measure('a key that is not in memory', 2_000, 1, (round) =>
  findByDigests(db, [digestOf(1_000 + 7 * round)]),
)
await measure('a key that is not in memory, 50 together', 200, 50, (round) =>
  findByDigests(
    db,
    upTo(50, (n) => digestOf(1_000 + 50 * Math.abs(round) + n)),
  ),
)

/** Each request is from another user without a lease, which is the worst case. */
const lonely = createQuota({ store: database, replicaId: 'rep_lonely', tuning, limitPerDay: 1_000_000_000 })
let user = 0
await measure('a request without a lease, 5,000 a second', 400, 25, async () => {
  const next = () => {
    user += 1
    return { id: '', userId: `usr_${user % 20_000}`, dailyLimit: null, monthlyLimit: null }
  }
  for (let at = 0; at < 5; at += 1) {
    for (let n = 0; n < 5; n += 1) void lonely.take(next(), 1)
    await delay(1)
  }
})
await lonely.close()

for (const users of [10, 10_000, 100_000]) {
  const quota = createQuota({
    store: database,
    replicaId: `rep_${users}`,
    tuning: { ...tuning, leaseIdleSeconds: 3_600 },
    limitPerDay: 1_000_000_000,
  })
  const admit = createAdmit(quota)
  const { signal } = new AbortController()
  const payers = upTo(users, (n) => ({
    id: `key_${n}`,
    userId: `usr_${n}`,
    keyState: new PerKeyState(),
    dailyLimit: null,
    monthlyLimit: null,
  }))
  for (let first = 0; first < users; first += 1_000) {
    await Promise.all(payers.slice(first, first + 1_000).map((payer) => quota.take(payer, 0)))
  }
  measureHere(`a request of ${users} users: limit and headers`, 1_000_000 / 2, (n) => {
    const key = payers[n % users] as AcceptedKey
    return admit({ context: { key, origin: undefined }, calls: 0, refusal: undefined, signal })
  })
  await quota.close()
  const usage = createUsage({
    write: async () => undefined,
    deleteOld: async () => false,
    onError: console.error,
    usageFlushSeconds: tuning.usageFlushSeconds,
  })
  measureHere(`a request of ${users} users: usage`, 500_000, (n) => {
    const { id, keyState } = payers[n % users] as (typeof payers)[number]
    usage.count(id, 'eth_call', 0, 100, 0, keyState)
  })
  await usage.close()
}
for (const end of ends) await end()
