import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import t from 'tap'
import { openServerDatabase } from '../../../../../src/service/gateway/index.js'
import { takeLeases } from '../../../../../src/service/gateway/quota/lease-statements.js'
import { codeBlocks } from '../../../../support/markdown-blocks.js'
import { startPostgres } from '../../../../support/postgres.js'

/** The SQL of the decision about several databases, tried with the service's own statement for leases. */
const decision = fileURLToPath(
  new URL('../../../../../docs/decisions/0081-what-comes-after-one-primary.md', import.meta.url),
)
const [directory = '', take = '', give = ''] = codeBlocks(readFileSync(decision, 'utf8'))
  .filter(({ language }) => language === 'sql')
  .map(({ text }) => text)

const limit = 500

t.test(
  'counts are divided by user over two databases, and a slot moves without a request too many',
  async (t) => {
    const postgres = await startPostgres(t)
    const databases = await Promise.all(
      ['first', 'second'].map(async (name) => {
        const url = await postgres.createDatabase(name)
        const database = await openServerDatabase(url)
        const client = new pg.Client({ connectionString: url })
        await client.connect()
        t.teardown(() => client.end())
        t.teardown(() => database.close())
        return { name, url, db: database.db, client }
      }),
    )
    const accounts = await postgres.createDatabase('directory')
    for (const url of [accounts, ...databases.map((one) => one.url)]) await postgres.query(url, directory)
    await postgres.query(
      accounts,
      "insert into count_slots select n, case when n < 512 then 'first' else 'second' end from generate_series(0, 1023) n",
    )
    const placeOf = async (user: string) => {
      const [row] = await postgres.query(
        accounts,
        `select slot, database from count_slots where slot = slot_of('${user}')`,
      )
      const database = databases.find(({ name }) => name === row?.['database'])
      if (database === undefined) throw new TypeError(`${user} has no database`)
      return { slot: Number(row?.['slot']), ...database }
    }
    const lease = async (user: string, wanted: number) => {
      const { db } = await placeOf(user)
      const question = { subject: user, period: 'day', limit, wanted, most: wanted } as const
      const [taken] = await takeLeases(db, [question], { replicas: 1 })
      return taken?.size ?? 0
    }
    const users = Array.from({ length: 200 }, (_, n) => `usr_${n}`)
    const leased = new Map<string, number>()
    for (const user of users) leased.set(user, await lease(user, 100))
    const rows = async (url: string) => {
      const [row] = await postgres.query(url, 'select count(*)::integer as count from quota_counts')
      return Number(row?.['count'])
    }
    const [first, second] = await Promise.all(databases.map(({ url }) => rows(url)))
    t.equal(Number(first) + Number(second), users.length)
    t.ok(Number(first) > 70 && Number(second) > 70, `${first} and ${second} users`)

    const [user = ''] = users
    const source = await placeOf(user)
    const [target = source] = databases.filter(({ name }) => name !== source.name)
    let granted = (leased.get(user) ?? 0) + (await lease(user, 150))
    /** @param isInterrupted true for a process that ends after the target has committed */
    const move = async (isInterrupted: boolean) => {
      await source.client.query('begin')
      const { rows } = await source.client.query(take.replace('7', String(source.slot)))
      await target.client.query(give, [JSON.stringify(Object.values(rows[0] ?? {})[0])])
      await source.client.query(isInterrupted ? 'rollback' : 'commit')
    }
    await move(true)
    granted += await lease(user, 50)
    await move(false)
    await postgres.query(
      accounts,
      `update count_slots set database = '${target.name}' where slot = ${source.slot}`,
    )
    t.equal((await placeOf(user)).name, target.name)
    const here = await source.client.query('select 1 from quota_counts where slot_of(subject) = $1', [
      source.slot,
    ])
    t.equal(here.rowCount, 0)
    for (let size = -1; size !== 0; granted += size) size = await lease(user, 60)
    t.equal(granted, limit, 'the limit is exact across the move')
  },
)
