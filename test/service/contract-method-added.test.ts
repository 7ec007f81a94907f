import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { password } from '../support/dashboard.js'
import { seedFacts } from '../support/development-chain.js'
import { followRecipe } from '../support/recipe.js'
import { isLong } from '../support/runs.js'
import { scratchCopy } from '../support/scratch-copy.js'
import { call, cleanEnvironment, post, uncounted } from '../support/service.js'
import { until } from '../support/until.js'
import { createVisitor } from '../support/visitor.js'

/** A forwarded method is added by an edit of openrpc.json, and has every feature of other methods. */
const method = 'eth_getBlockReceipts'
const unknownBlock = '0xfffffff'

const copy = await scratchCopy(t)
await followRecipe('Add a forwarded method', copy.folder)
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
await copy.build()
const service = await copy.start({
  env: { CONCORDAT_METRICS_PORT: '0' },
  args: ['--block-seconds', '1'],
})
const { url } = service.networks.test
const ask = async (to: string, params: readonly unknown[]) =>
  (await post(to, { jsonrpc: '2.0', id: 1, method, params })).json
const deep = `0x${seedFacts.twoTransactionsWithLogsBlock.toString(16)}`

t.test('an unknown block is null, and other tags are refused', async (t) => {
  t.same(await ask(url, [unknownBlock]), { jsonrpc: '2.0', id: 1, result: null })
  t.match(await ask(url, ['safe']), { error: { code: -32602 } })
  t.match(await ask(url, []), { error: { code: -32602 } })
})

t.test('the receipts equal those of single requests', async (t) => {
  const receipts = await call(url, method, deep)
  const { transactions } = await call(url, 'eth_getBlockByNumber', deep, false)
  t.ok(transactions.length > 0)
  const single = await Promise.all(
    transactions.map((hash: string) => call(url, 'eth_getTransactionReceipt', hash)),
  )
  t.same(receipts, single)
})

t.test('allow-lists of a key apply to the method', async (t) => {
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

t.test('answers about final blocks stay cached when the head moves, and others do not', async (t) => {
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

t.test('the client has a typed function', async (t) => {
  const file = join(copy.folder, 'dist', 'src', 'block-receipts.js')
  const { stdout } = await promisify(execFile)(process.execPath, [file, url], {
    env: cleanEnvironment(uncounted),
  })
  t.match(stdout, /^\d+\n$/)
})

t.test('reference and console list the method', async (t) => {
  t.match(await readFile(join(copy.folder, 'generated', 'REFERENCE.md'), 'utf8'), `## ${method}`)
  t.match(await (await fetch(`${service.origin}/docs`)).text(), `id="method-${method}"`)
  const visitor = createVisitor(service.origin)
  await visitor.post('/signup', { email: 'eve@example.com', password })
  const made = await visitor.post('/keys', { network: 'test', name: 'mine' }, { from: '/keys/new' })
  t.match((await visitor.get(made.location ?? '')).html, `<option value="${method}"`)
})

t.test('the metrics count it', async (t) => {
  const text = await (await fetch(service.metrics ?? '')).text()
  t.match(text, new RegExp(`requests_total{network="test",method="${method}",outcome="ok"} [1-9]`))
})

t.test('its derived cases pass', async (t) => {
  const { code, out } = await copy.run('conform', url, '--only', `*${method}*`)
  t.equal(code, 0, out)
  t.match(out, /[1-9]\d* passed/)
})

t.test('the selftest of its rules succeeds', async (t) => {
  const { methods } = JSON.parse(await readFile(join(copy.folder, 'openrpc.json'), 'utf8'))
  const rules: readonly string[] = methods.find(({ name }: { name: string }) => name === method)['x-rules']
  const tried = isLong ? rules : ['lookup.block-null']
  const { code, out } = await copy.run('selftest', ...tried.flatMap((rule) => ['--only', rule]))
  t.equal(code, 0, out)
})

t.test('lint and generate refuse it without its required extensions', async (t) => {
  const copy = await scratchCopy(t)
  const safety = ['x-effect', 'x-cost', 'x-contract-addresses', 'x-answer', 'x-about', 'x-cache']
  // One member of each of the first methods.
  await copy.edit(({ methods }) => {
    for (const [at, member] of safety.entries()) delete methods[at]?.[member]
  })
  const lint = await copy.run('lint', copy.folder)
  const generate = await copy.run('generate', copy.folder)
  t.same([lint.code, generate.code], [1, 1])
  for (const member of safety) {
    const told = `lacks ${member} .*Add "${member}": `
    t.match(lint.out, new RegExp(`openrpc\\.json:\\d+:\\d+ .*\\n.*${told}`), 'the line, and the text to add')
    t.match(generate.err, new RegExp(`openrpc\\.json:\\d+:\\d+ .*${told}`))
  }
})
