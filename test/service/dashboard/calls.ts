import { generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import t from 'tap'
import { post } from '../../support/service.js'
import { limit, newcomer, origin } from './metered-harness.js'

/** Calls that the service sends for browsers without scripts. They have no additional rights. */
/** A new user with a key; calls are sent as the page does. */
async function caller({ network = 'test', address }: { network?: string; address?: string } = {}) {
  const visitor = await newcomer(address)
  const { location } = await visitor.post('/keys', { name: 'tried', network })
  const path = location?.split('?')[0] ?? ''
  const id = path.split('/').at(-1) ?? ''
  const { html } = await visitor.get(path)
  return {
    ...{ visitor, path, id },
    url: /data-secret-text="([^"]*)"/.exec(html)?.[1] ?? '',
    async send(fields: Readonly<Record<string, string>> = { method: 'eth_chainId' }) {
      const answer = await visitor.post(`${path}/call`, fields, { from: path })
      return { ...answer, ...shown(answer.html) }
    },
    /** Submits a form of the key's settings. */
    async set(form: 'settings' | 'tokens', fields: Readonly<Record<string, string>>) {
      const { status, html } = await visitor.post(`${path}/${form}`, fields)
      if (status !== 303) throw new Error(`${form}: ${status} ${html}`)
    },
  }
}

function shown(html: string) {
  const [, what = ''] = /data-answer="what"[^>]*>([^<]*)</.exec(html) ?? []
  const [, details = ''] = /data-answer="details"[^>]*>([^<]*)</.exec(html) ?? []
  return { what, details }
}

t.test('a call is answered as for any client, on either network', async (t) => {
  for (const [network, chainId] of Object.entries({ test: '0x1f', main: '0x1e' })) {
    const { send, url } = await caller({ network })
    const { status, what, html } = await send()
    t.equal(status, 200)
    t.equal(what, 'Result', network)
    t.match(html, `&quot;result&quot;: &quot;<span class="hex">${chainId}</span>&quot;`, network)
    t.match(html, `&quot;daily&quot;;r=${limit - 1};`)
    t.match(
      (await post(url, { jsonrpc: '2.0', id: 1, method: 'eth_chainId' })).headers.get('ratelimit'),
      `r=${limit - 2};`,
    )
  }
})

t.test('an address list applies to the user’s address, not to the service’s', async (t) => {
  const { send, set, url, visitor } = await caller({ address: '203.0.113.7' })
  await set('settings', { addresses: '203.0.113.0/24' })
  t.equal((await send()).what, 'Result')
  await set('settings', { addresses: '127.0.0.0/8' })
  const refused = await send()
  t.match(refused.details, /^HTTP 403 /)
  t.match(refused.what, /^Error -/)
  const forged = { 'x-forwarded-for': '203.0.113.8', 'x-concordat-person': 'guessed 127.0.0.1' }
  const chainId = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }
  t.equal((await post(url, chainId, forged)).status, 403, 'no other client can set the address')
  t.equal((await post(url, chainId)).status, 200)
  t.ok(visitor.cookies.size > 0)
})

t.test('an origin list applies to the page’s origin', async (t) => {
  const { send, set } = await caller()
  await set('settings', { origins: 'https://elsewhere.example' })
  t.match((await send()).details, /^HTTP 403 /)
  await set('settings', { origins: origin })
  t.equal((await send()).what, 'Result')
})

t.test('a key that requires a token can be called with one', async (t) => {
  const { send, set, visitor, path } = await caller()
  t.notMatch((await visitor.get(path)).html, 'JSON Web Token')
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwtPublicKey = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  await set('tokens', { jwtPublicKey, jwtId: 'backend' })
  t.match((await visitor.get(path)).html, 'JSON Web Token')
  t.match((await send()).details, /^HTTP 401 /)
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(privateKey)
  const { what, html } = await send({ method: 'eth_chainId', token })
  t.equal(what, 'Result')
  t.match(html, 'authorization: Bearer $TOKEN')
  t.notMatch(html, token, 'the token is not sent back')
  const strange = await send({ method: 'eth_chainId', token: 'two\r\nlines: of it' })
  t.equal(strange.status, 400)
  t.match(strange.html, 'Invalid token', 'not valid in a header')
})

t.test('another user’s key is not found, and its calls are not sent', async (t) => {
  const ada = await caller()
  const eve = await caller()
  const read = await eve.visitor.get(ada.path)
  const sent = await eve.visitor.post(`${ada.path}/call`, { method: 'eth_chainId' }, { from: eve.path })
  const led = await eve.visitor.get(`${ada.path}/call`)
  t.same(
    [read, sent, led].map(({ status }) => status),
    [404, 404, 404],
  )
  t.match((await ada.send()).html, `&quot;daily&quot;;r=${limit - 1};`, 'no earlier calls')
})

t.test('an unknown method is not sent', async (t) => {
  const { send, visitor, path } = await caller()
  for (const method of ['', 'eth_mine', 'constructor']) t.equal((await send({ method })).status, 400)
  t.match((await send()).html, `&quot;daily&quot;;r=${limit - 1};`)
  const { html } = await visitor.get(`${path}?method=eth_mine&example=x`)
  t.match(html, 'data-method="eth_blockNumber"', 'an invalid choice shows the first method')
})

t.test('typed text is shown again as text', async (t) => {
  const { send } = await caller()
  const { html } = await send({ method: 'web3_sha3', 'param-data': '"><script>alert(1)</script>' })
  t.notMatch(html, '<script>alert')
  t.match(html, '&lt;script>alert(1)')
})
