import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { type JWTPayload, SignJWT } from 'jose'
import t from 'tap'
import { methods } from '../../../../../../generated/methods.js'
import {
  createClientAccess,
  requireContractsAllowed,
} from '../../../../../../src/service/gateway/keys/index.js'
import type { AccessRules, JwtKey } from '../../../../../../src/service/gateway/store/index.js'

const here = { address: '203.0.113.7', origin: undefined, authorization: undefined }
const refused = { code: -32016, httpStatus: 403 }
const noToken = { code: -32016, httpStatus: 401 }

/** The refusal of a client; undefined when it is authorized. */
async function outcome(
  rules: AccessRules,
  client: Partial<typeof here> | Record<string, string | undefined>,
) {
  try {
    await createClientAccess()({ id: 'key_1', access: rules }, { ...here, ...client })
    return undefined
  } catch (error) {
    const { code, httpStatus } = error as { code: number; httpStatus: number }
    return { code, httpStatus }
  }
}

t.test('client addresses are inside or outside the networks of the list', async (t) => {
  const addresses = ['203.0.113.0/29', '2001:db8::/32']
  for (const address of ['203.0.113.0', '203.0.113.7', '2001:db8::1', '::ffff:203.0.113.7'])
    t.equal(await outcome({ addresses }, { address }), undefined, address)
  for (const address of ['203.0.113.8', '2001:db9::1', '::1', '::203.0.113.7', 'nonsense', ''])
    t.same(await outcome({ addresses }, { address }), refused, address)
  for (const entry of ['::203.0.113.0/125', '::cb00:7100/125']) {
    t.equal(await outcome({ addresses: [entry] }, { address: '::203.0.113.7' }), undefined, entry)
    t.same(await outcome({ addresses: [entry] }, { address: '203.0.113.7' }), refused, entry)
  }
})

t.test('the final dot of a host name is ignored', async (t) => {
  for (const origin of ['https://app.example.', 'https://app.example'])
    t.equal(await outcome({ origins: ['https://app.example'] }, { origin }), undefined, origin)
  const withPort = { origins: ['https://app.example:8443'] }
  t.equal(await outcome(withPort, { origin: 'https://app.example.:8443' }), undefined)
  t.equal(await outcome({ origins: ['https://app.example.'] }, { origin: 'https://app.example.' }), undefined)
  for (const origin of ['https://app.example..', 'https://app.example.evil.', 'https://.app.example'])
    t.same(await outcome({ origins: ['https://app.example'] }, { origin }), refused, origin)
})

t.test('origins match exactly, and a missing origin is refused', async (t) => {
  const origins = ['https://app.example', 'http://localhost:3000']
  t.equal(await outcome({ origins }, { origin: 'https://app.example' }), undefined)
  for (const origin of [
    undefined,
    'null',
    'https://app.example.evil',
    'http://app.example',
    'https://app.example:8443',
  ])
    t.same(await outcome({ origins }, { origin }), refused, String(origin))
})

interface Signer {
  readonly algorithm: JwtKey['algorithm']
  readonly privateKey: KeyObject
  readonly publicKey: string
}

function signer(algorithm: JwtKey['algorithm']): Signer {
  const { privateKey, publicKey } =
    algorithm === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : algorithm === 'ES256'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('ed25519')
  return { algorithm, privateKey, publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() }
}

const seconds = () => Math.floor(Date.now() / 1000)

async function token(
  { algorithm, privateKey }: Signer,
  payload: JWTPayload,
  header: Record<string, string> = {},
) {
  const signed = await new SignJWT(payload).setProtectedHeader({ alg: algorithm, ...header }).sign(privateKey)
  return { authorization: `Bearer ${signed}` }
}

const rulesOf = (...keys: readonly JwtKey[]): AccessRules => ({ jwt: { keys } })
const later = () => ({ exp: seconds() + 60 })

t.test('tokens of each supported algorithm are accepted, and no others', async (t) => {
  for (const algorithm of ['RS256', 'ES256', 'EdDSA'] as const) {
    const own = signer(algorithm)
    const rules = rulesOf({ id: 'own', algorithm, publicKey: own.publicKey })
    t.equal(await outcome(rules, await token(own, later())), undefined, algorithm)
    t.equal(
      await outcome(rules, await token(own, later(), { kid: 'own' })),
      undefined,
      `${algorithm}, with key id`,
    )
    t.same(
      await outcome(rules, await token(signer(algorithm), later())),
      noToken,
      `${algorithm}, another key`,
    )
    t.same(await outcome(rules, await token(own, {})), noToken, `${algorithm}, without expiry`)
    t.same(await outcome(rules, await token(own, { exp: seconds() - 40 })), noToken, `${algorithm}, expired`)
    t.equal(
      await outcome(rules, await token(own, { exp: seconds() - 20 })),
      undefined,
      `${algorithm}, within the clock tolerance`,
    )
    t.same(
      await outcome(rules, await token(own, { ...later(), nbf: seconds() + 50 })),
      noToken,
      'not valid yet',
    )
  }
})

