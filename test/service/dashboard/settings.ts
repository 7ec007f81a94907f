import { generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import t from 'tap'
import { limits } from '../../../generated/contract.js'
import { post } from '../../support/service.js'
import { until } from '../../support/until.js'
import { createVisitor, hiddenFields, type Visitor } from '../../support/visitor.js'
import { newcomer, origin, urlOf } from './http-harness.js'

/** The settings of a key take effect for its callers immediately. */
const request = (method: string, ...params: readonly unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params })
const chainId = request('eth_chainId')
const pem = { type: 'spki', format: 'pem' } as const

let current: Visitor | undefined
let keys = 0

/** A user with room for another key. */
async function owner(): Promise<Visitor> {
  if (current === undefined || keys === limits.keysPerUser) {
    current = await newcomer()
    // The sign-up has made the first one.
    keys = 1
  }
  keys += 1
  return current
}

type SentForm = 'settings' | 'tokens' | 'tokens/remove'

/** A new user's key: its URL and its settings. */
async function newKey(visitor?: Visitor) {
  const ada = visitor ?? (await owner())
  const made = await ada.post('/keys', { name: 'a key', network: 'test' })
  const path = made.location?.split('?')[0] ?? made.html
  const url = urlOf((await ada.get(path)).html)
  /** Submits a valid form of the settings and returns the next page. */
  const set = async (form: SentForm, fields: Readonly<Record<string, string>>) => {
    const { status, location, html } = await ada.post(`${path}/${form}`, fields)
    if (status !== 303) throw new Error(`${form}: ${status} ${html}`)
    return (await ada.get(location ?? '')).html
  }
  const refused = (form: SentForm, fields: Readonly<Record<string, string>>) =>
    ada.post(`${path}/${form}`, fields)
  const settings = async () => (await ada.get(`${path}/settings`)).html
  return { ada, path, url, set, refused, settings }
}

t.test('client addresses from the page are enforced, in canonical form', async (t) => {
  const { url, set, settings } = await newKey()
  const from = async (address: string) => (await post(url, chainId, { 'x-forwarded-for': address })).status
  const html = await set('settings', { addresses: '203.0.113.7\r\n2001:DB8::/32, 10.0.0.0/8 10.0.0.0/8' })
  t.match(html, /Saved. The changes apply immediately/)
  t.match(html, />203\.0\.113\.7\/32\n2001:db8::\/32\n10\.0\.0\.0\/8<\/textarea>/)
  t.match(html, /Your address is <code>10\.1\./, 'the visitor’s own address is shown')
  t.equal(await from('203.0.113.7'), 200)
  t.equal(await from('2001:db8::9'), 200)
  t.equal(await from('203.0.113.8'), 403)
  await set('settings', { addresses: ' \n ' })
  t.equal(await from('203.0.113.8'), 200, 'an empty list allows all')
  t.match(await settings(), /id="addresses"[^>]*><\/textarea>/)
})

t.test('origins from the page are enforced, and the page explains their limits', async (t) => {
  const { url, set } = await newKey()
  const from = async (header: Record<string, string>) => (await post(url, chainId, header)).status
  const html = await set('settings', { origins: 'https://App.example.com/\nhttp://localhost:3000' })
  t.match(html, />https:\/\/app\.example\.com\nhttp:\/\/localhost:3000<\/textarea>/)
  t.match(html, /An origin is not a secret\./)
  t.equal(await from({ origin: 'https://app.example.com' }), 200)
  t.equal(await from({ origin: 'https://other.example.com' }), 403)
  t.equal(await from({}), 403)
})

t.test('contract addresses from the page are enforced', async (t) => {
  const { url, set } = await newKey()
  const [listed, other] = [`0x${'ab'.repeat(20)}`, `0x${'cd'.repeat(20)}`]
  const codeOf = async (to: string) =>
    (await post(url, request('eth_call', { to }, 'latest'))).json.error?.code
  await set('settings', { contracts: `0x${'AB'.repeat(20)}` })
  t.equal(await codeOf(listed), undefined)
  t.equal(await codeOf(other), -32016)
  await set('settings', { contracts: '' })
  t.equal(await codeOf(other), undefined)
})

