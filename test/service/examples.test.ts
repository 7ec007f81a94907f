import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { WebSocket } from 'ws'
import { openGuide } from '../support/guide.js'
import { startHeldNode } from '../support/held-node.js'
import { markdownBlocks } from '../support/markdown-blocks.js'
import { longTest } from '../support/runs.js'
import { scratchCopy } from '../support/scratch-copy.js'
import { call, post, runConcordat, startService } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

/** The examples, run as their READMEs say in a copy of this project. */
const root = fileURLToPath(new URL('../../', import.meta.url))
const copy = await scratchCopy(t)
const npm = {
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_update_notifier: 'false',
}

/** A reader in the folder of an example. */
function readerOf(name: string, env: Readonly<Record<string, string>> = {}) {
  return { cwd: join(copy.folder, 'examples', name), env: { ...npm, ...env } }
}

t.test('the backend example serves its contract, and its client watches over a WebSocket', async (t) => {
  const guide = await openGuide('examples/backend/README.md')
  const [start, curl, client] = guide.commands()
  const [, url = ''] =
    (await start?.start(readerOf('backend', { PORT: '0' })).said(/listening on (\S+)/)) ?? []
  const take = async (params: object) => {
    const { json } = await post(url, { jsonrpc: '2.0', id: 1, method: 'takeItems', params })
    return json
  }
  const socket = new WebSocket(url.replace('http', 'ws'))
  const received: { readonly params?: { readonly left: number } }[] = []
  socket.on('message', (data) => received.push(JSON.parse(String(data))))
  t.teardown(() => socket.terminate())
  await once(socket, 'open')
  socket.send('{"jsonrpc":"2.0","id":1,"method":"watchItems","params":{"item":"apple"}}')
  await until(() => received.length === 2)
  const called = await curl?.run({ ...readerOf('backend'), places: { 8080: new URL(url).port } })
  t.equal(called?.output, '{"jsonrpc":"2.0","id":1,"result":1}')
  await until(() => received.length === 3)
  t.match(received, [{ id: 1 }, { method: 'itemsLeft', params: { left: 3 } }, { params: { left: 1 } }])
  t.match(await take({ item: 'apple', count: 2 }), { error: { code: 1, message: 'Sold out' } })
  const watched = await client?.run(readerOf('backend', { RPC_URL: url.replace('http', 'ws') }))
  t.match(watched, { code: 0, output: /^1 left\n0 left$/m })
  t.match(await take({ item: 'apple', count: 0 }), { error: { code: -32_602 } })
  t.match(await runConcordat(['lint', url]), { out: /no problems/ }, 'its document is read with rpc.discover')
  const conform = await runConcordat(['conform', '--contract', url, '--only', 'json-rpc/*', url])
  t.match(conform.out, /^ {2}\d+ passed/m)
  const [shown] = markdownBlocks(
    await readFile(join(root, 'docs/backend.md'), 'utf8'),
    'Call it over a WebSocket',
    'ts',
  )
  t.equal(
    shown?.trim(),
    (await readFile(join(root, 'examples/backend/client.ts'), 'utf8')).trim(),
    'the guide shows it',
  )
})

