import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { password } from '../support/dashboard.js'
import { startHeldNode } from '../support/held-node.js'
import { followRecipe } from '../support/recipe.js'
import { type ContractDocument, scratchCopy } from '../support/scratch-copy.js'
import { call, post } from '../support/service.js'
import { createVisitor } from '../support/visitor.js'

/** Networks are defined by openrpc.json: each test edits only that file in a copy of this project. */

const copy = await scratchCopy(t)
await followRecipe('Add a network', copy.folder)

t.test('a third network works for keys, calls, dashboard, metrics and conformance', async (t) => {
  const { out } = await copy.run('lint', copy.folder)
  t.match(out, 'no problems')
  const service = await copy.start({ env: { CONCORDAT_METRICS_PORT: '0' } })
  const { dev, test, main } = service.networks
  if (dev === undefined) return t.fail('the service serves the network')
  t.match(dev.url, /-D$/)
  t.equal(dev.chainId, '0x21')

  await t.test('calls', async (t) => {
    t.equal(await call(dev.url, 'eth_chainId'), '0x21')
    t.equal(await call(dev.url, 'net_version'), '33')
    t.equal(await call(test.url, 'eth_chainId'), '0x1f')
    t.equal(await call(main.url, 'eth_chainId'), '0x1e')
    const head = await call(dev.url, 'eth_blockNumber')
    t.equal((await call(dev.url, 'eth_getBlockByNumber', head, false)).number, head)
  })

  await t.test('keys', async (t) => {
    const given = ['--user', 'ada@example.com', '--network', 'dev', '--name', 'own']
    const { code, out } = await copy.run('keys', 'create', ...given, '--data', service.data)
    t.equal(code, 0)
    const [, url = ''] = /(http:\S+-D)\s/.exec(out) ?? []
    t.equal(await call(url, 'eth_chainId'), '0x21')
    const wrong = await post(url.replace(/-D$/, '-T'), { jsonrpc: '2.0', id: 1, method: 'eth_chainId' })
    t.equal(wrong.status, 401)
  })

  await t.test('dashboard', async (t) => {
    const visitor = createVisitor(service.origin)
    t.match((await visitor.get('/')).html, 'Third network')
    t.match((await visitor.get('/status')).html, /Third network.*0x21/s)
    await visitor.post('/signup', { email: 'eve@example.com', password, repeated: password })
    t.match((await visitor.get('/keys/new')).html, 'Third network')
    const made = await visitor.post('/keys', { network: 'dev', name: 'mine' }, { from: '/keys/new' })
    t.match(made.location, /^\/keys\//)
    t.match((await visitor.get(made.location ?? '')).html, /…\w{2}-D\b/)
  })

  await t.test('metrics', async (t) => {
    const text = await (await fetch(service.metrics ?? '')).text()
    t.match(text, /concordat_requests_total{network="dev",method="eth_chainId",outcome="ok"} [1-9]/)
  })

  await t.test('conformance', async (t) => {
    const { code, out } = await copy.run('conform', dev.url, '--only', 'identity/*', '--only', 'blocks/*')
    t.equal(code, 0, out)
    t.match(out, /[1-9]\d* passed/)
  })
})

t.test('the nodes of a third network are a setting', async (t) => {
  const nodes = await Promise.all(
    [
      ['0x1f', '0x97f'],
      ['0x1e', '0x980'],
      ['0x21', '0x981'],
    ].map(([eth_chainId = '', eth_blockNumber = '']) => startHeldNode({ eth_chainId, eth_blockNumber })),
  )
  for (const node of nodes) t.teardown(() => node.close())
  const [test, main, dev] = nodes.map(({ url }) => url)
  const { networks, origin } = await copy.start({
    env: {
      CONCORDAT_NODES_TEST: `${test}`,
      CONCORDAT_NODES_MAIN: `${main}`,
      CONCORDAT_NODES_DEV: `${dev}`,
      CONCORDAT_PUBLIC_URL_DEV: 'https://dev.node.example',
    },
  })
  const { url = '' } = networks['dev'] ?? {}
  t.match(url, /^https:\/\/dev\.node\.example\/.*-D$/)
  t.equal(
    await call(`${origin}${new URL(url).pathname}`, 'eth_blockNumber'),
    '0x981',
    'its own node is called',
  )
})

/** Renames a network everywhere in the contract. */
function rename(document: ContractDocument, from: string, to: string): void {
  const { info } = document
  info['x-networks'] = Object.fromEntries(
    Object.entries(info['x-networks']).map(([name, network]) => [name === from ? to : name, network]),
  )
  renameWithin(document, from, to)
}

/** Names of networks are values of `x-network`, and names of servers. */
function renameWithin(value: unknown, from: string, to: string): void {
  if (typeof value !== 'object' || value === null) return
  for (const [member, inner] of Object.entries(value)) {
    if (['name', 'x-network'].includes(member) && inner === from) Object.assign(value, { [member]: to })
    else renameWithin(inner, from, to)
  }
}

t.test('a network is renamed and back', async (t) => {
  const copy = await scratchCopy(t)
  await copy.edit((document) => rename(document, 'main', 'live'))
  await copy.build()
  const { out } = await copy.run('lint', copy.folder)
  t.match(out, 'no problems')
  const renamed = await copy.start()
  t.same(Object.keys(renamed.networks).sort(), ['live', 'test'])
  t.equal(await call(renamed.networks['live']?.url ?? '', 'eth_chainId'), '0x1e')
  t.equal(await call(renamed.networks.test.url, 'eth_chainId'), '0x1f')
  const given = ['--user', 'ada@example.com', '--network', 'live', '--name', 'own', '--data', renamed.data]
  t.equal((await copy.run('keys', 'create', ...given)).code, 0)

  await copy.edit((document) => rename(document, 'live', 'main'))
  await copy.run('generate', copy.folder)
  for (const name of (await readdir('generated')).filter((name) => name !== 'dist')) {
    t.equal(
      await readFile(join(copy.folder, 'generated', name), 'utf8'),
      await readFile(join('generated', name), 'utf8'),
    )
  }
})
