import { join } from 'node:path'
import t from 'tap'
import { openStore } from '../../../../../src/service/gateway/index.js'
import {
  type LeaseQuestion,
  type Settlement,
  settle,
  takeLeases,
} from '../../../../../src/service/gateway/quota/lease-statements.js'
import { databaseOver } from '../../../../../src/service/gateway/store/open-store.js'
import { temporaryFolder } from '../../../../support/temporary-folder.js'

const rows = 20_000
const startsOn = new Date().toISOString().slice(0, 10)
const some = <T>(count: number, make: (subject: string) => T) =>
  Array.from({ length: count }, (_, n) => make(`usr_${n * 17}`))
const question = (subject: string): LeaseQuestion => ({
  subject,
  period: 'day',
  limit: 1_000,
  wanted: 1,
  most: 100,
})
const settlement = (subject: string): Settlement => ({
  subject,
  period: 'day',
  startsOn,
  used: 1,
  returned: 1,
})

t.test(
  'the embedded database finds the counts of a few users by index, however many users exist',
  async (t) => {
    const store = await openStore({ dataDir: join(await temporaryFolder(t), 'data') })
    t.teardown(() => store.close())
    const { connection } = store
    await connection.query(`insert into quota_counts (subject, period, starts_on, granted, last_lease)
    select 'usr_' || n, 'day', '${startsOn}', 1, 1 from generate_series(1, ${rows}) as n`)
    let plan = ''
    /** Explains the given statements, with the values that affect their plans. */
    const explaining = databaseOver({
      ...connection,
      async query(text, params = []) {
        const asked = text.replace(/\$(\d+)/g, (_, number) => `'${params[Number(number) - 1]}'`)
        const { rows } = await connection.query(`explain ${asked}`, [], 'array')
        plan = rows.flat().join('\n')
        throw new Error('only explained')
      },
    })
    for (const count of [1, 20, 200]) {
      plan = ''
      await t.rejects(takeLeases(explaining, some(count, question), { replicas: 1 }))
      t.match(plan, /Index Scan using quota_counts_subject_period_starts_on_pk/, `${count} leases`)
      t.notMatch(plan, 'Seq Scan on quota_counts', `${count} leases`)
      plan = ''
      await t.rejects(settle(explaining, 'rep', { number: 1, rows: some(count, settlement) }))
      t.match(plan, /Index Scan using quota_counts_subject_period_starts_on_pk/, `${count} returns`)
      t.notMatch(plan, 'Seq Scan on quota_counts', `${count} returns`)
    }
  },
)
