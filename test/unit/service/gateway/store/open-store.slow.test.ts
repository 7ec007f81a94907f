import { chown, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import t from 'tap'
import { openStore, QueryError } from '../../../../../src/service/gateway/index.js'
import { openEmbedded } from '../../../../../src/service/gateway/store/embedded/embedded-connection.js'
import { unpackInitialDatabase } from '../../../../../src/service/gateway/store/embedded/initial-database.js'
import { apiKeys, type Store, users } from '../../../../../src/service/gateway/store/index.js'
import { migrate } from '../../../../../src/service/gateway/store/migrate.js'
import { refuseForeignRoot } from '../../../../../src/service/gateway/store/open-store.js'
import { temporaryFolder } from '../../../../support/temporary-folder.js'

const migrationsFolder = fileURLToPath(
  new URL('../../../../../src/service/gateway/store/migrations', import.meta.url),
)

t.test('one store, during its whole life', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'data')
  const started = performance.now()
  let store: Store = await openStore({ dataDir })
  t.comment(`first start: ${(performance.now() - started).toFixed()} ms`)
  const text = (query: string, params?: unknown[]) => store.connection.query(query, params)

  await t.test('everything in the folder belongs to the owner alone', async (t) => {
    t.same((await readdir(dataDir)).sort(), ['control.sock', 'database'])
    for (const path of ['.', 'database', 'database/base']) {
      t.equal((await stat(join(dataDir, path))).mode & 0o077, 0, path)
    }
  })

  await t.test('drizzle’s queries and raw statements return equal rows', async (t) => {
    await store.db.insert(users).values({ id: 'usr_1', origin: 'cli', email: 'A@example.com' })
    const [user] = await store.db.select().from(users)
    t.ok(user?.createdAt instanceof Date)
    const [row] = await store.db.execute(sql`select email, created_at from ${users} where id = ${'usr_1'}`)
    t.equal(row?.['email'], 'A@example.com')
    t.equal(new Date(String(row?.['created_at'])).getTime(), user?.createdAt.getTime())
    t.match(await store.db.query.users.findFirst(), { id: 'usr_1' })
    t.same((await text('select 9007199254740993::bigint as big, null as nothing')).rows, [
      { big: '9007199254740993', nothing: null },
    ])
  })

  await t.test('one address is one user, in any case and from any origin', async (t) => {
    for (const origin of ['cli', 'dashboard', 'embedded'] as const) {
      const again = store.db.insert(users).values({ id: 'usr_2', origin, email: 'a@EXAMPLE.com' })
      await t.rejects(again.execute(), { cause: { code: '23505', constraint: 'users_email' } }, origin)
    }
  })

  await t.test('a key that is not deleted has slot, digest and secret', async (t) => {
    const half = { id: 'key_1', userId: 'usr_1', network: 'test', name: 'n', masked: 'm' }
    for (const values of [
      half,
      { ...half, slot: 1 },
      { ...half, slot: 0, digest: 'd', sealed: 's', secretVersion: 'v' },
    ]) {
      await t.rejects(store.db.insert(apiKeys).values(values).execute(), { cause: { code: '23514' } })
    }
  })

  await t.test('a statement is unaffected by the content of its values', async (t) => {
    const values = ["it's", "'; drop table users; --", '\\', "\\'", '$1', '🦊\n', '', '0.1', null, 7]
    const ask = () => Promise.all(values.map((value) => text('select $1::text as it', [value])))
    const told = [...(await ask()), ...(await ask())].map(({ rows }) => rows)
    const given = values.map((value) => [{ it: value === null ? null : String(value) }])
    t.same(told, [...given, ...given])
    for (let time = 0; time < 3; time += 1) {
      await t.rejects(text('select 1 / $1::integer', [0]), { name: 'QueryError', code: '22012' })
      await t.rejects(text('select * from nowhere where id = $1', ['a']), { code: '42P01' })
      t.match(await text('update users set email = email where id = $1', ['usr_1']), { count: 1 })
      t.match(await store.connection.query('select $1::bigint, $2::json', [2, '[1]'], 'array'), {
        rows: [['2', [1]]],
      })
    }
  })

  await t.test('a refused statement returns the reason', async (t) => {
    await t.rejects(text('select 1/0'), { name: 'QueryError', code: '22012', message: /division by zero/ })
    await t.rejects(text('selec'), { code: '42601' })
    await t.rejects(text('select $1::int', ['x']), QueryError)
    t.same((await text('select 1 as one')).rows, [{ one: 1 }], 'and the next one runs')
  })

  await t.test('a transaction is atomic, and others see no intermediate state', async (t) => {
    const count = async () => (await text('select count(*)::int as n from users')).rows
    const before = await count()
    const failing = store.connection.transaction(async (query) => {
      await query("insert into users (id, origin, email) values ('usr_t', 'cli', 't@example.com')")
      throw new RangeError('changed its mind')
    })
    await t.rejects(failing, RangeError)
    t.same(await count(), before)
    const broken = store.connection.transaction(async (query) => {
      await query("insert into users (id, origin, email) values ('usr_t', 'cli', 't@example.com')")
      await query('select 1/0')
    })
    await t.rejects(broken, { code: '22012' })
    t.same(await count(), before)
    const result = await store.connection.transaction(async (query) => {
      await query("insert into users (id, origin, email) values ('usr_t', 'cli', 't@example.com')")
      return (await query('select count(*)::int as n from users')).rows
    })
    t.same(await count(), result)
    const together = await Promise.all(
      [1, 2, 3].map((n) => store.connection.transaction((query) => query(`select ${n} as n`))),
    )
    t.same(
      together.map(({ rows }) => rows),
      [[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]],
    )
  })

  await t.test('a slow statement does not block this thread', async (t) => {
    let turns = 0
    let isUnderWay = true
    const statement = text('select count(*) from generate_series(1, 2000000) as a').finally(() => {
      isUnderWay = false
    })
    while (isUnderWay) {
      await new Promise(setImmediate)
      turns += 1
    }
    await statement
    // A statement on this thread would allow only a few turns, for the answer.
    t.ok(turns > 100, `this thread went on: ${turns} turns of its loop`)
  })

  await t.test('repeated migrations change nothing, also three concurrent ones', async (t) => {
    await Promise.all([1, 2, 3].map(() => migrate(store.connection)))
    const { rows } = await text('select count(*)::int as n from drizzle.__drizzle_migrations')
    t.same(rows, [
      {
        n:
          (await readdir(new URL('../../../../../src/service/gateway/store/migrations', import.meta.url)))
            .length - 1,
      },
    ])
  })

  const empty = async () => {
    await text('drop schema drizzle cascade')
    await text('drop schema public cascade')
    await text('create schema public')
  }

  await t.test('concurrent migrations of an empty database are applied once', async (t) => {
    await empty()
    await Promise.all([1, 2, 3].map(() => migrate(store.connection)))
    t.equal(await store.db.$count(users), 0)
  })

  await t.test('stored data is available after a restart', async (t) => {
    await store.db.insert(users).values({ id: 'usr_9', origin: 'cli', email: 'nine@example.com' })
    await store.close()
    const before = performance.now()
    store = await openStore({ dataDir })
    t.comment(`restart: ${(performance.now() - before).toFixed()} ms`)
    t.match(await store.db.select().from(users), [{ id: 'usr_9' }])
  })

  await t.test('a second store is refused without side effects', async (t) => {
    await t.rejects(openStore({ dataDir }), { code: 'data_folder_in_use', message: new RegExp(dataDir) })
    t.equal(await store.db.$count(users), 1)
  })

  await t.test('after the end every query is answered with an error', async (t) => {
    await store.close()
    await t.rejects(text('select 1'), { name: 'QueryError', message: /stopped/ })
    t.same(await readdir(dataDir), ['database'])
  })

  await t.test('root is refused the database of another user, who could not open it any more', async (t) => {
    const folder = join(dataDir, 'database')
    const { uid, gid } = await stat(folder)
    const other = 12_345
    const isRoot = uid === 0
    if (isRoot) await chown(folder, other, other)
    const refusal = { code: 'data_folder_unusable', message: new RegExp(`#${isRoot ? other : uid}'`) }
    await t.rejects(refuseForeignRoot(folder, 0), refusal)
    if (isRoot) await t.rejects(openStore({ dataDir }), refusal)
    await chown(folder, uid, gid)
    for (const own of [uid, undefined]) await refuseForeignRoot(folder, own)
    await (await openStore({ dataDir })).close()
  })
})

