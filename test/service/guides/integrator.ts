import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { limits } from '../../../generated/contract.js'
import { developmentAccounts } from '../../support/development-chain.js'
import { openGuide } from '../../support/guide.js'
import { markdownBlocks } from '../../support/markdown-blocks.js'
import { reader } from '../../support/reader.js'
import { runPrograms } from '../../support/reader-programs.js'
import { service } from './service.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const [readme, integrator, library] = await Promise.all([
  readFile(join(reader.guides, 'README.md'), 'utf8'),
  readFile(join(reader.guides, 'docs/integrator.md'), 'utf8'),
  readFile(join(reader.guides, 'docs/questions/which-library.md'), 'utf8'),
])
const calls = await openGuide('docs/integrator.md')

const given = { RPC_URL: service.networks.test.url, PRIVATE_KEY: developmentAccounts[3].privateKey }
const run = async (...programs: readonly string[]) =>
  runPrograms(await reader.newFolder(t), given, ...programs)

t.test('the calls of the guide are answered', async (t) => {
  const [curl] = calls.commands('Call it')
  const called = await curl?.run({ cwd: root, env: given })
  t.match(called?.output, /^{"jsonrpc":"2.0","id":1,"result":"0x[0-9a-f]+"}/)
  t.match(called?.output, '{"jsonrpc":"2.0","id":1,"result":"0x1f"},{"jsonrpc":"2.0","id":2,"result":{')
})

/** The first block of TypeScript in a section of the guide for integrators. */
const shown = (section: string) => markdownBlocks(integrator, section, 'ts')[0] ?? ''

t.test('the viem example, and those of the typed client and its options run', async (t) => {
  const [first = ''] = markdownBlocks(readme, 'Integrators', 'ts')
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
    Contracts: /^7n\n7n hello\nrefused 7n\n\d+ events up to block \d+$/,
    'Several endpoints': /^31$/,
    'Validation of results': /^block \d+\nchain 31$/,
  }
  const programs = Object.keys(sections).map(shown)
  const [wagmi = ''] = markdownBlocks(library, 'wagmi', 'ts')
  const [ofReadme, ofWagmi, ...outputs] = await run(first, wagmi, ...programs)
  t.match(ofReadme, sections['Typed client'])
  t.match(ofWagmi, /^block \d+n, \d+ logs$/)
  for (const [at, [section, wanted]] of Object.entries(sections).entries())
    t.match(outputs[at], wanted, section)
})

t.test('the examples of logs, watches and receipts run, and name the limits of the contract', async (t) => {
  const sections = ['Logs of any range', 'Following the chain', 'Waiting for a receipt']
  const [logs, watch, receipt] = await run(...sections.map(shown))
  t.match(logs, /^\d+ logs\n0 logs up to block 1999\n\d+ logs up to block \d+$/)
  t.match(watch, /^block \d+ 0x\w{64}\n\d+ logs up to block 2431$/)
  t.equal(receipt, 'succeeded in block 2341')
  for (const limit of [limits.blockSpanWithoutLogLimit, limits.logsPerAnswer])
    t.match(integrator, ` ${limit.toLocaleString('en')} `)
})

t.test('the example of sending a transaction runs', async (t) => {
  const [sent] = await run(shown('Sending a transaction'))
  t.match(sent, /^sent 0x[0-9a-f]{64}\nsucceeded with 21000 gas$/)
})
