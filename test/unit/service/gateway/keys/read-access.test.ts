import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { readAccess, readLimit } from '../../../../../src/service/gateway/keys/access/read-access.js'

const read = (changes: unknown) => readAccess(changes, limits)
const pem = { type: 'spki', format: 'pem' } as const
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ed25519 = generateKeyPairSync('ed25519')
const jwtKey = (publicKey: unknown, more = {}) => ({ jwt: { keys: [{ id: 'k', publicKey, ...more }] } })

for (const [given, want] of [
  [{}, {}],
  [
    { addresses: null, jwt: null },
    { addresses: null, jwt: null },
  ],
  [{ addresses: ['203.0.113.7', '10.0.0.0/8'] }, { addresses: ['203.0.113.7/32', '10.0.0.0/8'] }],
  [{ addresses: ['2001:DB8::1', '2001:db8::/32'] }, { addresses: ['2001:db8::1/128', '2001:db8::/32'] }],
  [{ addresses: ['10.0.0.0/8', ' 10.0.0.0/8 '] }, { addresses: ['10.0.0.0/8'] }],
  [
    { origins: ['https://Example.com:443/', 'http://localhost:3000'] },
    { origins: ['https://example.com', 'http://localhost:3000'] },
  ],
  [
    { addresses: ['::ffff:203.0.113.7', '::ffff:10.0.0.0/104'] },
    { addresses: ['203.0.113.7/32', '10.0.0.0/8'] },
  ],
  [
    { origins: ['https://example.com.', 'https://example.com.:8443'] },
    { origins: ['https://example.com', 'https://example.com:8443'] },
  ],
  [{ addresses: ['::ffff:0.0.0.0/96', '::/95'] }, { addresses: ['0.0.0.0/0', '::/95'] }],
  [
    { addresses: ['::203.0.113.7', '::203.0.113.0/120'] },
    { addresses: ['::cb00:7107/128', '::cb00:7100/120'] },
  ],
  [{ origins: ['chrome-extension://abcdef'] }, { origins: ['chrome-extension://abcdef'] }],
  [{ contracts: [`0x${'Ab'.repeat(20)}`] }, { contracts: [`0x${'ab'.repeat(20)}`] }],
  [{ methods: ['eth_call'] }, { methods: ['eth_call'] }],
] as const) {
  t.test(`${JSON.stringify(given)} is accepted`, async (t) => {
    t.same(read(given), want)
  })
}

