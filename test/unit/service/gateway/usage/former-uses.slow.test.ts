import { eq, sql } from 'drizzle-orm'
import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { createKeys } from '../../../../../src/service/gateway/keys/index.js'
import { createSecret, formerSecrets } from '../../../../../src/service/gateway/store/index.js'
import {
  createFormerUses,
  deleteOldUsage,
  writeFormerUses,
} from '../../../../../src/service/gateway/usage/index.js'
import { bothDatabases } from '../../../../support/databases.js'

const secret = createSecret('the secret of these tests, long enough')

for (const [name, store] of await bothDatabases(t)) {
  const { db } = store
  const keys = createKeys({ store, secret, limits })

  /** A key that was rotated with a grace period, and counts whose writes fail as long as `isDown`. */
  async function rotated(email: string) {
    const { key } = await keys.create({ user: { origin: 'cli', email }, network: 'test', name: 'k' })
    await keys.rotate(key.id, 1)
    const stored = () => db.select().from(formerSecrets).where(eq(formerSecrets.keyId, key.id))
    const [{ digest = '' } = {}] = await stored()
    const database = { isDown: false }
    const uses = createFormerUses({
      flushSeconds: 3_600,
      async write(rows) {
        if (database.isDown) throw new Error('down')
        await writeFormerUses(db, rows)
      },
      onError: () => undefined,
    })
    return { email, id: key.id, digest, stored, database, uses }
  }

  t.test(`${name}: uses of a former text are summed, also those of an outage`, async (t) => {
    const { email, id, digest, database, uses } = await rotated('outage@example.com')
    uses.note(digest, 2, '192.0.2.1')
    await uses.flush()
    database.isDown = true
    uses.note(digest, 3, '192.0.2.2')
    await uses.flush()
    uses.note(digest, 4, '192.0.2.3')
    database.isDown = false
    await uses.close()
    const [key] = await keys.list({ email })
    t.match(key, { id, lastRotation: { requests: 9, lastClient: '192.0.2.3' } })
  })

  t.test(`${name}: no client is stored after the user has ended the grace period`, async (t) => {
    const { email, id, digest, stored, uses } = await rotated('ended@example.com')
    uses.note(digest, 2, '192.0.2.1')
    await uses.flush()
    uses.note(digest, 3, '192.0.2.2')
    await keys.endGrace(id)
    await uses.close()
    t.match(await stored(), [{ requests: 5, lastClient: null }])
    t.match(await keys.list({ email }), [{ lastRotation: { until: null, requests: 5 } }])
  })

  t.test(`${name}: no client is stored or shown after the grace period has run out`, async (t) => {
    const { email, stored, digest, uses } = await rotated('expired@example.com')
    const expire = async () => {
      await db
        .update(formerSecrets)
        .set({ acceptedUntil: sql`now()` })
        .where(eq(formerSecrets.digest, digest))
    }
    uses.note(digest, 2, '192.0.2.1')
    await uses.flush()
    await expire()
    t.match(await keys.list({ email }), [{ lastRotation: { requests: 2, lastClient: null } }])
    await deleteOldUsage(db, limits)
    t.match(await stored(), [{ requests: 2, lastClient: null }])
    uses.note(digest, 3, '192.0.2.2')
    await uses.close()
    t.match(await stored(), [{ requests: 5, lastClient: null }])
  })
}
