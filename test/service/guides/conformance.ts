import { access, cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse, stringify } from 'yaml'
import { functionExamples } from '../../../src/judge/functions/index.js'
import {
  type CommandOutcome,
  openGuide,
  type ReaderMachine,
  type ShellBlock,
  startCommands,
} from '../../support/guide.js'
import { markdownBlocks } from '../../support/markdown-blocks.js'
import { isLong } from '../../support/runs.js'
import { runConcordat } from '../../support/service.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { startMockCommand } from '../mock-harness.js'
import { service } from './service.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const guide = await openGuide('conformance/README.md')

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

/** Writes the words of a command, each with a null byte. */
const functions = 'npx() { printf "%s\\0" $# "$@"; }'

type Expand = (machine: ReaderMachine) => Promise<CommandOutcome>

/**
 * Runs commands in a reader's folder. The shell expands them, and this process runs them, which saves the start of
 * processes.
 * @param options added in the short form alone
 * @throws Error with the output, and the exit code of a failed command
 */
async function runExpanded(
  expand: Expand | undefined,
  machine: Partial<ReaderMachine> = {},
): Promise<string> {
  const { cwd = folder, options = '' } = machine
  const env = { RPC_URL: url, ...machine.env }
  const expanded = await expand?.({ ...machine, cwd, env, functions, options: isLong ? '' : options })
  if (expanded?.code !== 0) throw new TypeError(expanded?.output ?? 'the guide has no such commands')
  const words = expanded.out.split('\0').slice(0, -1)
  let output = ''
  while (words.length > 0) {
    const [count, program, ...args] = words.splice(0, 1 + Number(words[0]))
    if (program !== 'concordat') throw new TypeError(`npx ${program}: ${count} words`)
    process.chdir(cwd)
    const { code, out, err } = await runConcordat(args, env).finally(() => process.chdir(root))
    output += out
    if (code !== 0) throw Object.assign(new Error(err), { code, stdout: output })
  }
  return output
}

const run = (block: ShellBlock | undefined, machine?: Partial<ReaderMachine>) =>
  runExpanded(block?.run, machine)

t.test('the first run succeeds', async (t) => {
  const [first, look] = guide.commands('First run, in a minute')
  // conform/runs.test.ts runs all cases.
  t.match(await run(first, { options: "--only 'blocks/*'" }), /\d+ passed.*\n?.*0 writes/)
  t.match(await run(look), /logs-limits\//)
})

t.test('the reports are written, and judged again', async (t) => {
  const [write, verify] = guide.commands('Reports')
  await run(write)
  t.match(await readFile(join(folder, 'report.html'), 'utf8'), /^<!doctype html>/i)
  t.match(await readFile(join(folder, 'report.xml'), 'utf8'), /^<\?xml .*\n?<testsuites/)
  await run(verify)
})

t.test('a known failure that passes fails the run', async (t) => {
  const [list = ''] = guide.code('Known failures', 'yaml')
  await writeFile(join(folder, 'staging.yaml'), list)
  const [known] = guide.commands('Known failures')
  await t.rejects(run(known, { options: "--only 'identity/*'" }), { code: 1, stdout: /stale/ })
})

t.test('the examples for CI are valid YAML, and their commands run', async (t) => {
  const [github, gitlab] = guide.code('In CI', 'yaml').map((text) => parse(text))
  const steps = github.jobs.staging.steps as readonly { readonly run?: string; readonly env?: unknown }[]
  const lines = [...steps.flatMap(({ run = '' }) => run), ...(gitlab.conformance.script as readonly string[])]
  const conform = lines.filter((line) => line.startsWith('npx concordat conform'))
  t.equal(conform.length, 2)
  await mkdir(join(folder, 'conformance'))
  await writeFile(join(folder, 'conformance', 'staging.yaml'), '[]\n')
  // All cases of a run against development chains are never complete.
  for (const line of conform) {
    const some = `${line.trim()} --only 'identity/*'`
    await runExpanded((machine) => startCommands(some, machine).ended)
  }
})

t.test('the shown case is valid', async (t) => {
  const [scenario = ''] = guide.code('Write a case', 'yaml')
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
  const [imported] = guide.commands('Write a case')
  await mkdir(join(folder, 'tests', 'eth_chainId'), { recursive: true })
  await writeFile(
    join(folder, 'tests', 'eth_chainId', 'get.io'),
    '// the chain id\n>> {"jsonrpc":"2.0","id":1,"method":"eth_chainId"}\n<< {"jsonrpc":"2.0","id":1,"result":"0x1f"}\n',
  )
  t.match(await run(imported), /1 passed/)
})

t.test('two deployments are compared, and one with its report', async (t) => {
  const [compare, record, since] = guide.commands('Compare two deployments')
  const env = { OTHER_RPC_URL: `${service.origin}/v2${new URL(url).pathname}` }
  await run(compare, { env, options: "--only 'identity/*'" })
  await run(record, { options: "--only 'identity/*'" })
  t.match(await run(since, { options: "--only 'identity/*'" }), /A +before\.json of .*\d+ alike/s)
})

t.test('a service of another contract is tested', async (t) => {
  const cwd = join(folder, 'other')
  await mkdir(cwd)
  await cp(join(root, 'test/fixtures/contracts/pet-store.json'), join(cwd, 'openrpc.json'))
  const mock = await startMockCommand(t, [join(cwd, 'openrpc.json')])
  const [conform] = guide.commands('Other contracts')
  t.match(await run(conform, { cwd, env: { URL: mock.url, TOKEN: 'a-token-of-the-reader' } }), /\d+ passed/)
})

t.test('faults of a foreign contract are noticed by its cases', async (t) => {
  const [module = ''] = guide.code('Faults for your contract', 'js')
  const [selftest] = guide.commands('Faults for your contract')
  const home = join(folder, 'shop')
  await mkdir(join(home, 'cases', 'cart'), { recursive: true })
  await mkdir(join(home, 'node_modules'))
  await symlink(root, join(home, 'node_modules', 'concordat'))
  await writeFile(join(home, 'package.json'), '{"type":"module"}')
  await writeFile(join(home, 'faults.js'), module)
  await writeFile(join(home, 'openrpc.json'), JSON.stringify(shop))
  await writeFile(
    join(home, 'cases', 'cart', 'total.yaml'),
    'scenario: The total is that of the example.\nrule: cart.total\nsteps:\n  - call: cart.total\n    params: []\n    expect: { result: 3 }\n',
  )
  const mock = await startMockCommand(t, [join(home, 'openrpc.json')])
  const machine = { cwd: home, env: { URL: mock.url } }
  t.match(await run(selftest, machine), /killed {4}total-is-zero {2}by cart\/total/)
  // The module of the first run stays loaded.
  await writeFile(join(home, 'harmless.js'), module.replace('() => 0', '(total) => total'))
  await t.rejects(run(selftest, { ...machine, places: { 'faults.js': 'harmless.js' } }), {
    code: 1,
    stdout: /SURVIVED {2}total-is-zero/,
  })
})
