import { execFile } from 'node:child_process'
import { access, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { parse, stringify } from 'yaml'
import { functionExamples } from '../../../src/chain-functions/index.js'
import { markdownBlocks } from '../../support/markdown-blocks.js'
import { isLong } from '../../support/runs.js'
import { cleanEnvironment, runConcordat } from '../../support/service.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { startMockCommand } from '../mock-harness.js'
import { service } from './service.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const guide = await readFile(join(root, 'conformance', 'README.md'), 'utf8')
const blocks = (section: string, language: string) => markdownBlocks(guide, section, language)

/** A contract with one method and one rule. */
const shop = {
  openrpc: '1.3.2',
  info: {
    title: 'Shop',
    version: '1.0.0',
    'x-rules': [{ id: 'cart.total', level: 'mandatory', text: 'The total is the sum of all prices.' }],
  },
  methods: [
    {
      name: 'cart.total',
      params: [],
      result: { name: 'total', schema: { type: 'integer' } },
      examples: [{ name: 'three', params: [], result: { name: 'total', value: 3 } }],
      'x-rules': ['cart.total'],
    },
  ],
}

const url = service.networks.test.url
const folder = await temporaryFolder(t)

/** Writes the folder and the words of a command, each with a null byte. */
const write = 'npx() { printf "%s\\0" $# "$PWD" "$@"; }'

/**
 * Runs shell lines of the guide in a reader's folder. The shell expands them, and this process runs each command, which
 * saves the start of a process.
 */
async function runLines(lines: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-euc', `${write}\n${lines}`], {
    env: cleanEnvironment({ RPC_URL: url, ...env }),
    cwd: folder,
  })
  const words = stdout.split('\0').slice(0, -1)
  let output = ''
  while (words.length > 0) {
    const [count, cwd = '', program, ...args] = words.splice(0, 2 + Number(words[0]))
    if (program !== 'concordat') throw new TypeError(`npx ${program}: ${count} words`)
    process.chdir(cwd)
    const { code, out, err } = await runConcordat(args, env).finally(() => process.chdir(root))
    output += out
    if (code !== 0) throw Object.assign(new Error(err), { code, stdout: output })
  }
  return output
}

