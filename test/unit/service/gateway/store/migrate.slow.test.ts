import t from 'tap'
import { migrate } from '../../../../../src/service/gateway/store/migrate.js'
import { bothDatabases } from '../../../../support/databases.js'

const journal = 'drizzle.__drizzle_migrations'

t.test('databases with unknown migrations are refused and left unchanged', async (t) => {
  for (const [name, { connection }] of await bothDatabases(t)) {
    const { query } = connection
    const applied = async () =>
      (await query(`select hash, created_at from ${journal} order by created_at`)).rows as { hash: string }[]
    const first = await applied()
    const refuses = async (what: object) => {
      const before = await applied()
      await t.rejects(migrate(connection), { name: 'OperatorError', ...what }, name)
      t.strictSame(await applied(), before, name)
    }

    const { rows } = await query(`select obj_description('${journal}'::regclass, 'pg_class') as needed`)
    t.ok(Number((rows[0] as { needed: string }).needed) <= first.length, `${name}: the need is stated`)
    await query("insert into users (id, origin, email) values ('usr_1', 'cli', 'a@example.com')")
    await query(`insert into ${journal} (hash, created_at) values ('later', 9999999999999)`)
    await query(`comment on table ${journal} is null`)
    await refuses({
      code: 'database_too_new',
      message: new RegExp(`version ${first.length + 1}\\b.* version ${first.length}\\b`),
    })
    await query(`delete from ${journal} where hash = 'later'`)

    // A newer program says how many migrations a program must know.
    await query(`insert into ${journal} (hash, created_at) values ('later', 9999999999999)`)
    await query(`comment on table ${journal} is '${first.length + 1}'`)
    await refuses({ code: 'database_too_new' })
    await query(`comment on table ${journal} is '${first.length}'`)
    const newer = await applied()
    await migrate(connection)
    t.strictSame(await applied(), newer, `${name}: the tables of a newer program are left as they are`)
    await query(`delete from ${journal} where hash = 'later'`)

    // The former first migrations had other creation times, and there were more of them.
    for (const time of [1795254281540, 1795293308960])
      await query(`insert into ${journal} (hash, created_at) values ('former', ${time})`)
    await refuses({ code: 'database_too_old', message: /CONCORDAT_DATA.*DATABASE_URL/ })
    for (const { hash } of first) await query(`delete from ${journal} where hash = $1`, [hash])
    await refuses({ code: 'database_too_old' })
    await query(`delete from ${journal} where created_at > 1795254281540`)
    await refuses({ code: 'database_too_old' })

    t.strictSame((await query('select id from users')).rows, [{ id: 'usr_1' }], name)
  }
})
