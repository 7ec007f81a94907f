import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { seedFacts } from '../support/development-chain.js'
import { startHeldNode } from '../support/held-node.js'
import { followRecipes, recipes, stepsOf } from '../support/recipe.js'
import { isLong, longTest } from '../support/runs.js'
import { scratchCopy } from '../support/scratch-copy.js'
import { call, cleanEnvironment, post, runConcordat } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'
import { createVisitor, password } from '../support/visitor.js'

/** All recipes of docs/extend.md, in one copy of this project. */
const method = 'eth_getBlockReceipts'
const unknownBlock = '0xfffffff'

const copy = await scratchCopy(t)
// The embedded chain is shorter than the default finality depth.
await copy.edit(({ info }) => {
  const limits = info['x-limits'] as { finalityDepth: { value: number } }
  limits.finalityDepth.value = 10
})
await writeFile(
  join(copy.folder, 'src', 'block-receipts.ts'),
  `import { createClient } from '@concordat/node-access-contract/client'
import type { Receipt } from '../generated/types.js'

const client = createClient(process.argv[2] ?? '')
const receipts: readonly Receipt[] | null = await client.${method}('latest')
console.log(receipts?.length)
// @ts-expect-error a boolean names no block
void (() => client.${method}(true))
`,
)
await followRecipes(recipes, copy.folder)
const service = await copy.start({
  env: { CONCORDAT_METRICS_PORT: '0' },
  args: ['--block-seconds', '1'],
})
const { url } = service.networks.test
const ask = async (to: string, params: readonly unknown[]) =>
  (await post(to, { jsonrpc: '2.0', id: 1, method, params })).json
const deep = `0x${seedFacts.twoTransactionsWithLogsBlock.toString(16)}`

t.test('each recipe has at most eight steps', async (t) => {
  for (const recipe of recipes) {
    t.ok(stepsOf(recipe).length > 0, `${recipe} has steps`)
    t.ok(stepsOf(recipe).length <= 8, recipe)
  }
})

for (const recipe of recipes) {
  longTest(`the steps of "${recipe}" succeed alone`, async (t) => {
    await followRecipes([recipe], (await scratchCopy(t)).folder)
  })
}

t.test('a forwarded method', async (t) => {
  await t.test('an unknown block is null, and other tags are refused', async (t) => {
    t.same(await ask(url, [unknownBlock]), { jsonrpc: '2.0', id: 1, result: null })
    t.match(await ask(url, ['safe']), { error: { code: -32602 } })
    t.match(await ask(url, []), { error: { code: -32602 } })
  })

  await t.test('the receipts equal those of single requests', async (t) => {
    const receipts = await call(url, method, deep)
    const { transactions } = await call(url, 'eth_getBlockByNumber', deep, false)
    t.ok(transactions.length > 0)
    const single = await Promise.all(
      transactions.map((hash: string) => call(url, 'eth_getTransactionReceipt', hash)),
    )
    t.same(receipts, single)
  })

  await t.test('allow-lists of a key apply to the method', async (t) => {
    const keys = (...args: readonly string[]) => copy.run('keys', ...args, '--data', service.data)
    const { out } = await keys(
      'create',
      '--user',
      'ada@example.com',
      '--network',
      'test',
      '--name',
      'x',
      '--json',
    )
    const { id, url: own } = JSON.parse(out)
    await keys('set', id, '--allow-methods', 'eth_chainId')
    t.match(await ask(own, [deep]), { error: { code: -32601 } })
    await keys('set', id, '--allow-methods', `eth_chainId,${method}`)
    t.match(await ask(own, [deep]), { result: [{ blockNumber: deep }] })
    await keys('set', id, '--allow-contracts', '0x00000000000000000000000000000000c0ffee01')
    t.match(await ask(own, [deep]), { result: [{ blockNumber: deep }] }, 'the method names no contract')
  })

  await t.test('answers about final blocks stay cached when the head moves, and others do not', async (t) => {
    const lookups = async (outcome: string) => {
      const text = await (await fetch(service.metrics ?? '')).text()
      const [, count] =
        new RegExp(`cache_lookups_total{network="test",outcome="${outcome}"} (\\d+)`).exec(text) ?? []
      return Number(count)
    }
    const head = await call(url, 'eth_blockNumber')
    await ask(url, [deep])
    await ask(url, [head])
    await until(async () => (await call(url, 'eth_blockNumber')) !== head)
    const [hits, misses] = [await lookups('hit'), await lookups('miss')]
    await ask(url, [deep])
    t.equal(await lookups('hit'), hits + 1)
    t.equal(await lookups('miss'), misses)
    await ask(url, [head])
    t.ok((await lookups('miss')) > misses)
  })

  await t.test('the client has a typed function', async (t) => {
    const file = join(copy.folder, 'dist', 'src', 'block-receipts.js')
    const { stdout } = await promisify(execFile)(process.execPath, [file, url], {
      env: cleanEnvironment(),
    })
    t.match(stdout, /^\d+\n$/)
  })

  await t.test('reference and console list the method', async (t) => {
    t.match(await readFile(join(copy.folder, 'generated', 'REFERENCE.md'), 'utf8'), `## ${method}`)
    t.match(await (await fetch(`${service.origin}/docs`)).text(), `id="method-${method}"`)
    const visitor = createVisitor(service.origin)
    await visitor.post('/signup', { email: 'eve@example.com', password })
    const made = await visitor.post('/keys', { network: 'test', name: 'mine' }, { from: '/keys/new' })
    t.match((await visitor.get(made.location ?? '')).html, `<option value="${method}"`)
  })

  await t.test('the metrics count it', async (t) => {
    const text = await (await fetch(service.metrics ?? '')).text()
    t.match(text, new RegExp(`requests_total{network="test",method="${method}",outcome="ok"} [1-9]`))
  })

  await t.test('its derived cases pass', async (t) => {
    const { code, out } = await copy.run('conform', url, '--only', `*${method}*`)
    t.equal(code, 0, out)
    t.match(out, /[1-9]\d* passed/)
  })

  await t.test('the selftest of its rules succeeds', async (t) => {
    const { methods } = JSON.parse(await readFile(join(copy.folder, 'openrpc.json'), 'utf8'))
    const rules: readonly string[] = methods.find(({ name }: { name: string }) => name === method)['x-rules']
    const tried = isLong ? rules : ['lookup.block-null']
    const { code, out } = await copy.run('selftest', ...tried.flatMap((rule) => ['--only', rule]))
    t.equal(code, 0, out)
  })
})

