import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { limits } from '../../../generated/contract.js'
import { developmentAccounts } from '../../support/development-chain.js'
import { openGuide } from '../../support/guide.js'
import { markdownBlocks } from '../../support/markdown-blocks.js'
import { cleanEnvironment } from '../../support/service.js'
import { service } from './service.js'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const read = (path: string) => readFile(join(root, path), 'utf8')
const [readme, backend, integrator, library] = await Promise.all(
  ['README.md', 'docs/backend.md', 'docs/integrator.md', 'docs/questions/which-library.md'].map(read),
)
const calls = await openGuide('docs/integrator.md')
const operation = await openGuide('docs/operator.md', ['Serve it', 'Keys'])

const blocks = (text: string | undefined, section: string, language: string) =>
  markdownBlocks(text ?? '', section, language)

const given = {
  RPC_URL: service.networks.test.url,
  CONCORDAT_DATA: service.data,
  PRIVATE_KEY: developmentAccounts[3].privateKey,
}
const env = cleanEnvironment(given)

t.test('the shell examples run', async (t) => {
  const [curl] = calls.commands('Call it')
  const called = await curl?.run({ cwd: root, env: given })
  t.match(called?.output, /^{"jsonrpc":"2.0","id":1,"result":"0x[0-9a-f]+"}/)
  t.match(called?.output, '{"jsonrpc":"2.0","id":1,"result":"0x1f"},{"jsonrpc":"2.0","id":2,"result":{')
  const [keys] = operation.commands('Keys')
  const listed = await keys?.run({ cwd: root, env: given })
  t.match(listed?.output, /http:\/\/127\.0\.0\.1:\d+\/[A-Za-z0-9]{30}-T/)
  t.match(listed?.output, /ada@example\.com/)
})

t.test('the configuration of the guide for operators is served', async (t) => {
  const [file = ''] = operation.code('Serve it', 'yaml')
  const folder = await projectFolder(t)
  await writeFile(join(folder, 'concordat.yaml'), file)
  const set = { NODE_TOKEN: 'token', PROVIDER_KEY: 'key', CONCORDAT_DATA: join(folder, 'data') }
  const ports = { CONCORDAT_HOST: '127.0.0.1', CONCORDAT_PORT: '0', CONCORDAT_METRICS_PORT: '0' }
  const [serve] = operation.commands('Serve it')
  const started = serve?.start({ cwd: folder, env: { ...set, ...ports } })
  await started?.said(/"urls":/)
  await started?.stop()
})

/** A project folder with the installed packages of this project. */
async function projectFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'concordat-readme-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/**
 * Runs TypeScript programs one after the other in one process, and returns the output of each. `concordat/…` is this
 * project's source there.
 */
async function runTypeScript(folder: string, ...programs: readonly string[]): Promise<readonly string[]> {
  const end = '-- end of a program --'
  for (const [at, code] of programs.entries()) await writeFile(join(folder, `example-${at}.mts`), code)
  const all = programs.map((_, at) => `await import('./example-${at}.mts')\nconsole.log('${end}')\n`)
  await writeFile(join(folder, 'all.mts'), all.join(''))
  const { stdout } = await execute(process.execPath, ['--import=tsx', 'all.mts'], {
    cwd: folder,
    env: { ...env, TSX_TSCONFIG_PATH: join(root, 'tsconfig.json') },
  })
  return stdout.split(end).map((text) => text.trim())
}

/** The first block of TypeScript in a section of the guide for integrators. */
const shown = (section: string) => blocks(integrator, section, 'ts')[0] ?? ''

t.test('the viem example, and those of the typed client and its options run', async (t) => {
  const [first = ''] = blocks(readme, 'Integrators', 'ts')
  const sections = {
    'Call it': /^block \d+, \d+ logs in the last 101 blocks$/,
    'Typed client': /^chain 31\nbalance \d+n\ninvalidParams -32602 .+$/,
    'EIP-1193 provider': /^31\n31n$/,
    'Batches and retries': /^\d+ \d+n$/,
    'Less processor time on servers': /^0x1f$/,
    'Small bundles': /^\d+$/,
    'Quota of the client': /^\d+ of 25000$/,
    Middleware: /^0x1f$/,
    'Decoded values': /^block \d+ used \d+ gas, chain 31\n\d+ wei, nonce \d+$/,
    'Validation of results': /^block \d+\nchain 31$/,
  }
  const programs = Object.keys(sections).map(shown)
  const [wagmi = ''] = blocks(library, 'wagmi', 'ts')
  const folder = await projectFolder(t)
  const [ofReadme, ofWagmi, ...outputs] = await runTypeScript(folder, first, wagmi, ...programs)
  t.match(ofReadme, sections['Typed client'])
  t.match(ofWagmi, /^block \d+n, \d+ logs$/)
  for (const [at, [section, wanted]] of Object.entries(sections).entries())
    t.match(outputs[at], wanted, section)
})

t.test('the examples of logs, watches and receipts run, and name the limits of the contract', async (t) => {
  const sections = ['Logs of any range', 'Following the chain', 'Waiting for a receipt']
  const [logs, watch, receipt] = await runTypeScript(await projectFolder(t), ...sections.map(shown))
  t.match(logs, /^\d+ logs\n0 logs up to block 1999\n\d+ logs up to block \d+$/)
  t.match(watch, /^block \d+ 0x\w{64}\n\d+ logs up to block 2431$/)
  t.equal(receipt, 'succeeded in block 2341')
  for (const limit of [limits.blockSpanWithoutLogLimit, limits.logsPerAnswer])
    t.match(integrator, ` ${limit.toLocaleString('en')} `)
})

/** A reader's contract. */
const document = {
  openrpc: '1.3.2',
  info: { title: 'Adder', version: '1.0.0' },
  methods: [
    {
      name: 'add',
      paramStructure: 'by-position',
      params: ['a', 'b'].map((name) => ({ name, required: true, schema: { type: 'number' } })),
      result: { name: 'sum', schema: { type: 'number' } },
    },
  ],
}

t.test('the server example serves a contract', async (t) => {
  const [code = ''] = blocks(backend, 'Serve a contract', 'ts')
  const folder = await projectFolder(t)
  await writeFile(join(folder, 'your-openrpc.json'), JSON.stringify(document))
  const launcher = join(root, 'bin', 'concordat.js')
  const generate = [launcher, 'generate', 'your-openrpc.json', '--out', 'generated']
  await execute(process.execPath, generate, { cwd: folder, env })
  const [answer] = await runTypeScript(
    folder,
    `${code.replace('8080', '0')}
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'add', params: [40, 2] })
    const answer = await fetch(server.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    console.log(await answer.text())
    await server.close()`,
  )
  t.equal(answer, '{"jsonrpc":"2.0","id":1,"result":42}')
})

t.test('the example of sending a transaction runs', async (t) => {
  const [sent] = await runTypeScript(await projectFolder(t), shown('Sending a transaction'))
  t.match(sent, /^sent 0x[0-9a-f]{64}\nsucceeded with 21000 gas$/)
})