t.test('methods from the page are enforced, and an empty choice does not mean none', async (t) => {
  const { url, set, refused } = await newKey()
  const codeOf = async (method: string) => (await post(url, request(method))).json.error?.code
  const html = await set('settings', {
    methodChoice: 'chosen',
    'method-eth_chainId': 'on',
    'method-eth_sign': 'on',
  })
  t.equal([...html.matchAll(/<input type="checkbox"[^>]* checked/g)].length, 1)
  t.match(html, /name="method-eth_chainId"[^>]* checked/)
  t.match(html, /value="chosen" checked/)
  t.equal(await codeOf('eth_chainId'), undefined)
  t.equal(await codeOf('eth_blockNumber'), -32601)
  for (const methodChoice of ['chosen', '', 'none']) {
    const again = await refused('settings', { methodChoice })
    t.equal(again.status, 400)
    t.match(again.html, /Select at least one method/)
  }
  t.equal(await codeOf('eth_blockNumber'), -32601, 'unchanged')
  await set('settings', { methodChoice: 'all', 'method-eth_chainId': 'on' })
  t.equal(await codeOf('eth_blockNumber'), undefined)
})

t.test('tokens are required from the first public key until the last one is removed', async (t) => {
  const { ada, path, url, set, refused } = await newKey()
  const [one, two] = [generateKeyPairSync('ec', { namedCurve: 'P-256' }), generateKeyPairSync('ed25519')]
  const exp = Math.floor(Date.now() / 1000) + 300
  const status = async (key = one.privateKey, alg = 'ES256', claims = {}) => {
    const token = await new SignJWT({ exp, aud: 'gateway', ...claims }).setProtectedHeader({ alg }).sign(key)
    return (await post(url, chainId, { authorization: `Bearer ${token}` })).status
  }
  const plain = async () => (await post(url, chainId)).status
  const html = await set('tokens', {
    jwtPublicKey: one.publicKey.export(pem).toString().replaceAll('\n', '\r\n'),
    jwtId: 'backend',
    jwtAlgorithm: 'ES256',
    jwtAudience: 'gateway',
  })
  t.match(html, /Each call now needs a token/)
  t.match(html, /<strong>backend<\/strong> <span class="badge">ES256<\/span>.*audience <code>gateway/)
  t.match(html, /No token is required after that/)
  t.equal(await plain(), 401)
  t.equal(await status(), 200)
  t.equal(await status(one.privateKey, 'ES256', { aud: 'other' }), 401)
  t.equal(await status(two.privateKey, 'EdDSA'), 401)

  const jwk = { ...two.publicKey.export({ format: 'jwk' }), kid: 'from-the-jwk' }
  const both = await set('tokens', { jwtPublicKey: JSON.stringify(jwk) })
  t.match(both, /<strong>from-the-jwk<\/strong> <span class="badge">EdDSA/)
  t.notMatch(both, /No token is required after that/)
  t.equal(await status(two.privateKey, 'EdDSA', { aud: 'any' }), 200)
  t.match((await refused('tokens', { jwtPublicKey: JSON.stringify(jwk) })).html, 'A public key with the id')

  await set('tokens/remove', { jwtId: 'backend' })
  t.equal(await status(), 401)
  t.equal(await plain(), 401)
  t.match(await set('tokens/remove', { jwtId: 'from-the-jwk' }), /No public keys. No token is required/)
  t.equal(await plain(), 200)

  for (let n = 0; n < limits.jwtKeysPerKey; n += 1)
    await set('tokens', { jwtPublicKey: one.publicKey.export(pem).toString(), jwtId: `key ${n}` })
  t.match((await ada.get(`${path}/tokens`)).html, /has the maximum number of public keys/)
  const more = await refused('tokens', { jwtPublicKey: one.publicKey.export(pem).toString(), jwtId: 'more' })
  t.equal(more.status, 400)
})

t.test('daily and monthly limits from the page refuse with their names', async (t) => {
  const { url, set, refused } = await newKey()
  const scope = async () => {
    const { status, json } = await post(url, chainId)
    return status === 200 ? 'answered' : `${status} ${json.error.code} ${json.error.data.scope}`
  }
  t.match(await set('settings', { dailyLimit: '2', monthlyLimit: '' }), /id="dailyLimit"[^>]* value="2"/)
  t.same([await scope(), await scope(), await scope()], ['answered', 'answered', '429 -32005 daily'])
  t.match(await set('settings', { dailyLimit: '', monthlyLimit: '3' }), /id="monthlyLimit"[^>]* value="3"/)
  const left = [await scope(), await scope(), await scope(), await scope()]
  t.equal(left.at(-1), '429 -32005 monthly')
  t.match(
    await set('settings', { dailyLimit: '25,000', monthlyLimit: '1 000 000' }),
    /value="25000".*value="1000000"/,
  )
  t.equal(await scope(), 'answered')
  for (const wrong of ['0', '-1', '1.5', '1e3', '0x10', 'many', '3000000000', '9'.repeat(400)])
    for (const field of ['dailyLimit', 'monthlyLimit']) {
      const { status, html } = await refused('settings', { dailyLimit: '', monthlyLimit: '', [field]: wrong })
      t.equal(status, 400, wrong)
      t.match(html, `id="${field}-problem"`)
      t.match(html, `value="${wrong}"`, 'the input is kept')
    }
})

