import pg from 'pg'
import t from 'tap'
import { openServerDatabase } from '../../../../src/gateway/index.js'
import { settle, takeLeases } from '../../../../src/gateway/quota/lease-table.js'
import { sharedPostgres } from '../../../support/shared.js'
import { until } from '../../../support/until.js'

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