t.test('the integrator, QA and operator examples run against a service', async (t) => {
  const service = await startService({ env: { CONCORDAT_METRICS_PORT: '0' } })
  t.teardown(() => service.stop())
  const reader = (name: string) => readerOf(name, { RPC_URL: service.networks.test.url })

  t.test('the integrator example deploys, sends, waits, and reads many logs and blocks', async (t) => {
    const [start, programs] = (await openGuide('examples/integrator/README.md')).commands()
    const { code, output = '' } = (await start?.run(reader('integrator'))) ?? {}
    t.equal(code, 0, output)
    t.match(
      output,
      /^deployed 0x[0-9a-f]{40} in block \d+\nincreased to 42\nread \d+ logs\nread 1000 blocks$/m,
    )
    t.ok(Number(/read (\d+) logs/.exec(output)?.[1]) > 10_000)
    // The second run of the indexer finds nothing new.
    for (const _ of ['first', 'second']) {
      const run = await programs?.run(reader('integrator'))
      t.equal(run?.code, 0)
      const last = run?.output.split('\n').filter((line) => /^(hello|stored|the contract)/.test(line))
      t.same(last, ['hello, 19 numbers', 'stored 2040 events', 'the contract would refuse 7'])
    }
    const [, key = ''] = /PRIVATE_KEY=(\w+)/.exec(start?.text ?? '') ?? []
    const poor = { ...reader('integrator'), places: { [key]: `0x${'11'.repeat(32)}` } }
    t.match(await start?.run(poor), { code: 1, output: /transactionRejected \(-32003\)/ })
  })

  t.test('the QA example passes, and exits with 1 when a case fails', async (t) => {
    const [conform] = (await openGuide('examples/qa/README.md')).commands()
    t.match(await conform?.run(reader('qa')), { code: 0, output: /\b2 passed\b/ })
    const { cwd } = reader('qa')
    t.match(await readFile(join(cwd, 'report.xml'), 'utf8'), /<testcase [^>]*balance/)
    const wrong = "scenario: Wrong.\nsteps: [{ call: eth_chainId, params: [], expect: { result: '0x0' } }]\n"
    await writeFile(join(cwd, 'scenarios/balance/wrong.yaml'), wrong)
    t.match(await conform?.run(reader('qa')), { code: 1, output: /\bfailed\b/ })
  })

  t.test('the operator example is ready, and its alerts name metrics that exist', async (t) => {
    const node = await startHeldNode({ eth_chainId: '0x1f', eth_blockNumber: '0x97f' })
    t.teardown(() => node.close())
    const [start, use] = (await openGuide('examples/operator/README.md')).commands()
    const started = start?.start({
      ...readerOf('operator', { CONCORDAT_PORT: '0', CONCORDAT_METRICS_PORT: '0' }),
      places: { 'http://127.0.0.1:4444': node.url },
    })
    const [, origin = ''] = (await started?.said(/"urls":\["(http:[^"]+)"/)) ?? []
    // The second terminal does not have the variables of the first.
    const used = await use?.run({ ...readerOf('operator'), places: { 8080: new URL(origin).port } })
    t.equal(used?.code, 0, used?.output ?? '')
    const [keyUrl = ''] = /http:\S+/.exec(used?.output ?? '') ?? []
    const [ready = '{}'] = /\{"status.*/.exec(used?.output ?? '') ?? []
    t.match(JSON.parse(ready), { status: 'ok', networks: { test: 'ok' } })
    t.equal(await call(new URL(new URL(keyUrl).pathname, origin).href, 'eth_blockNumber'), '0x97f')
    const alerts = await readFile(join(root, 'examples/operator/alerts.yml'), 'utf8')
    const metrics = await (await fetch(service.metrics ?? '')).text()
    for (const [name] of alerts.matchAll(/concordat_\w+/g)) t.match(metrics, `# TYPE ${name} `)
  })
})

t.test('the emitter example writes a client of the contract of this project', async (t) => {
  const [generate] = (await openGuide('examples/emitters/README.md')).commands()
  const { code, output = '' } = (await generate?.run(readerOf('emitters'))) ?? {}
  t.equal(code, 0, output)
  t.match(output, /1 would be written.*\n.*\n?.*1 written/s)
  const file = join(readerOf('emitters').cwd, 'client/python/client.py')
  t.match(await readFile(file, 'utf8'), 'def eth_chain_id')
})

/** Replaces what differs between two runs and between versions of the contract's file. */
const normalized = (line: string) =>
  line
    .replaceAll(/sha256 [0-9a-f]{12}…/g, 'SHA256')
    .replaceAll(/\d+ (?:ms|s)\b/g, 'DURATION')
    .replaceAll(/ +/g, ' ')
    .trim()

t.test('the language server of typescript has the known deviations, as the README shows', async (t) => {
  const [conform, judge] = (await openGuide('examples/qa-stdio/README.md')).commands()
  const { code, output = '' } = (await conform?.run(readerOf('qa-stdio'))) ?? {}
  t.equal(code, 0, output)
  const lines = new Set(output.split('\n').map(normalized))
  const shown = conform?.shown.split('\n') ?? []
  t.ok(shown.length > 10)
  for (const line of shown.map(normalized)) if (line !== '…') t.ok(lines.has(line), line)
  const failing = await judge?.run(readerOf('qa-stdio'))
  t.match(failing, { code: 1, output: /documents\/after-line\n.*\n +rule +positions\.after-line/ })
})

longTest('a clone is installed and started as the README of the project says', async (t) => {
  const cwd = join(await temporaryFolder(t), 'clone')
  await promisify(execFile)('git', ['clone', '--quiet', root, cwd])
  const [start] = (await openGuide('README.md', ['Run it'])).commands()
  const env = { ...npm, CONCORDAT_PORT: '0', CONCORDAT_METRICS_PORT: '0' }
  const [url = ''] = (await start?.start({ cwd, env }).said(/http:\S+-T\b/)) ?? []
  t.equal(await call(url, 'eth_chainId'), '0x1f')
})
