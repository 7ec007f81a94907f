import { randomUUID } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import t from 'tap'
import { createFormerUsers, createSecret, users } from '../../../../../src/service/gateway/store/index.js'
import { bothDatabases } from '../../../../support/databases.js'
import { awayFromMidnight } from '../../../../support/midnight.js'

/** What a new account takes over from an earlier one with its address, with both kinds of database. */
const days = 90

await awayFromMidnight()
for (const [name, { db }] of await bothDatabases(t)) {
  const former = createFormerUsers(db, createSecret('a secret of this test, long enough'), days)
  const newUser = async (values: Partial<typeof users.$inferInsert> = {}) => {
    const id = `usr_${randomUUID()}`
    const email = `${id}@example.com`
    await db.insert(users).values({ id, email, origin: 'dashboard', ...values })
    return { id, email }
  }
  const remove = async (user: { readonly id: string; readonly email: string }) => {
    await former.note(user)
    await db.delete(users).where(eq(users.id, user.id))
  }
  const age = (hours: number) =>
    db.execute(sql`update former_users set deleted_at = now() - make_interval(hours => ${hours}::integer)`)
  const nothing = { id: undefined, dailyLimit: null, keyLimit: null }

  t.test(
    `${name}: of a deleted account, the id for the day and lowered limits for ${days} days`,
    async (t) => {
      const [lowered, other] = [await newUser({ dailyLimit: 5, keyLimit: 2 }), await newUser()]
      for (const user of [lowered, other]) await remove(user)
      const limits = { dailyLimit: 5, keyLimit: 2 }
      t.same(await former.of(lowered.email.toUpperCase()), { id: lowered.id, ...limits })
      t.same(await former.of(other.email), { ...nothing, id: other.id })
      t.same(await former.of('nobody@example.com'), nothing)
      await age(days * 24 - 1)
      t.same(await former.of(lowered.email), { id: undefined, ...limits })
      t.same(await former.of(other.email), nothing)
      await age(days * 24 + 1)
      t.same(await former.of(lowered.email), nothing)
    },
  )

  t.test(`${name}: of a former address, lowered limits but never the id of the account`, async (t) => {
    const user = await newUser({ keyLimit: 1 })
    await former.noteAddress(user)
    t.same(await former.of(user.email), { ...nothing, keyLimit: 1 })
  })

  t.test(
    `${name}: another account that has the address for a time washes no lowered limits off`,
    async (t) => {
      const lowered = await newUser({ dailyLimit: 5, keyLimit: 2 })
      await remove(lowered)
      const passing = { ...(await newUser({ keyLimit: 3 })), email: lowered.email }
      await former.noteAddress(passing)
      await former.noteAddress(passing)
      t.match(await former.of(lowered.email), { dailyLimit: 5, keyLimit: 2 })
      await age(days * 24 + 1)
      await former.noteAddress(passing)
      t.match(await former.of(lowered.email), { dailyLimit: null, keyLimit: 3 }, 'limits expire')
    },
  )

  t.test(`${name}: lowered limits belong to the account that took them over`, async (t) => {
    const lowered = await newUser({ dailyLimit: 5 })
    await remove(lowered)
    await former.taken(lowered.email.toUpperCase())
    t.match(await former.of(lowered.email), { dailyLimit: null })
    const next = { ...(await newUser({ dailyLimit: 7 })), email: lowered.email }
    await former.noteAddress(next)
    t.match(await former.of(lowered.email), { dailyLimit: 7 }, 'an operator has raised them meanwhile')
  })

  t.test(`${name}: lowered limits are found under each accepted secret`, async (t) => {
    const lowered = await newUser({ dailyLimit: 5 })
    await remove(lowered)
    const both = createSecret('a newer secret of this test, long enough', [
      'a secret of this test, long enough',
    ])
    const later = createFormerUsers(db, both, days)
    await later.noteAddress({ ...(await newUser()), email: lowered.email })
    t.match(await later.of(lowered.email), { dailyLimit: 5 })
  })
}