t.test('an invalid token is refused', async (t) => {
  const own = signer('ES256')
  const rules = rulesOf({ id: 'own', algorithm: 'ES256', publicKey: own.publicKey })
  const { authorization } = await token(own, later())
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${authorization.split('.')[1]}.`
  for (const given of [
    undefined,
    '',
    'Bearer',
    'Bearer a.b.c',
    'Basic YTpi',
    `${authorization}x`,
    `Bearer ${unsigned}`,
  ])
    t.same(await outcome(rules, { authorization: given }), noToken, String(given).slice(0, 20))
  // A well-known attack uses the public key as the secret of a symmetric algorithm.
  const symmetric = await new SignJWT(later())
    .setProtectedHeader({ alg: 'HS256' })
    .sign(Buffer.from(own.publicKey))
  t.same(await outcome(rules, { authorization: `Bearer ${symmetric}` }), noToken, 'HS256')
})

t.test(
  'a registered audience must match, and a second key accepts tokens that the first refuses',
  async (t) => {
    const [one, other] = [signer('ES256'), signer('EdDSA')]
    const rules = rulesOf(
      { id: 'one', algorithm: 'ES256', publicKey: one.publicKey, audience: 'gateway' },
      { id: 'other', algorithm: 'EdDSA', publicKey: other.publicKey },
    )
    t.equal(await outcome(rules, await token(one, { ...later(), aud: ['x', 'gateway'] })), undefined)
    t.same(await outcome(rules, await token(one, { ...later(), aud: 'x' })), noToken)
    t.same(await outcome(rules, await token(one, later())), noToken)
    t.equal(await outcome(rules, await token(other, later())), undefined)
  },
)

t.test('a verified token is accepted synchronously until it expires', async (t) => {
  const own = signer('EdDSA')
  const rules = rulesOf({ id: 'own', algorithm: 'EdDSA', publicKey: own.publicKey })
  let time = Date.now()
  const check = createClientAccess(() => time)
  const exp = Math.floor(time / 1000) + 60
  const client = { ...here, ...(await token(own, { exp })) }
  t.ok(check({ id: 'key_1', access: rules }, client) instanceof Promise)
  await check({ id: 'key_1', access: rules }, client)
  t.equal(check({ id: 'key_1', access: rules }, client), undefined, 'no promise')
  time = (exp + 30) * 1000 - 1
  t.equal(
    check({ id: 'key_1', access: rules }, client),
    undefined,
    'the last moment within the clock tolerance',
  )
  time += 1
  t.throws(() => check({ id: 'key_1', access: rules }, client), noToken)
  await t.rejects(async () => check({ id: 'key_1', access: rules }, client), noToken)
})

t.test('a token too long for the cache is accepted and verified each time', async (t) => {
  const own = signer('EdDSA')
  const rules = rulesOf({ id: 'own', algorithm: 'EdDSA', publicKey: own.publicKey })
  const check = createClientAccess()
  const client = { ...here, ...(await token(own, { ...later(), more: 'x'.repeat(3_000) })) }
  for (const time of ['first', 'second']) {
    const checked = check({ id: 'key_1', access: rules }, client)
    t.ok(checked instanceof Promise, time)
    t.equal(await checked, undefined, time)
  }
})

const listed = `0x${'ab'.repeat(20)}`
const contractRefused = { code: -32016 }
const other = `0x${'cd'.repeat(20)}`

t.test('a contract allow-list refuses unknown methods', async (t) => {
  t.throws(() => requireContractsAllowed({ contracts: [listed] }, 'eth_newMethod', [listed]), contractRefused)
  t.doesNotThrow(() => requireContractsAllowed({}, 'eth_newMethod', [listed]), 'a key without a list')
})

t.test(
  'with a contract allow-list, a method with contracts is refused when its call names none',
  async (t) => {
    for (const { name, extensions } of Object.values(methods)) {
      const call = () => requireContractsAllowed({ contracts: [listed] }, name, [])
      if (extensions['x-contract-addresses'].length > 0) t.throws(call, contractRefused, name)
      else t.doesNotThrow(call, name)
    }
  },
)

t.test('every address of a call must be on the list', async (t) => {
  const rows = [
    [['eth_call', [{ to: listed }]], true],
    [['eth_call', [{ to: other }]], false],
    [['eth_getLogs', [{ address: [listed, listed] }]], true],
    [['eth_getLogs', [{ address: [listed, other] }]], false],
    [['eth_getLogs', [{ address: [listed, null] }]], false],
    [['eth_getLogs', [{ address: [] }]], false],
    [['eth_getBalance', [listed.toUpperCase()]], true],
    [['eth_getTransactionCount', [other]], true],
  ] as const
  for (const [[method, params], isAllowed] of rows) {
    const call = () => requireContractsAllowed({ contracts: [listed] }, method, params)
    if (isAllowed) t.doesNotThrow(call, `${method} ${JSON.stringify(params)}`)
    else t.throws(call, contractRefused, `${method} ${JSON.stringify(params)}`)
  }
})
