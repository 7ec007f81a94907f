import { readFile } from 'node:fs/promises'
import t from 'tap'
import { call, post, runConcordat, runInProcess, startService } from '../support/service.js'
import { createVisitor, newAddress, password, separateVisitors } from '../support/visitor.js'

/** A process that serves one network of the contract, and keys of both. */
const service = await startService({
  args: ['--network', 'test'],
  env: { CONCORDAT_METRICS_PORT: '0', ...separateVisitors },
})
t.teardown(() => service.stop())
const { origin, data, networks } = service
const chainId = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }

/** Creates a key with the command line, as an operator does. */
async function newKey(network: string, user: string) {
  const made = await runConcordat([
    'keys',
    'create',
    '--json',
    '--data',
    data,
    '--user',
    user,
    '--name',
    'k',
    '--network',
    network,
  ])
  if (made.code !== 0) throw new Error(made.err)
  return JSON.parse(made.out) as { readonly id: string; readonly key: string; readonly url: string }
}

t.test('only the chain and the URL of the served network are started and printed', async (t) => {
  t.same(Object.keys(networks), ['test'])
  t.equal(await call(networks.test.url, 'eth_chainId'), '0x1f')
  const banner = service.output().out
  t.match(banner, /test network {3}http/)
  t.notMatch(banner, /main network/i)
  const ready = await (await fetch(`${origin}/readyz`)).json()
  t.same(ready, { status: 'ok', networks: { test: 'ok' }, database: 'ok' })
  t.notMatch(
    await (await fetch(`${origin}/docs`)).text(),
    'Main network</td><td role="cell" data-label="URL">',
  )
})

t.test('a valid key of the other network gets an error that names the network', async (t) => {
  const own = await newKey('test', 'ada@example.com')
  const other = await newKey('main', 'ada@example.com')
  t.equal(await call(own.url, 'eth_chainId'), '0x1f')
  for (const url of [other.url, `${origin}/v2/${other.key}`, `${origin}/json-rpc/${other.key}`]) {
    const { status, json } = await post(url, chainId)
    t.equal(status, 401)
    t.same(json, {
      jsonrpc: '2.0',
      id: chainId.id,
      error: { code: -32016, message: 'This service does not serve the main network' },
    })
  }
  const conformed = await runConcordat([
    'conform',
    own.url,
    '--only',
    'keys/network-not-served',
    '--key',
    `unserved=${other.url}`,
  ])
  t.equal(conformed.code, 0, conformed.err)
  t.match(conformed.out, /1 passed/)
  const metrics = await (await fetch(service.metrics ?? '')).text()
  t.match(metrics, /^concordat_refused_total\{failure="wrongNetwork"\} [1-9]/m)
  t.match(metrics, /network="test"/)
  t.notMatch(metrics, /network="main"/)
})

t.test('any other key gets the common refusal', async (t) => {
  const common = { code: -32016, message: 'This API key is not accepted' }
  const disabled = await newKey('main', 'eve@example.com')
  t.equal((await runConcordat(['keys', 'disable', disabled.id, '--data', data])).code, 0)
  const deleted = await newKey('main', 'eve@example.com')
  t.equal((await runConcordat(['keys', 'delete', deleted.id, '--data', data])).code, 0)
  const texts = [
    disabled.key,
    deleted.key,
    ...['T', 'M', 'X', 'm'].map((suffix) => `${'a'.repeat(30)}-${suffix}`),
  ]
  for (const text of texts) {
    const { status, json } = await post(`${origin}/${text}`, chainId)
    t.equal(status, 401)
    t.same(json.error, common, text)
  }
})

t.test('the dashboard creates keys for the served network, and lists those of the other', async (t) => {
  const visitor = createVisitor(origin)
  const email = newAddress()
  t.equal((await visitor.post('/signup', { email, password })).status, 303)
  const form = (await visitor.get('/keys/new')).html
  t.match(form, '<option value="test" selected>Test network</option>')
  t.notMatch(form, 'value="main"')
  t.notMatch((await visitor.get('/')).html, 'Main network')
  const refused = await visitor.post('/keys', { name: 'k', network: 'main', description: '' })
  t.equal(refused.status, 400)
  t.match(refused.html, 'Select a network that this service serves.')

  const { id, key } = await newKey('main', email)
  const list = (await visitor.get('/keys')).html
  t.match(list, 'Main network (not served here)')
  for (const tab of ['', '/networks']) {
    const { status, html } = await visitor.get(`/keys/${id}${tab}`)
    t.equal(status, 200)
    t.match(html, 'This service does not serve the network of this key')
    t.notMatch(html, key)
  }
  for (const tab of ['/settings', '/metrics', '/rotate', '/delete']) {
    const { status, html } = await visitor.get(`/keys/${id}${tab}`)
    t.equal(status, 200, tab)
    t.match(html, 'Main network (not served here)', tab)
  }
  const called = await visitor.post(`/keys/${id}/call`, { method: 'eth_chainId' })
  t.equal(called.status, 400)
  t.match(called.html, 'This service does not serve the network of this key. The call was not sent.')
  t.equal((await visitor.post(`/keys/${id}/rotate`, {})).status, 303, 'its URL can still be invalidated')
  t.equal((await visitor.post(`/keys/${id}/delete`, {})).status, 303)
  t.notMatch((await visitor.get('/keys')).html, 'Main network')
})

t.test('a configuration selects the served networks', async (t) => {
  const env = { CONCORDAT_NETWORKS: 'main' }
  const other = await startService({ command: 'serve', env, isChainless: true })
  t.teardown(() => other.stop())
  t.same(Object.keys(other.networks), ['main'])
  const { html } = await createVisitor(other.origin).get('/')
  t.match(html, 'Main network')
  t.notMatch(html, 'Test network')
})

t.test('an unknown network is reported with the other startup problems', async (t) => {
  const { code, err } = await runInProcess(['start', '--network', 'dev', '--port', 'x'], {
    CONCORDAT_NODES_DEV: 'http://127.0.0.1:1',
  })
  t.equal(code, 2)
  const names = Object.keys(JSON.parse(await readFile('openrpc.json', 'utf8')).info['x-networks']).join(', ')
  t.match(err, `--network item 1 must be a network of the contract (${names}), not "dev"`)
  t.match(err, `CONCORDAT_NODES_DEV is not a setting: the contract has no network dev, only ${names}`)
  t.match(err, '--port must be a whole number')
})
