import pg from 'pg'
import t from 'tap'
import { openServerDatabase } from '../../../../../src/service/gateway/index.js'
import {
  recalledCounts,
  settle,
  takeLeases,
} from '../../../../../src/service/gateway/quota/lease-statements.js'
import { sharedPostgres } from '../../../../support/shared-postgres.js'
import { until } from '../../../../support/until.js'

/** In byte order the first one comes first, and in dictionary order the second. */
const subjects = ['usr_B', 'usr_a'] as const
const startsOn = new Date().toISOString().slice(0, 10)

t.test('leases, returns and used counts are written concurrently under any collation', async (t) => {
  const postgres = await sharedPostgres()
  const url = await postgres.createDatabase(
    'dictionary',
    "template template0 locale_provider icu icu_locale 'en-US'",
  )
  const { db, close } = await openServerDatabase(url)
  t.teardown(() => close())
  let batches = 0
  const write = (used: number, returned: number) =>
    settle(db, 'rep_a', {
      number: ++batches,
      rows: subjects.map((subject) => ({ subject, period: 'day', startsOn, used, returned })),
    })
  const question = (subject: string) =>
    ({ subject, period: 'day', limit: 1_000, wanted: 1, most: 100 }) as const
  await takeLeases(db, subjects.map(question), { replicas: 1 })
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  t.teardown(() => holder.end())
  /**
   * Waits until this many sessions wait for a lock. It queries outside the transaction, whose snapshot would not
   * change.
   */
  const waiting = async (count: number) => {
    const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await until(async () => (await postgres.query(url, text)).length >= count)
  }
  for (const held of subjects) {
    for (const [what, work] of Object.entries({
      leases: () => takeLeases(db, subjects.map(question), { replicas: 1 }),
      returns: () => write(1, 1),
    })) {
      await holder.query('begin')
      await holder.query('select from quota_counts where subject = $1 for update', [held])
      const first = work()
      await waiting(1)
      const second = write(1, 0)
      const ended = Promise.allSettled([first, second])
      await waiting(2)
      await holder.query('commit')
      t.same(
        (await ended).map((end) => (end.status === 'rejected' ? `${end.reason.cause}` : end.status)),
        ['fulfilled', 'fulfilled'],
        `${what}, after ${held}`,
      )
    }
  }
})

t.test('the size of a lease depends on what is left, what is expected, and the processes', async (t) => {
  const url = await (await sharedPostgres()).createDatabase('sizes')
  const { db, connection, close } = await openServerDatabase(url)
  t.teardown(() => close())
  const rows = [
    // left, wanted, most, ahead, replicas, size
    [25_000, 1, 100, 0, 1, 100],
    [25_000, 1, 100, 1_200, 1, 1_200],
    [25_000, 1, 100, 7, 1, 7],
    [25_000, 50, 100, 7, 1, 50],
    [25_000, 0, 800, 9_000, 3, 4_166],
    [2_001, 0, 800, 9_000, 3, 333],
    [2_000, 0, 800, 9_000, 3, 166],
    [2_000, 0, 100, 9_000, 3, 100],
    [3, 1, 100, 9_000, 3, 1],
    [0, 1, 100, 9_000, 3, 0],
  ] as const
  for (const [at, [left, wanted, most, ahead, replicas, size]] of rows.entries()) {
    const question = { subject: `usr_${at}`, period: 'day', limit: left, wanted, most, ahead } as const
    const [lease] = await takeLeases(db, [question], { replicas })
    t.equal(lease?.size, size, `row ${at}`)
  }
  t.same(
    await recalledCounts(connection.query),
    [{ subject: 'usr_9', period: 'day' }],
    'the one that is short',
  )
})
