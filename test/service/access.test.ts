import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Wallet } from 'ethers'
import { SignJWT } from 'jose'
import t from 'tap'
import { developmentAccounts } from '../support/development-chain.js'
import { post, runConcordat, startService } from '../support/service.js'

/** Restrictions of a key by `concordat keys set`, as callers see them (specification 5.5). */
const service = await startService({ env: { CONCORDAT_TRUSTED_PROXIES: '127.0.0.0/8' } })
t.teardown(() => service.stop())

const request = (method: string, ...params: readonly unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params })
const chainId = request('eth_chainId')

async function keys(...args: string[]) {
  const { code, out, err } = await runConcordat(['keys', ...args, '--json', '--data', service.data])
  if (code !== 0) throw new TypeError(`keys ${args.join(' ')}: ${err}`)
  return JSON.parse(out) as { readonly url: string; readonly id: string }
}

let made = 0
/** A new key with these restrictions. */
async function keyWith(...restrictions: string[]) {
  made += 1
  const user = `access-${made}@example.com`
  const key = await keys('create', '--user', user, '--network', 'test', '--name', 'restricted')
  await keys('set', key.id, ...restrictions)
  return key
}

t.test('client addresses are checked behind trusted proxies', async (t) => {
  const { url, id } = await keyWith('--allow-addresses', '203.0.113.0/24,2001:db8::/32')
  const from = async (address: string) => (await post(url, chainId, { 'x-forwarded-for': address })).status
  t.equal(await from('203.0.113.9'), 200)
  t.equal(await from('2001:db8::9'), 200)
  t.equal(await from('203.0.114.9'), 403)
  t.equal(await from('203.0.113.9, 198.51.100.1'), 403, 'the address next to the proxies counts')
  const refused = await post(url, chainId)
  t.equal(refused.status, 403)
  t.match(refused.json, {
    id: chainId.id,
    error: { code: -32016, message: "This client is not on the key's list" },
  })
  t.equal(refused.headers.get('ratelimit'), null, 'free of charge')
  const preflight = await fetch(url, { method: 'OPTIONS' })
  t.equal(preflight.status, 204, 'a preflight needs no authorization')
  await keys('set', id, '--allow-addresses', 'none')
  t.equal((await post(url, chainId)).status, 200, 'the restriction is lifted immediately')
})

t.test('an allowed origin is echoed, and others are refused', async (t) => {
  const { url } = await keyWith('--allow-origins', 'https://app.example')
  const allowed = await post(url, chainId, { origin: 'https://app.example' })
  t.equal(allowed.status, 200)
  t.equal(allowed.headers.get('access-control-allow-origin'), 'https://app.example')
  t.equal(allowed.headers.get('vary'), 'Origin')
  const refusedCall = await post(url, request('eth_nonsense'), { origin: 'https://app.example' })
  t.equal(refusedCall.headers.get('access-control-allow-origin'), 'https://app.example', 'errors, too')
  t.equal((await post(url, chainId)).status, 403)
  t.equal((await post(url, chainId, { origin: 'https://other.example' })).status, 403)
  const anybody = await post(service.networks.test.url, chainId, { origin: 'https://other.example' })
  t.equal(anybody.headers.get('access-control-allow-origin'), '*')
  t.equal(anybody.headers.get('vary'), null)
})

t.test('methods off the list do not exist for the key, also in a batch', async (t) => {
  const { url } = await keyWith('--allow-methods', 'eth_chainId,eth_getBalance')
  t.match((await post(url, chainId)).json, { result: '0x1f' })
  t.match(await post(url, request('eth_blockNumber')), { status: 200, json: { error: { code: -32601 } } })
  const batch = await post(url, [chainId, { ...request('eth_gasPrice'), id: 2 }])
  t.match(batch, {
    status: 200,
    json: [
      { id: 1, result: '0x1f' },
      { id: 2, error: { code: -32601 } },
    ],
  })
})

t.test('calls, filters, state and transactions reach only the allowed contracts', async (t) => {
  const [sender, receiver] = [developmentAccounts[5], developmentAccounts[6]]
  if (sender === undefined || receiver === undefined) throw new TypeError('no accounts')
  const listed = receiver.address
  const other = `0x${'cd'.repeat(20)}`
  const { url } = await keyWith('--allow-contracts', listed)
  const codeOf = async (method: string, ...params: readonly unknown[]) =>
    (await post(url, request(method, ...params))).json.error?.code
  t.equal(await codeOf('eth_call', { to: listed }, 'latest'), undefined)
  t.equal(await codeOf('eth_call', { to: other }, 'latest'), -32016)
  t.equal(await codeOf('eth_estimateGas', { to: listed }), undefined)
  t.equal(await codeOf('eth_estimateGas', { data: '0x00' }), -32016, 'a creation has no contract on the list')
  t.equal(await codeOf('eth_getLogs', { address: [listed] }), undefined)
  t.equal(await codeOf('eth_getLogs', { address: [listed, other] }), -32016)
  t.equal(await codeOf('eth_getLogs', {}), -32016)
  t.equal(await codeOf('eth_getBalance', listed.toUpperCase().replace('0X', '0x'), 'latest'), undefined)
  t.equal(await codeOf('eth_getBalance', other, 'latest'), -32016)
  t.equal(await codeOf('eth_getCode', other, 'latest'), -32016)
  t.equal(await codeOf('eth_getStorageAt', other, '0x0', 'latest'), -32016)
  t.equal(await codeOf('eth_blockNumber'), undefined)
  const wallet = new Wallet(sender.privateKey)
  const nonce = Number(
    (await post(url, request('eth_getTransactionCount', wallet.address, 'latest'))).json.result,
  )
  const sign = (to: string) =>
    wallet.signTransaction({
      to,
      nonce,
      gasLimit: 30_000,
      gasPrice: 60_000_000,
      chainId: 31,
      value: 1,
      type: 0,
    })
  t.equal(await codeOf('eth_sendRawTransaction', await sign(other)), -32016)
  t.equal(await codeOf('eth_sendRawTransaction', await sign(listed)), undefined)
})

t.test('tokens are required and verified, and the log contains no secret', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const file = join(service.data, 'token.pem')
  await writeFile(file, publicKey.export({ type: 'spki', format: 'pem' }))
  const { url, id } = await keyWith('--jwt-key', file, '--jwt-audience', 'gateway')
  const bearer = async (claims: Record<string, unknown>, signer = privateKey) => {
    const token = await new SignJWT({ aud: 'gateway', ...claims })
      .setProtectedHeader({ alg: 'ES256' })
      .sign(signer)
    return { authorization: `Bearer ${token}` }
  }
  const exp = Math.floor(Date.now() / 1000) + 300
  const good = await bearer({ exp })
  t.equal((await post(url, chainId, good)).status, 200)
  t.equal((await post(url, chainId, good)).status, 200, 'again')
  const refused = await post(url, chainId)
  t.match(refused, {
    status: 401,
    json: { error: { code: -32016, message: 'A valid JSON Web Token is required' } },
  })
  t.equal((await post(url, chainId, await bearer({ exp: exp - 400 }))).status, 401, 'over')
  t.equal((await post(url, chainId, await bearer({ exp, aud: 'other' }))).status, 401, 'for another audience')
  const { privateKey: foreign } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  t.equal((await post(url, chainId, await bearer({ exp }, foreign))).status, 401, 'of another signer')
  await keys('set', id, '--jwt-key', 'none')
  t.equal((await post(url, chainId)).status, 200)
  const { out, err } = service.output()
  t.notOk(`${out}${err}`.includes(good.authorization.slice(10, 40)))
})