t.test('the first run succeeds', async (t) => {
  const [run = '', look = ''] = blocks('First run, in a minute', 'sh')
  // conform/runs.test.ts runs all cases.
  t.match(await runLines(isLong ? run : `${run.trim()} --only 'blocks/*'`), /\d+ passed.*\n?.*0 writes/)
  t.match(await runLines(look), /logs-limits\//)
})

t.test('the reports are written, and judged again', async (t) => {
  const [run = '', verify = ''] = blocks('Reports', 'sh')
  await runLines(run)
  t.match(await readFile(join(folder, 'report.html'), 'utf8'), /^<!doctype html>/i)
  t.match(await readFile(join(folder, 'report.xml'), 'utf8'), /^<\?xml .*\n?<testsuites/)
  await runLines(verify)
})

t.test('a known failure that passes fails the run', async (t) => {
  const [list = ''] = blocks('Known failures', 'yaml')
  const file = join(folder, 'staging.yaml')
  await writeFile(file, list)
  const { code, out } = await runConcordat(['conform', url, '--only', 'identity/*', '--known', file])
  t.equal(code, 1)
  t.match(out, /stale/)
})

t.test('the examples for CI are valid YAML, and their commands run', async (t) => {
  const [github = '', gitlab = ''] = blocks('In CI', 'yaml').map((text) => parse(text))
  const steps = github.jobs.staging.steps as readonly { readonly run?: string; readonly env?: unknown }[]
  const lines = [...steps.flatMap(({ run = '' }) => run), ...(gitlab.conformance.script as readonly string[])]
  const conform = lines.filter((line) => line.startsWith('npx concordat conform'))
  t.equal(conform.length, 2)
  await mkdir(join(folder, 'conformance'))
  await writeFile(join(folder, 'conformance', 'staging.yaml'), '[]\n')
  for (const line of conform) await runLines(`${line.trim()} --only 'identity/*'`)
})

t.test('the shown case is valid', async (t) => {
  const [scenario = ''] = blocks('Write a case', 'yaml')
  await mkdir(join(folder, 'cases', 'blocks'), { recursive: true })
  await writeFile(join(folder, 'cases', 'blocks', 'shown.yaml'), scenario)
  const { out } = await runConcordat([
    'conform',
    url,
    '--scenarios',
    join(folder, 'cases'),
    '--only',
    'blocks/*',
  ])
  t.match(out, /1 passed/)
})

t.test('the examples of all functions and fixtures run', async (t) => {
  const list = await readFile(join(root, 'docs', 'cases.md'), 'utf8')
  const [shown = '', captures = ''] = markdownBlocks(list, 'Functions', 'yaml')
  const rows = [...list.matchAll(/^\| `(\w+)` \| .* \| `(\[.*\])` \| (?:`(.*)`)? \|$/gm)]
  t.equal(rows.length, Object.keys(functionExamples).length)
  const computed = rows.flatMap(([, name = '', params = '', value]) => [
    { compute: name, params: JSON.parse(params), capture: { [name]: '$' } },
    ...(value === undefined || value.endsWith('…')
      ? []
      : [{ 'skip-unless': `\${${name}}`, is: JSON.parse(value), reason: `${name} has another value` }]),
  ])
  const own = parse(captures)
  const last = { call: 'eth_chainId', expect: { result: '0x1f' } }
  const all = { scenario: 'All examples.', ...own, steps: [...own.steps, ...computed, last] }
  const home = join(folder, 'listed')
  await mkdir(join(home, 'functions'), { recursive: true })
  await writeFile(join(home, 'functions', 'shown.yaml'), shown)
  await writeFile(join(home, 'functions', 'all.yaml'), stringify(all))
  const run = await runConcordat(['conform', url, '--scenarios', home, '--only', 'functions/*'])
  t.match(run.out, /2 passed/, run.out + run.err)
  const linked = [...list.matchAll(/\| \[`([a-z/-]+)`\]\(\.\.\/(\S+)\) \|$/gm)]
  t.equal(linked.length, (await readdir(join(root, 'conformance', 'fixtures'))).length)
  const only = linked.flatMap(([, id = '']) => ['--only', id])
  const cases = await runConcordat(['conform', url, ...only])
  t.equal(cases.code, 0, cases.out + cases.err)
  for (const [, , path = ''] of linked) await access(join(root, path))
})

t.test('tests of execution-apis run unchanged', async (t) => {
  const [run = ''] = blocks('Write a case', 'sh')
  await mkdir(join(folder, 'tests', 'eth_chainId'), { recursive: true })
  await writeFile(
    join(folder, 'tests', 'eth_chainId', 'get.io'),
    '// the chain id\n>> {"jsonrpc":"2.0","id":1,"method":"eth_chainId"}\n<< {"jsonrpc":"2.0","id":1,"result":"0x1f"}\n',
  )
  t.match(await runLines(run), /1 passed/)
})

t.test('two deployments are compared, and a foreign contract is tested', async () => {
  const [compare = ''] = blocks('Two deployments', '')
  await runLines(`${compare.trim()} --only 'identity/*'`, {
    OTHER_RPC_URL: `${service.origin}/v2${new URL(url).pathname}`,
  })
  const [other = ''] = blocks('Other contracts', '')
  const line = other.trim().replace('openrpc.json', `'${join(root, 'openrpc.json')}'`)
  await runLines(`${line} --only '*eth_chainId*'`, { URL: url, TOKEN: 'a-token-of-the-reader' })
})

t.test('faults of a foreign contract are noticed by its cases', async (t) => {
  const [module = ''] = blocks('Faults for your contract', 'js')
  const [line = ''] = blocks('Faults for your contract', 'sh')
  const home = join(folder, 'shop')
  await mkdir(join(home, 'cases', 'cart'), { recursive: true })
  await mkdir(join(home, 'node_modules'))
  await symlink(root, join(home, 'node_modules', 'concordat'))
  await writeFile(join(home, 'faults.mjs'), module)
  await writeFile(join(home, 'openrpc.json'), JSON.stringify(shop))
  await writeFile(
    join(home, 'cases', 'cart', 'total.yaml'),
    'scenario: The total is that of the example.\nrule: cart.total\nsteps:\n  - call: cart.total\n    params: []\n    expect: { result: 3 }\n',
  )
  const mock = await startMockCommand(t, [join(home, 'openrpc.json')])
  const run = line.trim().replace('faults.js', 'faults.mjs')
  const out = await runLines(`cd shop; ${run}`, { URL: mock.url })
  t.match(out, /killed {4}total-is-zero {2}by cart\/total/)
  await writeFile(join(home, 'harmless.mjs'), module.replace('() => 0', '(total) => total'))
  await t.rejects(runLines(`cd shop; ${run.replace('faults.mjs', 'harmless.mjs')}`, { URL: mock.url }), {
    code: 1,
    stdout: /SURVIVED {2}total-is-zero/,
  })
})