for (const [given, message] of [
  [{ address: ['10.0.0.0/8'] }, /Unknown access rule "address"/],
  [{ addresses: [] }, /must have at least one entry/],
  [{ addresses: '10.0.0.0/8' }, /must have at least one entry/],
  [{ addresses: ['127.1'] }, /^Invalid client addresses: "127.1" \(expected an IP address/],
  [{ addresses: ['10.0.0.0/33'] }, /from 0 to 32/],
  [{ addresses: ['10.0.0.0/8/8'] }, /number from 0 to 32/],
  [{ addresses: ['2001:db8::/129'] }, /number from 0 to 128/],
  [{ addresses: ['127.1/8'] }, /expected an IP address/],
  [{ addresses: ['010.0.0.0/8'] }, /expected an IP address/],
  [{ addresses: ['fe80::1%eth0'] }, /expected an IP address/],
  [{ addresses: ['office.example', '10.0.0.0/8', '1.2.3'] }, /"office.example" \(.*\); "1.2.3" \(expected/],
  [{ addresses: Array.from({ length: 9 }, (_, n) => `x${n}`) }, /"x4" \([^"]*\); and 4 more$/],
  [{ addresses: ['x'.repeat(1_000)] }, /: "x{79}… \(expected/],
  [{ addresses: [7] }, /: 7 \(expected a string\)$/],
  [{ addresses: [undefined] }, /: undefined \(expected a string\)$/],
  [{ addresses: Array(101).fill('10.0.0.0/8') }, /101 entries; at most 100/],
  [{ origins: ['https://example.com/path'] }, /^Invalid origins: .*; use https:\/\/example.com\)$/],
  [{ origins: ['example.com'] }, /starts with https/],
  [{ origins: ['*'] }, /leave the list empty to allow every origin/],
  [{ origins: ['https://*.example.com'] }, /wildcards are not supported/],
  [{ origins: ['https://'] }, /expected an origin/],
  [{ origins: ['null'] }, /starts with https/],
  [{ contracts: ['0x12'] }, /^Invalid contract addresses: /],
  [{ methods: ['eth_sign'] }, /^Invalid methods: "eth_sign" \(unknown method\)$/],
  [jwtKey('nonsense'), /cannot be read as PEM or JWK/],
  [jwtKey(undefined), /cannot be read/],
  [jwtKey('x'.repeat(10_000)), /more than 8192 bytes/],
  [jwtKey(rsa.privateKey.export({ type: 'pkcs8', format: 'pem' })), /is a private key/],
  [jwtKey(ed25519.privateKey.export({ format: 'jwk' })), /is a private key/],
  [jwtKey({ kty: 'oct', k: 'c2VjcmV0' }), /is a private key/],
  [
    jwtKey(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export(pem)),
    /1024 bits; at least 2048 are required/,
  ],
  [
    jwtKey(generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export(pem)),
    /must be RSA, P-256 or Ed25519/,
  ],
  [jwtKey(p256.publicKey.export(pem), { algorithm: 'RS256' }), /is for ES256, not for "RS256"/],
  [jwtKey({ ...rsa.publicKey.export({ format: 'jwk' }), alg: 'RS512' }), /is for RS256, not for "RS512"/],
  [jwtKey({ keys: [rsa.publicKey.export({ format: 'jwk' })] }), /key set. Paste a single key/],
  [jwtKey(ed25519.publicKey.export(pem), { id: 'a\nb' }), /printable/],
  [jwtKey(ed25519.publicKey.export(pem), { audience: 'a\u202eb' }), /printable/],
  [{ jwt: { keys: [null] } }, /needs an id/],
  [jwtKey(ed25519.publicKey.export(pem), { id: '' }), /needs an id/],
  [jwtKey(ed25519.publicKey.export(pem), { audience: 7 }), /audience/],
  [{ jwt: { keys: [] } }, /must have at least one entry/],
  [
    { jwt: { keys: Array(5).fill({ id: 'k', publicKey: ed25519.publicKey.export(pem) }) } },
    /5 public keys; at most 4/,
  ],
  [{ jwt: { keys: Array(2).fill({ id: 'k', publicKey: ed25519.publicKey.export(pem) }) } }, /the same id/],
] as const) {
  t.test(`${JSON.stringify(given).slice(0, 60)} is refused`, async (t) => {
    t.throws(() => read(given), { code: 'invalid_input', message })
  })
}

t.test('public keys are stored as PEM with the algorithm of their type', async (t) => {
  for (const [{ publicKey }, algorithm] of [
    [rsa, 'RS256'],
    [p256, 'ES256'],
    [ed25519, 'EdDSA'],
  ] as const) {
    const want = {
      jwt: { keys: [{ id: 'k', algorithm, publicKey: publicKey.export(pem), audience: 'app' }] },
    }
    t.same(read(jwtKey(publicKey.export(pem), { audience: 'app' })), want)
    t.same(read(jwtKey(publicKey.export(pem), { audience: 'app', algorithm })), want)
    t.same(read(jwtKey(publicKey.export({ format: 'jwk' }), { audience: 'app' })), want)
    t.same(read(jwtKey(JSON.stringify(publicKey.export({ format: 'jwk' })), { audience: 'app' })), want)
  }
})

t.test('lists and public keys may be as large as the contract allows', async (t) => {
  const { allowListEntries, jwtKeysPerKey, jwtPublicKeyBytes } = limits
  const addresses = Array.from({ length: allowListEntries }, (_, n) => `192.0.2.${n}/32`)
  t.same(read({ addresses }), { addresses })
  const publicKey = ed25519.publicKey.export(pem).toString()
  const keys = Array.from({ length: jwtKeysPerKey }, (_, n) => ({ id: `k${n}`, publicKey }))
  t.match(read({ jwt: { keys } }), { jwt: { keys } })
  const padded = (bytes: number) => jwtKey(publicKey.padEnd(bytes, '\n'))
  t.match(read(padded(jwtPublicKeyBytes)), jwtKey(publicKey))
  t.throws(() => read(padded(jwtPublicKeyBytes + 1)), { message: /has more than \d+ bytes/ })
})

t.test('an id of a public key has at most 64 characters, an audience 256', async (t) => {
  const publicKey = ed25519.publicKey.export(pem)
  const texts = (id: number, audience: number) => ({ id: 'i'.repeat(id), audience: 'a'.repeat(audience) })
  t.match(read(jwtKey(publicKey, texts(64, 256))), { jwt: { keys: [texts(64, 256)] } })
  t.throws(() => read(jwtKey(publicKey, texts(65, 1))), { message: /an id of at most 64/ })
  t.throws(() => read(jwtKey(publicKey, texts(1, 257))), { message: /at most 256/ })
})

t.test('limits are whole numbers or null', async (t) => {
  t.equal(readLimit('The limit', null), null)
  for (const right of [1, 2_147_483_647]) t.equal(readLimit('The limit', right), right)
  for (const wrong of [0, -1, 1.5, '5', 2_147_483_648, undefined])
    t.throws(() => readLimit('The limit', wrong), { code: 'invalid_input', message: /^The limit must be/ })
})
