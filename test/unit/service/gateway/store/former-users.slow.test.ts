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
}