t.test('the packed database has the tables of the newest migration without rows', async (t) => {
  const folder = join(await temporaryFolder(t), 'database')
  await unpackInitialDatabase(folder)
  const packed = await openEmbedded(Promise.resolve(folder))
  t.teardown(() => packed.close())
  const { rows } = await packed.query('select hash from drizzle.__drizzle_migrations order by id')
  const migrations = readMigrationFiles({ migrationsFolder })
  t.same(
    rows,
    migrations.map(({ hash }) => ({ hash })),
    'each migration needs a new one: `npx tsx src/service/gateway/store/embedded/make-initial-database.ts`',
  )
  const tables = await packed.query("select tablename from pg_tables where schemaname = 'public'")
  t.ok(tables.rows.length > 10, `${tables.rows.length} tables`)
  for (const { tablename } of tables.rows as { tablename: string }[])
    t.same((await packed.query(`select * from "${tablename}"`)).rows, [], tablename)
})

t.test('an interrupted first start is repeated', async (t) => {
  const dataDir = await temporaryFolder(t)
  await (await openStore({ dataDir })).close()
  await rm(join(dataDir, 'database'), { recursive: true })
  const unfinished = join(dataDir, 'database.unfinished')
  await writeFile(unfinished, '')
  const store = await openStore({ dataDir })
  t.equal(await store.db.$count(users), 0)
  await store.close()
  t.same(await readdir(dataDir), ['database'])
})

t.test('a damaged database is reported as such, and the folder is released', async (t) => {
  const dataDir = await temporaryFolder(t)
  await (await openStore({ dataDir })).close()
  await writeFile(join(dataDir, 'database/global/pg_control'), 'nothing')
  for (const _again of [1, 2]) {
    await t.rejects(openStore({ dataDir }), {
      code: 'database_unusable',
      message: new RegExp(`${dataDir}.*concordat restore`),
    })
  }
})

t.test('a damaged mark of a moved database is named, with what to do', async (t) => {
  const dataDir = await temporaryFolder(t)
  const mark = join(dataDir, 'moved.json')
  for (const text of [
    '',
    '{ "id":',
    'null',
    '[]',
    '{"id":"a","to":"b"}',
    '{"id":"a","to":"b","state":"lost"}',
  ]) {
    await writeFile(mark, text)
    await t.rejects(
      openStore({ dataDir }),
      { code: 'data_folder_unusable', message: new RegExp(`${mark}.*DATABASE_URL.*remove the file`) },
      text,
    )
  }
  t.same(await readdir(dataDir), ['moved.json'], 'no database is made, and the folder is released')
})
