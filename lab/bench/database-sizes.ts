import { createHash } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { limits } from '../../generated/contract.js'
import { listAccounts } from '../../src/service/gateway/accounts/index.js'
import { tuningDefaults as tuning } from '../../src/service/gateway/app/config/tuning.js'
import { findByDigests, selectKeys } from '../../src/service/gateway/keys/key-store.js'
import { settle, takeLeases } from '../../src/service/gateway/quota/lease-statements.js'
import { apiKeys, type Database } from '../../src/service/gateway/store/index.js'
import {
  databaseOver,
  type OpenDatabase,
  openServerDatabase,
} from '../../src/service/gateway/store/open-store.js'
import {
  deleteOldUsage,
  readAccountUsage,
  readKeyActivity,
  readKeyMetrics,
  writeUsage,
} from '../../src/service/gateway/usage/index.js'
import { durationBounds } from '../../src/service/gateway/usage/usage.js'
import { startPostgres } from '../../test/support/postgres.js'
import { databaseTime } from './database-time.js'

/** A statement, or the few of one page. */
interface Work {
  readonly name: string
  /** Users, keys or rows that one run is about. */
  readonly items: number
  readonly rounds: number
  /** True for pages of operators, which may read all users. */
  readonly isOfOperators?: boolean
  readonly run: (db: Database, pick: () => number) => Promise<unknown>
}

const MICROSECONDS_PER_MILLISECOND = 1_000
/** A statement about more than one of so many users may read all of them, which is then cheaper than an index. */
const SMALL_SHARE = 100
/** Hours of usage of each user. */
const hoursOfEach = 3
const classes = durationBounds.length + 1
const startsOn = () => new Date().toISOString().slice(0, 10)
const digestOf = (n: number) => createHash('md5').update(String(n)).digest('hex')
const upTo = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n))
const distinct = (count: number, pick: () => number) => {
  const found = new Set<number>()
  while (found.size < count) found.add(pick())
  return [...found]
}

let batches = 0
const nextBatch = () => {
  batches += 1
  return batches
}

const works: readonly Work[] = [
  {
    name: '50 leases in one statement',
    items: 50,
    rounds: 100,
    run: (db, pick) =>
      takeLeases(
        db,
        distinct(50, pick).map((n) => ({
          ...{ subject: `usr_${n}`, period: 'day', limit: 1_000_000_000, wanted: 1 },
          most: tuning.leaseRequests,
        })),
        { replicas: 3 },
      ),
  },
  {
    name: 'counts of 200 users',
    items: 200,
    rounds: 50,
    run: (db, pick) =>
      settle(db, 'rep', {
        number: nextBatch(),
        rows: distinct(200, pick).map((n) => ({
          ...{ subject: `usr_${n}`, period: 'day', startsOn: startsOn(), used: 1, returned: 1 },
        })),
      }),
  },
  {
    name: 'usage of 1,000 keys',
    items: 1_000,
    rounds: 20,
    run: (db, pick) =>
      writeUsage(db, 'rep', {
        number: nextBatch(),
        rows: distinct(1_000, pick).map((n) => ({
          ...{ keyId: `key_${n}`, method: 'eth_call', code: 0, minute: Math.floor(Date.now() / 60_000) },
          ...{ requests: 10, microseconds: 1_000, slowestMicroseconds: 100, nodeCalls: 10, free: 0 },
          durations: upTo(classes, (at) => (at === 0 ? 10 : 0)),
        })),
      }),
  },
  {
    name: 'a key that is not in memory',
    items: 1,
    rounds: 1_000,
    run: (db, pick) => findByDigests(db, [digestOf(pick())]),
  },
  {
    name: 'page: keys with their activity',
    items: 1,
    rounds: 500,
    run: async (db, pick) => {
      const n = pick()
      await selectKeys(db, eq(apiKeys.userId, `usr_${n}`))
      await readKeyActivity(db, [`key_${n}`])
    },
  },
  {
    name: 'page: metrics of a key, a week',
    items: 1,
    rounds: 500,
    run: (db, pick) => readKeyMetrics(db, [`key_${pick()}`], 'week'),
  },
  {
    name: 'page: usage of an account, 30 days',
    items: 1,
    rounds: 500,
    run: (db, pick) => readAccountUsage(db, `usr_${pick()}`, 30),
  },
  {
    name: 'operators: the newest accounts',
    items: 1,
    rounds: 10,
    isOfOperators: true,
    run: (db) => listAccounts(db, { search: '', order: 'newest', skip: 0, most: 50 }),
  },
  {
    name: 'operators: accounts by requests of today',
    items: 1,
    rounds: 5,
    isOfOperators: true,
    run: (db) => listAccounts(db, { search: '', order: 'most-used', skip: 0, most: 50 }),
  },
]

/**
 * Measures what one PostgreSQL carries of the service's statements as users grow: the processor time of the server and
 * the median of a statement. Each user has a key, a count of the day, usage of three hours and of one minute. Users are
 * chosen at random from all of them, so that nothing stays in the server's memory by chance. The server has its defaults,
 * 16 MB of shared buffers and synchronous commits, but autovacuum is off.
 * @param sizes numbers of users, ascending
 * @returns false if a statement about one user reads a whole table
 */
