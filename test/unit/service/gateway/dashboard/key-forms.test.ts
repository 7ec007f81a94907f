import { generateKeyPairSync } from 'node:crypto'
import { h } from 'preact'
import { render } from 'preact-render-to-string'
import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import {
  nodeServiceOptions,
  useCaseOptions,
} from '../../../../../src/service/gateway/dashboard/keys/key-fields.js'
import { KeysPage } from '../../../../../src/service/gateway/dashboard/keys/keys-page.js'
import { problemsOf } from '../../../../../src/service/gateway/dashboard/keys/problems-of.js'
import { refusedChange } from '../../../../../src/service/gateway/dashboard/refused-change.js'
import { OperatorError } from '../../../../../src/service/gateway/index.js'
import { readJwtKey } from '../../../../../src/service/gateway/keys/access/read-jwt-key.js'
import { InvalidProperties, type KeySummary } from '../../../../../src/service/gateway/keys/index.js'

t.test('an error of a field is shown next to it', async (t) => {
  const reasons = {
    name: 'The name must not be empty',
    origins: 'Invalid origins: "a" (not one); "b" (not one)',
  }
  t.same(problemsOf(new InvalidProperties(reasons)), {
    name: 'The name must not be empty.',
    origins: 'Invalid origins: "a" (not one);\n"b" (not one).',
  })
  const three = new InvalidProperties({
    methods: 'Invalid methods: "a" (no); "b" (no); "c" (no); and 4 more',
  })
  t.same(problemsOf(three), { methods: 'Invalid methods: "a" (no);\n"b" (no);\n"c" (no); and 4 more.' })
  const problems = (field?: string) =>
    problemsOf(new OperatorError('invalid_input', 'It is wrong', { field }))
  t.same(problems('jwtId'), { jwtId: 'It is wrong.' })
  t.same(problems(), { '': 'It is wrong.' })
})

t.test('each reason to refuse a public key is shown next to the field that it is about', async (t) => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey
  const given = { id: 'a', publicKey: pem }
  const rows: readonly [field: string, change: object, words: string][] = [
    ['jwtId', { id: '' }, 'A public key needs an id'],
    ['jwtAudience', { audience: 'x'.repeat(257) }, 'The audience must be a string of at most 256'],
    ['jwtPublicKey', { publicKey: 'x' }, 'The public key "a" cannot be read'],
    ['jwtPublicKey', { publicKey: 'x'.repeat(99_999) }, 'The public key "a" has more than'],
    [
      'jwtPublicKey',
      { publicKey: privateKey.export({ format: 'jwk' }) },
      'The public key "a" is a private key',
    ],
    ['jwtPublicKey', { publicKey: '{"keys":[]}' }, 'The public key "a" is a key set'],
    ['jwtPublicKey', { publicKey: p384.export({ format: 'jwk' }) }, 'The public key "a" must be RSA'],
    ['jwtPublicKey', { algorithm: 'RS256' }, 'The public key "a" is for EdDSA'],
  ]
  for (const [field, change, words] of rows) {
    try {
      t.fail(`${readJwtKey({ ...given, ...change }, limits).id}: ${words}`)
    } catch (error) {
      const problems = Object.entries(problemsOf(error as OperatorError))
      t.same(
        problems.map(([name, reason]) => [name, reason?.slice(0, words.length)]),
        [[field, words]],
      )
    }
  }
})

t.test('the submitted choice stays selected', async (t) => {
  t.same(useCaseOptions().at(0), ['', 'Not specified'])
  t.same(useCaseOptions('Games'), useCaseOptions())
  t.same(useCaseOptions('Chess').at(-1), ['Chess', 'Chess'])
  t.same(nodeServiceOptions('Other').at(-1), ['Other', 'Other'])
})

t.test('a change succeeds, is refused with a reason, or finds no key', async (t) => {
  t.equal(await refusedChange(async () => 'done'), undefined)
  const failing = (error: Error) => refusedChange(() => Promise.reject(error))
  t.match(await failing(new OperatorError('invalid_input', 'too long')), { message: 'too long' })
  await t.rejects(failing(new OperatorError('key_unknown', 'no key')), { code: 'key_unknown' })
  await t.rejects(failing(new OperatorError('secret_mismatch', 'another secret')), {
    code: 'secret_mismatch',
  })
  await t.rejects(failing(new TypeError('broken')), { message: 'broken' })
})

t.test(
  'the requests of a key are shown as a share of the nearer limit, its own or that of the account',
  async (t) => {
    const shown = (dailyLimit: number | null) =>
      render(
        h(KeysPage, {
          keys: [
            {
              id: 'key_a',
              name: 'wallet',
              description: '',
              network: 'test',
              dailyLimit,
              lastUsedAt: null,
            } as KeySummary,
          ],
          activity: new Map([['key_a', { chargedToday: 90, hours: [] }]]),
          networks: new Map(),
          limits: { ...limits, requestsPerUserPerDay: 100 },
          isLowered: true,
          limitsReason: null,
        }),
      )
    t.match(shown(null), '90 % of 100<')
    t.match(shown(180), '90 % of 100<')
    t.match(shown(99), '90.9 % of 99<')
  },
)