t.test('an invalid entry is named with the reason, and the input is kept', async (t) => {
  const { refused, settings } = await newKey()
  const before = await settings()
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const ed25519 = generateKeyPairSync('ed25519')
  const tries: readonly (readonly [SentForm, Record<string, string>, string, string])[] = [
    ['settings', { name: ' ' }, 'name', 'The name must not be empty'],
    ['settings', { name: 'x'.repeat(limits.keyNameLength + 1) }, 'name', 'at most 64 are allowed'],
    ['settings', { name: 'a', description: 'x'.repeat(300) }, 'description', 'at most 256'],
    ['settings', { name: 'a', useCase: 'x\u202e' }, 'useCase', 'control characters'],
    ['settings', { name: 'a', nodeService: 'x\u202e' }, 'nodeService', 'control characters'],
    ['settings', { addresses: '10.0.0.1\r\n10.0.0.0/33' }, 'addresses', '"10.0.0.0/33" .* 0 to 32'],
    ['settings', { addresses: 'localhost' }, 'addresses', 'expected an IP address'],
    ['settings', { addresses: '::1 '.repeat(101) }, 'addresses', '101 entries; at most 100'],
    ['settings', { origins: 'https://a.example/path' }, 'origins', 'has no path; use https://a.example'],
    ['settings', { origins: '*' }, 'origins', 'empty to allow every origin'],
    ['settings', { contracts: '0x12' }, 'contracts', '40 hexadecimal digits'],
    ['tokens', { jwtPublicKey: 'nonsense', jwtId: 'a' }, 'jwtPublicKey', 'cannot be read as PEM or JWK'],
    ['tokens', { jwtPublicKey: '{"kty":', jwtId: 'a' }, 'jwtPublicKey', 'cannot be read as PEM or JWK'],
    [
      'tokens',
      { jwtPublicKey: rsa.publicKey.export(pem).toString(), jwtId: 'a' },
      'jwtPublicKey',
      '1024 bits; at least 2048 are required',
    ],
    [
      'tokens',
      { jwtPublicKey: ed25519.publicKey.export(pem).toString(), jwtId: 'a', jwtAlgorithm: 'RS256' },
      'jwtPublicKey',
      'is for EdDSA, not for "RS256"',
    ],
    ['tokens', { jwtPublicKey: ed25519.publicKey.export(pem).toString() }, 'jwtId', 'needs an id'],
    [
      'tokens',
      { jwtPublicKey: ed25519.publicKey.export(pem).toString(), jwtId: 'a', jwtAudience: 'x'.repeat(257) },
      'jwtAudience',
      'at most 256',
    ],
  ]
  for (const [form, fields, field, words] of tries) {
    const { status, html } = await refused(form, fields)
    t.equal(status, 400, words)
    const problem = new RegExp(`id="${field}-problem">([^<]*)<`).exec(html)?.[1]?.replaceAll('&quot;', '"')
    t.match(problem, new RegExp(words), `${form}: ${field}`)
    t.match(
      html,
      new RegExp(`<(?:input|textarea|select) id="${field}"[^>]*autofocus`),
      'the field is focused',
    )
    for (const typed of Object.values(fields)) {
      const [first = ''] = typed.trim().split(/[\r\n" ]/)
      t.ok(html.includes(first), 'the input is kept')
    }
  }
  t.equal(withoutToken(await settings()), withoutToken(before), 'nothing was changed')
})

t.test(
  'a rotation with a grace period keeps the old URL, which is counted as old when it has ended',
  async (t) => {
    const { ada, path, url } = await newKey(await newcomer())
    const status = async (of = url) => (await post(of, chainId)).status
    t.match(
      (await ada.get(`${path}/rotate`)).html,
      /value="0" checked.*works for another hour.*another 24 hours/s,
    )
    t.equal((await ada.post(`${path}/rotate`, { grace: '25' })).status, 400)
    t.equal((await ada.post(`${path}/rotate`, { grace: 'long' })).status, 400)
    t.equal(await status(), 200, 'nothing was changed')
    const rotated = await ada.post(`${path}/rotate`, { grace: '1' })
    const renewed = urlOf((await ada.get(rotated.location ?? '')).html)
    t.match(
      (await ada.get(`${path}/settings`)).html,
      /No request has come with it since the rotation\. A client that calls rarely may still have it/,
      'that is no reason to end it',
    )
    t.same([await status(), await status(renewed)], [200, 200])
    t.match((await ada.get('/keys')).html, `2 of ${limits.keysPerUser} keys`, 'both URLs are one key')
    await until(async () => {
      const { html } = await ada.get(`${path}/settings`)
      return /The old URL works until.*<dt>Answered with the old URL<\/dt><dd>1<.*<dt>Last one<\/dt><dd><time.*<code>[\da-f.:]+<\/code>.*End it now/s.test(
        html,
      )
    })
    t.pass('one of the two requests came with the old URL')
    const ended = await ada.post(`${path}/end-grace`, {})
    t.match(
      (await ada.get(ended.location ?? '')).html,
      /The old URL no longer works\. Requests with it.*<dt>Answered with the old URL<\/dt><dd>1<.*<dt>Last one<\/dt><dd><time/s,
      'how much it was used is still shown',
    )
    t.same([await status(), await status(), await status(renewed)], [401, 401, 200])
    const { html } = await ada.get(`${path}/failures`)
    t.match(html, /because of an old URL, from before this key was rotated<\/a><\/th><td>2<\/td><td>\d{4}-/)
    await ada.post(`${path}/disable`, {})
    t.same([await status(), await status(renewed)], [401, 401])
    t.match((await ada.get(`${path}/failures`)).html, /because this key was disabled<\/a><\/th><td>1</)
  },
)

t.test('the URL follows immediately when the key is rotated, disabled, enabled or deleted', async (t) => {
  const { ada, path, url } = await newKey(await newcomer())
  const status = async (of = url) => (await post(of, chainId)).status
  t.match((await ada.get(`${path}/rotate`)).html, /Rotate this key\?.*stops working immediately/s)
  t.equal(await status(), 200, 'the confirmation page changes nothing')
  const rotated = await ada.post(`${path}/rotate`, {})
  const html = (await ada.get(rotated.location ?? '')).html
  t.match(html, /Key rotated/)
  const renewed = urlOf(html)
  t.same([await status(), await status(renewed)], [401, 200])

  const disabled = await ada.post(`${path}/disable`, {})
  t.equal(await status(renewed), 401)
  t.match((await ada.get(disabled.location ?? '')).html, /Key disabled.*Enable key/s)
  const enabled = await ada.post(`${path}/enable`, {})
  t.equal(await status(renewed), 200)
  t.match((await ada.get(enabled.location ?? '')).html, /Key enabled.*Disable key/s)

  t.match((await ada.get(`${path}/delete`)).html, /Delete this key\?.*cannot be restored/s)
  t.equal(await status(renewed), 200)
  const deleted = await ada.post(`${path}/delete`, {})
  t.equal(await status(renewed), 401)
  t.match((await ada.get(deleted.location ?? '')).html, 'Key deleted')
  t.equal((await ada.get(`${path}/settings`)).status, 404)
  t.equal((await ada.post(`${path}/delete`, {})).status, 404, 'sent twice')
})

t.test('a key is renamed from the list', async (t) => {
  const { ada, path } = await newKey()
  const id = path.split('/').at(-1) ?? ''
  t.match((await ada.get('/keys')).html, `href="/keys?rename=${id}"`)
  t.match((await ada.get(`/keys?rename=${id}`)).html, /id="name"[^>]* value="a key"/)
  const wrong = await ada.post(`${path}/name`, { name: 'x'.repeat(65) })
  t.equal(wrong.status, 400)
  t.match(wrong.html, new RegExp(`value="${'x'.repeat(65)}".*id="name-problem">The name has 65`))
  const renamed = await ada.post(`${path}/name`, { name: 'another name', description: 'not of this form' })
  const { html } = await ada.get(renamed.location ?? '')
  t.match(html, /Key renamed.*another name/s)
  t.notMatch(html, 'not of this form')
  t.equal((await ada.get('/keys?rename=key_unknown')).status, 200)
})

t.test('user input is shown as text on every tab', async (t) => {
  const { ada, path, set } = await newKey()
  const name = `"><script>alert(1)</script>'`
  await set('settings', { name, description: '</textarea><img src=x onerror=alert(2)>', useCase: '"><b>' })
  await set('settings', { origins: `app://"><script>alert(3)</script>` }).catch(() => undefined)
  await set('settings', { origins: 'app://"onfocus=alert(3)' })
  await set('tokens', {
    jwtPublicKey: generateKeyPairSync('ed25519').publicKey.export(pem).toString(),
    jwtId: name,
    jwtAudience: '<svg onload=alert(4)>',
  })
  const reflected = await ada.post(`${path}/settings`, {
    origins: '</textarea><script>alert(5)</script>',
  })
  t.equal(reflected.status, 400)
  const pages = [reflected]
  for (const tab of ['', '/settings', '/tokens', '/networks', '/metrics', '/rotate', '/delete'])
    pages.push(await ada.get(path + tab))
  pages.push(await ada.get('/keys'), await ada.get(`/keys?rename=${path.split('/').at(-1)}`))
  for (const { html } of pages) {
    t.match(html, /&lt;script/)
    t.notMatch(html, /<script>alert|<img(?! src="\/assets\/)|<svg|<b>|"onfocus/)
  }
})

const forms = [
  'name',
  'settings',
  'tokens',
  'tokens/remove',
  'rotate',
  'end-grace',
  'disable',
  'enable',
  'delete',
] as const
const fields = {
  name: 'stolen',
  dailyLimit: '1',
  addresses: '10.0.0.0/8',
  origins: 'https://evil.example',
  methodChoice: 'chosen',
  'method-eth_accounts': 'on',
  jwtId: 'stolen',
}

t.test('another user’s key is not found, on every path and for every form', async (t) => {
  const { path, url, settings } = await newKey()
  const before = await settings()
  const eve = await newcomer()
  const own = await newKey(eve)
  for (const page of ['settings', 'tokens', 'networks', 'rotate', 'delete'])
    for (const id of [path, '/keys/key_0000000000000000', '/keys/new'])
      t.equal((await eve.get(`${id}/${page}`)).status, 404, `${id}/${page}`)
  for (const form of forms) {
    t.equal((await eve.post(`${path}/${form}`, { ...fields, id: own.path, key: own.path })).status, 404, form)
    const stranger = await createVisitor(origin).post(`${path}/${form}`, fields)
    t.match(stranger.location, /^\/login\?/, form)
  }
  t.equal(withoutToken(await settings()), withoutToken(before))
  t.equal((await post(url, chainId)).status, 200)
})

t.test('forms without their token, of another origin or too large change nothing', async (t) => {
  const { ada, path, url, settings } = await newKey()
  const before = await settings()
  for (const form of forms) {
    t.equal((await ada.post(`${path}/${form}`, { ...fields, _csrf: '' })).status, 403, form)
    const headers = { origin: 'https://evil.example' }
    t.equal((await ada.post(`${path}/${form}`, fields, { headers })).status, 403, form)
    t.equal((await ada.post(`${path}/${form}`, { ...fields, more: 'x'.repeat(70_000) })).status, 413, form)
  }
  t.equal(withoutToken(await settings()), withoutToken(before))
  t.equal((await post(url, chainId)).status, 200)
})

t.test('unknown fields of a form are ignored', async (t) => {
  const { ada, path, set, settings, url } = await newKey()
  const other = await newKey()
  const extra = {
    id: other.path.split('/').at(-1) ?? '',
    userId: 'usr_other',
    slot: '9',
    network: 'main',
    state: 'disabled',
    digest: 'x',
    sealed: 'x',
    secret: 'x',
    text: 'x',
    masked: 'x',
    createdAt: '2000-01-01',
    operatorDisabledAt: '2000-01-01',
    'access[jwt]': 'x',
    access: '{"methods":["eth_call"]}',
    constructor: 'x',
  }
  await set('settings', { ...extra, name: 'mine', origins: '' })
  t.equal((await post(url, chainId)).json.result, '0x1f')
  t.match(await settings(), /<h1>mine<\/h1>/)
  t.match(await other.settings(), /<h1>a key<\/h1>/)
  const several = await ada.post(`${path}/settings`, { name: '' })
  t.equal(several.status, 400)
})

/** A page without its variable parts. */
function withoutToken(html: string): string {
  return html.replace(/name="_csrf" value="[^"]*"/g, '')
}

t.test('all settings are saved together, and two tabs do not undo each other', async (t) => {
  const { ada, path, settings } = await newKey()
  const [one, two] = [hiddenFields(await settings()), hiddenFields(await settings())]
  const save = (hidden: typeof one, fields: Readonly<Record<string, string>>) =>
    ada.post(`${path}/settings`, { ...hidden, ...fields })
  /** What a browser sends for the whole form, with the values of a new key. */
  const form = {
    ...{ name: 'a key', description: '', useCase: '', nodeService: '', dailyLimit: '', monthlyLimit: '' },
    ...{ addresses: '', origins: '', contracts: '', methodChoice: 'all' },
  }
  const shownIn = async (field: string) =>
    new RegExp(`id="${field}"[^>]*?(?: value="([^"]*)"|>([^<]*)<)`)
      .exec(await settings())
      ?.slice(1)
      .join('')
  t.equal((await save(one, { ...form, name: 'of one', dailyLimit: '7' })).status, 303)
  t.equal((await save(two, { ...form, monthlyLimit: '70', origins: 'https://two.example' })).status, 303)
  for (const [field, value] of Object.entries({
    ...{ name: 'of one', dailyLimit: '7', monthlyLimit: '70', origins: 'https://two.example' },
  }))
    t.equal(await shownIn(field), value, field)

  const both = await save(two, { ...form, dailyLimit: '8', origins: 'https://two.example', contracts: '' })
  t.equal(both.status, 409, 'the same setting, changed by both')
  t.match(both.html, 'Not saved, because these settings were changed elsewhere')
  t.match(both.html, /page: Requests per day\. Your entries/)
  t.match(both.html, /id="dailyLimit-problem">Changed elsewhere[^<]*present value is:\n7</)
  t.match(both.html, /id="dailyLimit"[^>]* value="8"/, 'the input is kept')
  t.match(both.html, /id="name"[^>]* value="of one"/, 'the rest shows the present values')
  t.equal(await shownIn('dailyLimit'), '7')
  const again = {
    ...form,
    name: 'of one',
    dailyLimit: '8',
    monthlyLimit: '70',
    origins: 'https://two.example',
  }
  t.equal((await save(hiddenFields(both.html), again)).status, 303, 'saved again')
  t.equal(await shownIn('dailyLimit'), '8')

  const same = await save(hiddenFields(await settings()), again)
  t.match((await ada.get(same.location ?? '')).html, 'Nothing was changed.')
  for (const version of ['', 'x', '.'.repeat(20)]) {
    const unknown = await save({ ...one, version }, { ...again, description: 'of a form without a version' })
    t.equal(unknown.status, 409, version)
  }
  t.equal(await shownIn('description'), '')
  const wrong = await save(hiddenFields(await settings()), {
    ...again,
    dailyLimit: 'x',
    origins: 'y',
    contracts: 'z',
  })
  t.equal(wrong.status, 400)
  t.same(
    [...wrong.html.matchAll(/id="(\w+)-problem"/g)].map(([, field]) => field),
    ['dailyLimit', 'origins', 'contracts'],
    'every invalid setting is named',
  )
})

t.test('of concurrent changes of one setting, one is saved and the others are told', async (t) => {
  const { ada, path, settings } = await newKey()
  const hidden = hiddenFields(await settings())
  const answers = await Promise.all(
    [1, 2, 3, 4, 5].map((limit) => ada.post(`${path}/settings`, { ...hidden, dailyLimit: String(limit) })),
  )
  t.same(answers.map(({ status }) => status).toSorted(), [303, 409, 409, 409, 409])
})

t.test('a private key that was pasted is not sent back', async (t) => {
  const { refused } = await newKey()
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const text = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const jwk = privateKey.export({ format: 'jwk' })
  const texts = [
    text,
    text.replace('-----END PRIVATE KEY-----', ''),
    JSON.stringify(jwk),
    JSON.stringify(jwk, null, 2),
  ]
  for (const jwtPublicKey of [...texts, ...texts.map((each) => each.slice(0, -20))]) {
    const { status, html } = await refused('tokens', { jwtPublicKey, jwtId: 'backend' })
    t.equal(status, 400)
    t.match(html, 'id="jwtPublicKey-problem"')
    t.match(html, 'value="backend"', 'the rest is kept')
    if (texts.includes(jwtPublicKey)) t.match(html, 'is a private key')
    t.notMatch(html, text.split('\n')[1] ?? '')
    t.notMatch(html, String(jwk.d))
  }
})