t.test('a method with code', async (t) => {
  const { gasLimit } = await call(url, 'eth_getBlockByNumber', 'latest', false)
  t.equal(await call(url, 'eth_getBlockGasLimit', 'latest'), gasLimit)
  t.equal(await call(url, 'eth_getBlockGasLimit', '0xfffffff'), null)
  await t.rejects(call(url, 'eth_getBlockGasLimit', 'safe'), { message: /-32602/ })
})

t.test('a third network works for keys, calls, dashboard, metrics and conformance', async (t) => {
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
    await visitor.post('/signup', { email: 'eva@example.com', password, repeated: password })
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

t.test('a dashboard page', async (t) => {
  const front = await (await fetch(service.origin)).text()
  t.match(front, '<a href="/limits">Limits</a>')
  const response = await fetch(`${service.origin}/limits`)
  t.equal(response.status, 200)
  t.match(await response.text(), /requestsPerUserPerDay.*25000/)
})

t.test('a lint rule', async (t) => {
  t.match((await copy.run('lint', copy.folder)).out, 'no problems')
  await copy.edit(({ methods }) => {
    Object.assign(methods[0] ?? {}, { summary: 'x'.repeat(121) })
  })
  const { code, out } = await copy.run('lint', copy.folder)
  t.match(out, 'has 121 characters: shorten it to 120')
  t.match(out, 'long-summary')
  t.equal(code, 1)
})

t.test('lint and generate refuse it without its required extensions', async (t) => {
  const safety = ['x-effect', 'x-cost', 'x-contract-addresses', 'x-answer', 'x-about', 'x-cache']
  const document = JSON.parse(await readFile('openrpc.json', 'utf8'))
  // One member of each of the first methods.
  for (const [at, member] of safety.entries()) delete document.methods[at][member]
  delete document.info['x-method-defaults']['x-cost']
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'openrpc.json'), JSON.stringify(document, null, 2))
  const lint = await runConcordat(['lint', folder])
  const generate = await runConcordat(['generate', folder])
  t.same([lint.code, generate.code], [1, 1])
  for (const member of safety) {
    const told = `lacks ${member} .*Add "${member}": `
    t.match(lint.out, new RegExp(`openrpc\\.json:\\d+:\\d+ .*\\n.*${told}`), 'the line, and the text to add')
    t.match(generate.err, new RegExp(`openrpc\\.json:\\d+:\\d+ .*${told}`))
  }
})
