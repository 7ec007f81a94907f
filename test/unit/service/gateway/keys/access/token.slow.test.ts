import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { limits } from '../../../../../../generated/contract.js'
import { createKeys } from '../../../../../../src/service/gateway/keys/index.js'
import { createSecret } from '../../../../../../src/service/gateway/store/index.js'
import { bothDatabases } from '../../../../../support/databases.js'

/** Public keys of tokens, one by one, and descriptions of keys. */
const secret = createSecret('the secret of these tests, long enough')
const publicKey = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' })
const named = (id: string) => ({ id, publicKey })
let people = 0

for (const [name, store] of await bothDatabases(t)) {
  t.test(name, async (t) => {
    const keys = createKeys({ store, secret, limits })
    const create = async () => {
      people += 1
      const user = { origin: 'cli', email: `signer${people}@example.com` } as const
      return (await keys.create({ user, network: 'test', name: 'a key' })).key
    }
    const rulesOf = async (id: string) => (await keys.show(id)).key.access
    const idsOf = async (id: string) => (await rulesOf(id)).jwt?.keys.map((key) => key.id)

    t.test('public keys are added and removed in order, and the rule ends with the last one', async (t) => {
      const { id } = await create()
      await keys.set(id, { access: { origins: ['https://example.com'] } })
      await keys.addJwtKey(id, { ...named('one'), audience: 'app', algorithm: 'EdDSA' })
      await keys.addJwtKey(id, named('two'))
      t.same(await rulesOf(id), {
        origins: ['https://example.com'],
        jwt: {
          keys: [
            { id: 'one', algorithm: 'EdDSA', publicKey, audience: 'app' },
            { id: 'two', algorithm: 'EdDSA', publicKey },
          ],
        },
      })
      await keys.removeJwtKey(id, 'unknown')
      await keys.removeJwtKey(id, 'one')
      t.same(await idsOf(id), ['two'])
      await keys.removeJwtKey(id, 'two')
      t.same(await rulesOf(id), { origins: ['https://example.com'] })
    })

    t.test(
      'of many concurrent additions, exactly the allowed number succeeds, without duplicates',
      async (t) => {
        const { id } = await create()
        const ids = Array.from({ length: 2 * limits.jwtKeysPerKey }, (_, n) => `key ${n}`)
        const added = await Promise.allSettled(ids.map((each) => keys.addJwtKey(id, named(each))))
        t.equal(added.filter(({ status }) => status === 'fulfilled').length, limits.jwtKeysPerKey)
        t.equal((await idsOf(id))?.length, limits.jwtKeysPerKey)
        await t.rejects(keys.addJwtKey(id, named('another')), {
          code: 'invalid_input',
          message: /has 4 public keys/,
        })
        const other = await create()
        const same = await Promise.allSettled([1, 2, 3].map(() => keys.addJwtKey(other.id, named('same'))))
        t.equal(same.filter(({ status }) => status === 'fulfilled').length, 1)
        await t.rejects(keys.addJwtKey(other.id, named('same')), {
          message: /the id "same" is already registered/,
        })
      },
    )

    t.test('a removed public key does not return with a concurrent addition', async (t) => {
      const { id } = await create()
      for (const each of ['lost', 'kept']) await keys.addJwtKey(id, named(each))
      await Promise.all([
        keys.addJwtKey(id, named('new')),
        keys.removeJwtKey(id, 'lost'),
        keys.addJwtKey(id, named('newer')),
      ])
      t.same(new Set(await idsOf(id)), new Set(['kept', 'new', 'newer']))
    })

    t.test('a deleted or unknown key has no public keys', async (t) => {
      const { id } = await create()
      await keys.delete(id)
      for (const gone of [id, 'key_unknown']) {
        await t.rejects(keys.addJwtKey(gone, named('one')), { code: 'key_unknown' })
        await t.rejects(keys.removeJwtKey(gone, 'one'), { code: 'key_unknown' })
      }
    })

    t.test('the description of a key can be set, changed and removed', async (t) => {
      const { id } = await create()
      t.match(await keys.set(id, { useCase: ' Games ', nodeService: 'JSON-RPC' }), {
        useCase: 'Games',
        nodeService: 'JSON-RPC',
      })
      t.match(await keys.set(id, { useCase: '' }), { useCase: '', nodeService: 'JSON-RPC' })
      for (const field of ['useCase', 'nodeService'])
        await t.rejects(keys.set(id, { [field]: 'a\nb' }), { code: 'invalid_input' })
    })
  })
}
