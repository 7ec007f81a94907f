import { eq } from 'drizzle-orm'
import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { createKeys, type Keys, reencryptKeys } from '../../../../../src/service/gateway/keys/index.js'
import { PerKeyState } from '../../../../../src/service/gateway/keys/per-key-state.js'
import {
  apiKeys,
  createSecret,
  formerSecrets,
  users,
} from '../../../../../src/service/gateway/store/index.js'
import { bothDatabases } from '../../../../support/databases.js'
import { until } from '../../../../support/until.js'

const secret = createSecret('the secret of these tests, long enough')
let people = 0
const someone = (): { readonly origin: 'cli'; readonly email: string } => {
  people += 1
  return { origin: 'cli', email: `person${people}@example.com` }
}
for (const [name, store] of await bothDatabases(t)) {
  t.test(name, async (t) => {
    const keys = createKeys({ store, secret, limits })
    /** Another process's view of the same database, without a cache. */
    const fresh = (): Keys => createKeys({ store, secret, limits })

    const create = (user = someone(), network = 'test') => keys.create({ user, network, name: 'a key' })

    t.test('a new key is found by its text, synchronously once it is cached', async (t) => {
      const { key, text } = await keys.create({
        user: someone(),
        network: 'main',
        name: ' wallet ',
        description: 'of the shop',
      })
      t.match(text, /^[A-Za-z0-9]{30}-M$/)
      t.match(key, {
        network: 'main',
        name: 'wallet',
        description: 'of the shop',
        state: 'enabled',
        origin: 'cli',
      })
      t.equal(key.masked, `${text.slice(0, 3)}…${text.slice(-4)}`)
      const accepted = {
        id: key.id,
        userId: key.userId,
        network: 'main',
        dailyLimit: null,
        monthlyLimit: null,
        userDailyLimit: null,
        access: {},
        keyState: new PerKeyState(),
      }
      t.same(await keys.lookup(text), accepted)
      t.same(keys.lookup(text), accepted, 'no promise')
      t.same(await fresh().lookup(text), accepted)
    })

    t.test('the database does not contain the key text', async (t) => {
      const { key, text } = await create()
      const [row] = await store.db.select().from(apiKeys).where(eq(apiKeys.id, key.id))
      t.notMatch(JSON.stringify(row), text)
      t.notMatch(JSON.stringify(row), text.slice(3, -4))
      t.equal(row?.secretVersion, secret.version)
    })

    t.test('invalid key texts are refused', async (t) => {
      const { text } = await create()
      const other = text.startsWith('a') ? `b${text.slice(1)}` : `a${text.slice(1)}`
      for (const wrong of [
        other,
        text.toLowerCase().replace('-t', '-T'),
        `${text.slice(0, -1)}M`,
        `${text} `,
        '',
        '../x',
      ]) {
        if (wrong !== text) t.equal(await keys.lookup(wrong), undefined, JSON.stringify(wrong))
      }
    })

    t.test('a disabled, enabled, rotated or deleted key is effective when the call ends', async (t) => {
      const { key, text } = await create()
      t.ok(await keys.lookup(text))
      t.match(await keys.disable(key.id), { state: 'disabled' })
      t.match(await keys.lookup(text), { keyId: key.id, rule: 'disabled' })
      t.match(await keys.enable(key.id), { state: 'enabled' })
      t.ok(await keys.lookup(text))
      const rotated = await keys.rotate(key.id)
      t.match(await keys.lookup(text), { keyId: key.id, rule: 'rotated' }, 'the old text stops working')
      t.match(await keys.lookup(rotated.text), { id: key.id })
      t.match(rotated.key, { id: key.id, name: 'a key', network: 'test' })
      t.not(rotated.key.masked, key.masked)
      t.match(await keys.delete(key.id), { id: key.id })
      t.equal(await keys.lookup(rotated.text), undefined)
      t.equal(await fresh().lookup(rotated.text), undefined)
    })

    t.test('after a rotation with a grace period both texts are the same key, until it ends', async (t) => {
      const { key, text } = await create()
      const other = fresh()
      const isKey = async (of: string) => {
        t.match(await keys.lookup(of), { id: key.id, userId: key.userId })
        t.match(await other.lookup(of), { id: key.id, userId: key.userId })
      }
      const isRefused = async (of: string, rule: string) => {
        t.match(await keys.lookup(of), { keyId: key.id, rule })
        t.match(await fresh().lookup(of), { keyId: key.id, rule })
      }
      const hours = limits.rotationGraceHours
      const from = Date.now()
      const second = await keys.rotate(key.id, hours)
      const since = (second.key.graceUntil?.getTime() ?? 0) - hours * 3_600_000
      t.ok(since >= from && since <= Date.now())
      await isKey(text)
      await isKey(second.text)
      await keys.disable(key.id)
      await isRefused(text, 'disabled')
      await isRefused(second.text, 'disabled')
      await keys.enable(key.id)
      await isKey(text)

      const third = await keys.rotate(key.id, 1)
      await isRefused(text, 'rotated')
      await isKey(second.text)
      await isKey(third.text)
      t.match(await keys.endGrace(key.id), { graceUntil: null })
      await isRefused(second.text, 'rotated')
      await isKey(third.text)

      const fourth = await keys.rotate(key.id, 1)
      const { now } = Date
      let later = (fourth.key.graceUntil?.getTime() ?? 0) - now() - 60_000
      t.intercept(Date, 'now', { value: () => now() + later })
      await isKey(third.text)
      later += 60_000
      await isRefused(third.text, 'rotated')
      await isKey(fourth.text)

      for (const wrong of [-1, 0.5, hours + 1, Number.NaN])
        await t.rejects(keys.rotate(key.id, wrong), { code: 'invalid_input', message: /grace period/ })
      await keys.delete(key.id)
      for (const old of [text, second.text, third.text, fourth.text])
        t.equal(await fresh().lookup(old), undefined)
    })

    t.test('a disabled key that is rotated stays disabled', async (t) => {
      const { key } = await create()
      await keys.disable(key.id)
      const { text } = await keys.rotate(key.id)
      t.match(await keys.lookup(text), { rule: 'disabled' })
    })

    t.test('concurrent lookups never cache the answer before a change', async (t) => {
      const { key, text } = await create()
      for (let round = 0; round < 10; round += 1) {
        const view = fresh()
        const early = view.lookup(text)
        const disabled = view.disable(key.id)
        const during = view.lookup(text)
        await Promise.all([early, disabled, during])
        t.match(await view.lookup(text), { rule: 'disabled' })
        await view.enable(key.id)
        t.match(await view.lookup(text), { id: key.id })
      }
    })

    t.test(
      'of any number of concurrent creations, exactly the allowed number per user succeeds',
      async (t) => {
        const user = someone()
        const outcomes = await Promise.allSettled(
          Array.from({ length: 12 }, (_, n) =>
            (n % 2 ? keys : fresh()).create({ user, network: 'test', name: `${n}` }),
          ),
        )
        t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, limits.keysPerUser)
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected')
            t.match(outcome.reason, { code: 'key_limit_reached', message: /^key_limit_reached/ })
        }
        const made = await keys.list({ email: user.email.toUpperCase() })
        t.equal(made.length, limits.keysPerUser)
        t.equal(new Set(made.map(({ userId }) => userId)).size, 1, 'and one user')
      },
    )

    t.test('disabled keys count, deleted ones do not', async (t) => {
      const user = someone()
      const made = []
      for (let n = 0; n < limits.keysPerUser; n += 1) made.push(await create(user))
      await keys.disable(made[0]?.key.id ?? '')
      await t.rejects(create(user), { code: 'key_limit_reached' })
      await keys.delete(made[1]?.key.id ?? '')
      await create(user, 'main')
      await t.rejects(create(user), { code: 'key_limit_reached' })
    })

    t.test('the row of a deleted key contains nothing to look up or show', async (t) => {
      const { key } = await create()
      await keys.rotate(key.id, 1)
      await keys.delete(key.id)
      t.equal(await store.db.$count(formerSecrets, eq(formerSecrets.keyId, key.id)), 0)
      const [row] = await store.db.select().from(apiKeys).where(eq(apiKeys.id, key.id))
      t.match(row, { state: 'deleted', slot: null, digest: null, sealed: null, secretVersion: null })
      for (const action of [keys.show, keys.rotate, keys.enable, keys.disable, keys.delete]) {
        await t.rejects(Promise.resolve<unknown>(action(key.id)), {
          code: 'key_unknown',
          message: new RegExp(key.id),
        })
      }
      t.notOk((await keys.list()).some(({ id }) => id === key.id))
    })

    t.test('invalid key ids are refused', async (t) => {
      for (const id of ['', 'key_0000000000000000', "'; drop table users; --", 'a\u0001b']) {
        await t.rejects(keys.disable(id), { code: 'key_unknown' })
      }
    })

    t.test('input is validated before anything is stored', async (t) => {
      const before = await store.db.$count(users)
      const good = {
        user: { origin: 'cli', email: 'nobody@example.com' },
        network: 'test',
        name: 'n',
      } as const
      for (const wrong of [
        { ...good, network: 'other' },
        { ...good, name: '' },
        { ...good, name: 'a\nb' },
        { ...good, name: 'n'.repeat(limits.keyNameLength + 1) },
        { ...good, description: 'd'.repeat(limits.keyDescriptionLength + 1) },
        { ...good, user: { ...good.user, email: 'nobody' } },
      ]) {
        await t.rejects(keys.create(wrong), { code: 'invalid_input' })
      }
      t.equal(await store.db.$count(users), before)
    })

    t.test('one address is one user, in any case and from any origin', async (t) => {
      const { email } = someone()
      const byOperator = await create({ origin: 'cli', email })
      const user = { origin: 'dashboard', email: email.toUpperCase() } as const
      const bySignUp = await keys.create({ user, network: 'test', name: 'n' })
      t.equal(bySignUp.key.userId, byOperator.key.userId)
      t.match(bySignUp.key, { origin: 'cli', email }, 'as it was named first')
      t.equal((await keys.list({ userId: bySignUp.key.userId })).length, 2)
    })

    t.test('a key can be shown only with its original secret', async (t) => {
      const { key, text } = await create()
      const otherText = 'another secret, long enough as well'
      t.equal((await keys.show(key.id)).text, text)
      const other = createKeys({
        store,
        secret: createSecret(otherText),
        limits,
      })
      await reencryptKeys(store.db, secret)
      await t.rejects(reencryptKeys(store.db, createSecret(otherText)), {
        code: 'secret_mismatch',
        message: /CONCORDAT_SECRET_PREVIOUS/,
      })
      await t.rejects(other.show(key.id), { code: 'secret_mismatch', message: /CONCORDAT_SECRET/ })
      t.match(await other.lookup(text), { id: key.id }, 'requests are still authorized')
      const rotated = await other.rotate(key.id)
      t.equal((await other.show(key.id)).text, rotated.text, 'and rotation repairs it')
    })

    t.test('a key that is copied to another user’s row cannot be decrypted', async (t) => {
      const [a, b] = [await create(), await create()]
      const [row] = await store.db.select().from(apiKeys).where(eq(apiKeys.id, a.key.id))
      await store.db
        .update(apiKeys)
        .set({ sealed: row?.sealed ?? '' })
        .where(eq(apiKeys.id, b.key.id))
      await t.rejects(keys.show(b.key.id), { code: 'secret_mismatch' })
    })

    t.test('a key of a removed network can be listed and deleted, and is refused', async (t) => {
      const { key, text } = await create()
      await store.db.update(apiKeys).set({ network: 'gone' }).where(eq(apiKeys.id, key.id))
      const [listed] = await keys.list({ userId: key.userId })
      t.match(listed, { id: key.id, network: 'gone', state: 'enabled' })
      t.equal(await fresh().lookup(text), undefined)
      await t.rejects(keys.rotate(key.id), {
        code: 'invalid_input',
        message: /network gone, .* Delete the key/,
      })
      t.equal((await keys.show(key.id)).text, text)
      t.match(await keys.disable(key.id), { network: 'gone', state: 'disabled' })
      t.match(await keys.delete(key.id), { id: key.id })
    })

    t.test('development keys are created for the served networks', async (t) => {
      await store.db.delete(apiKeys)
      t.same(Object.keys(await keys.ensureDevelopmentKeys(['main'])), ['main'])
      t.equal((await keys.list({ email: 'demo@example.com' })).length, 1)
    })

    t.test('the development keys are created once', async (t) => {
      const first = await keys.ensureDevelopmentKeys()
      t.match(first.test?.text, /-T$/)
      t.match(first.main?.text, /-M$/)
      t.match(first.test?.key, { email: 'demo@example.com', origin: 'embedded', state: 'enabled' })
      t.equal(first.test?.key.userId, first.main?.key.userId)
      t.same(await fresh().ensureDevelopmentKeys(), first, 'later starts return the same ones')
      await keys.delete(first.main?.key.id ?? '')
      const again = await keys.ensureDevelopmentKeys()
      t.same(again.test, first.test)
      t.not(again.main?.text, first.main?.text, 'a deleted one is created again')
    })

    t.test('the operator may give the development user up to four more keys', async (t) => {
      await store.db.delete(apiKeys)
      const more = () => create({ origin: 'cli', email: 'Demo@example.com' })
      const first = await more()
      const { test, main } = await keys.ensureDevelopmentKeys()
      t.same(
        [test?.key.id, main?.key.userId],
        [first.key.id, first.key.userId],
        'one user, with one key there',
      )
      await more()
      await more()
      await t.rejects(more(), { code: 'key_limit_reached' })
      await keys.delete(main?.key.id ?? '')
      await more()
      t.equal((await keys.ensureDevelopmentKeys()).main, undefined, 'no slot is free')
      await keys.delete(first.key.id)
      const again = await keys.ensureDevelopmentKeys()
      t.match([again.test?.key.network, again.main?.key.network], ['test', 'main'], 'in any free slot')
    })

    t.test('with a shared database, a cached key is trusted for a limited time', async (t) => {
      const { text } = await create()
      const isShared = store.server !== undefined
      const isRefused = async (found: ReturnType<Keys['lookup']>) => {
        try {
          await found
          return false
        } catch (error) {
          t.match(error, { name: 'QueryError' })
          return true
        }
      }
      const other = createKeys({
        store,
        secret,
        limits: { ...limits, keyDatabaseAbsenceSeconds: isShared ? 1 : 0 },
      })
      await other.catchUp(store.connection.query)
      await other.lookup(text)
      if (isShared) await until(() => isRefused(other.lookup(text)))
      else t.match(other.lookup(text), { network: 'test' }, 'no other process changes it')
      await other.catchUp(store.connection.query)
      t.match(other.lookup(text), { network: 'test' })
    })

    t.test('concurrent processes create one development key for each network', async (t) => {
      await store.db.delete(apiKeys)
      const all = await Promise.all(Array.from({ length: 6 }, () => fresh().ensureDevelopmentKeys()))
      t.equal(new Set(all.flatMap(({ test, main }) => [test?.text, main?.text])).size, 2)
      t.equal((await keys.list({ email: 'demo@example.com' })).length, 2)
    })

    t.test('each property of a key can be changed and takes effect immediately', async (t) => {
      const { key, text } = await create()
      t.match(key, { dailyLimit: null, monthlyLimit: null, access: {}, lastUsedAt: null })
      await keys.lookup(text)
      const contract = '0xAbCdEf0000000000000000000000000000000001'
      await keys.set(key.id, {
        dailyLimit: 10,
        access: { addresses: ['203.0.113.7'], contracts: [contract] },
      })
      await keys.set(key.id, { monthlyLimit: 20, access: { methods: ['eth_call'], addresses: null } })
      const changed = await keys.set(key.id, { name: 'renamed', description: 'of the shop' })
      const access = { contracts: [contract.toLowerCase()], methods: ['eth_call'] }
      t.not(changed.changedAt, key.changedAt)
      t.same(changed, {
        ...key,
        changedAt: changed.changedAt,
        name: 'renamed',
        description: 'of the shop',
        dailyLimit: 10,
        monthlyLimit: 20,
        access,
      })
      t.match(await keys.lookup(text), { id: key.id, dailyLimit: 10, monthlyLimit: 20, access })
      t.match(await keys.set(key.id, { dailyLimit: null, access: { contracts: null, methods: null } }), {
        dailyLimit: null,
        access: {},
      })
      await t.rejects(keys.set(key.id, { dailyLimit: 0 }), { code: 'invalid_input' })
      await t.rejects(keys.set('key_x', { dailyLimit: 1 }), { code: 'key_unknown' })
    })

    t.test('changes of another process are found by polling', async (t) => {
      const { key, text } = await create()
      const other = fresh()
      await other.catchUp(store.connection.query)
      await other.lookup(text)
      await keys.disable(key.id)
      t.match(other.lookup(text), { id: key.id }, 'not known yet')
      await other.catchUp(store.connection.query)
      t.match(await other.lookup(text), { rule: 'disabled' })
      await keys.enable(key.id)
      other.forget(key.id)
      t.match(await other.lookup(text), { id: key.id }, 'or by a notification')
    })

    t.test('a known key is looked up without the database', async (t) => {
      const { text, key } = await create()
      await keys.lookup(text)
      const found = keys.lookup(text)
      t.notOk(found instanceof Promise)
      t.match(found, { id: key.id })
    })
  })
}