export async function benchDatabase(sizes: readonly number[]): Promise<boolean> {
  const ends: (() => unknown)[] = []
  const postgres = await startPostgres({ teardown: (end) => ends.unshift(end) }, { isDurable: true })
  try {
    const url = await postgres.createDatabase('bench')
    // Autovacuum would add its own processor time to the measurement.
    await postgres.query(url, 'alter system set autovacuum = off')
    await postgres.query(url, 'select pg_reload_conf()')
    const database = await openServerDatabase(url)
    ends.unshift(() => database.close())
    // It also creates the partitions of the next periods.
    await deleteOldUsage(database.db, limits)
    let filled = 0
    let isGood = true
    for (const size of sizes) {
      await fill((text) => postgres.query(url, text), filled, size)
      filled = size
      const [row] = await postgres.query(
        url,
        "select pg_database_size(current_database()) / 1000000 as all, (pg_total_relation_size('users') + pg_total_relation_size('api_keys')) / 1000000 as accounts",
      )
      const megabytes = `${row?.['all']} MB, ${row?.['accounts']} MB of them users and keys`
      console.log(`${size.toLocaleString('en')} users, a database of ${megabytes}`)
      for (const work of works) {
        const plans = await tablesReadWhole(database, work, size)
        const isShare = work.items * SMALL_SHARE > size
        if (plans.length > 0 && work.isOfOperators !== true && !isShare) isGood = false
        await measure(database, postgres.pid(), work, size, plans)
      }
    }
    return isGood
  } finally {
    for (const end of ends) await end()
  }
}

/** Adds users from one number to another, each with a key, a count and usage. */
async function fill(query: (text: string) => Promise<unknown>, from: number, to: number): Promise<void> {
  const users = `generate_series(${from + 1}, ${to}) as n`
  const durations = `array_fill(1::bigint, array[${classes}])`
  const usage = (table: string, step: string, rows: number) =>
    `insert into ${table} (key_id, method, code, requests, microseconds, slowest_microseconds, durations, starts_at)
    select 'key_' || n, 'eth_call', 0, 10, 1000, 100, ${durations}, date_trunc('${step}', now()) - at * interval '1 ${step}'
    from ${users}, generate_series(1, ${rows}) as at`
  for (const statement of [
    `insert into users (id, origin, email, created_at)
      select 'usr_' || n, 'cli', n || '@example.com', now() - n * interval '1 second' from ${users}`,
    `insert into api_keys (id, user_id, network, name, slot, digest, sealed, secret_version, masked)
      select 'key_' || n, 'usr_' || n, 'test', 'k', 1, md5(n::text), 's', 'v', 'm' from ${users}`,
    `insert into quota_counts (subject, period, starts_on, granted, used, last_lease)
      select 'usr_' || n, 'day', (now() at time zone 'UTC')::date, 100, 50, 100 from ${users}`,
    `insert into former_secrets (digest, key_id) select md5('former' || n), 'key_' || n from ${users} where n % 10 = 0`,
    usage('usage_hours', 'hour', hoursOfEach),
    usage('usage_minutes', 'minute', 1),
    'vacuum analyze',
  ])
    await query(statement)
}

/** Runs EXPLAIN for each statement of the work and returns the large tables with a sequential scan, except empty ones. */
async function tablesReadWhole(
  { connection }: OpenDatabase,
  work: Work,
  size: number,
): Promise<readonly string[]> {
  const tables = new Set<string>()
  const explaining = databaseOver({
    ...connection,
    async query(text, params = [], ...rest) {
      const asked = text.replace(/\$(\d+)/g, (_, number) => {
        const value = params[Number(number) - 1]
        return value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`
      })
      const { rows } = await connection.query(`explain ${asked}`, [], 'array')
      for (const [, table = ''] of rows
        .flat()
        .join('\n')
        .matchAll(/Seq Scan on (\w+)/g))
        tables.add(table)
      return connection.query(text, params, ...rest)
    },
  })
  await work.run(explaining, pickFrom(size))
  // `replicas` has one row per process, so a sequential scan is expected.
  tables.delete('replicas')
  // Partitions of later times are empty.
  const { rows } = await connection.query(
    'select relname from pg_class where relname = any($1::text[]) and pg_relation_size(oid) > 0',
    [`{${[...tables].join()}}`],
    'array',
  )
  return rows.flat().map(String)
}

/** Chooses users from 1 to `size`, in an order that is the same in each run. */
function pickFrom(size: number): () => number {
  let state = 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return 1 + (state % size)
  }
}

async function measure(
  { db }: OpenDatabase,
  pid: number,
  { name, items, rounds, run }: Work,
  size: number,
  plans: readonly string[],
): Promise<void> {
  const pick = pickFrom(size)
  await run(db, pick)
  const before = await databaseTime(pid)
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now()
    await run(db, pick)
    times.push(performance.now() - start)
  }
  const spent = ((await databaseTime(pid)) - before) / rounds
  const median = times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0
  const columns = [
    `${(spent / MICROSECONDS_PER_MILLISECOND).toFixed(2)} ms at the database`,
    `${(spent / items).toFixed(1)} µs for each`,
    `median ${median.toFixed(2)} ms`,
  ].map((text) => text.padStart(26))
  console.log(`  ${name.padEnd(42)}${columns.join('')}  ${plans.length === 0 ? '' : `reads all of ${plans}`}`)
}
