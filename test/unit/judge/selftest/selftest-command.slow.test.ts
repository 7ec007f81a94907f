import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { faults } from '../../../../lab/faults/index.js'
import { selftestCommand } from '../../../../src/cli/selftest/selftest.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'

async function selftest(...args: readonly string[]) {
  const out: string[] = []
  const io = { out: (line: string) => out.push(line), err: () => undefined, env: {} }
  const code = await selftestCommand(args, io)
  return { code, out: out.join('\n') }
}

const folder = await temporaryFolder(t)
let modules = 0

/** Writes a module and returns its path. */
async function moduleOf(text: string): Promise<string> {
  const file = join(folder, `faults-${++modules}.mjs`)
  await writeFile(file, text)
  return file
}

const faultOf = (rule: string) =>
  `export const faults = [{ name: 'own', rule: '${rule}', description: 'Wrong.', begin: () => ({}) }]`

t.test('--help prints the usage', async (t) => {
  const { code, out } = await selftest('--help')
  t.equal(code, 0)
  for (const word of [
    '--contract',
    '--scenarios',
    '--faults',
    '--only',
    '--sample',
    '--full',
    '--list',
    '--json',
    'Exit codes',
  ])
    t.ok(out.includes(word), word)
})

t.test('the faults are listed with rule and description, without a service', async (t) => {
  const { code, out } = await selftest('--list')
  t.equal(code, 0)
  for (const { name, rule, description } of faults)
    t.ok(out.includes(`${name}  (${rule})\n    ${description}`))
  const json = await selftest('--list', '--json')
  t.same(
    JSON.parse(json.out).map(({ name }: { name: string }) => name),
    faults.map(({ name }) => name),
  )
})

t.test('faults are selected by name and by rule', async (t) => {
  const { out } = await selftest('--list', '--json', '--only', 'batch-*', '--only', 'hashing.keccak')
  const names = JSON.parse(out).map(({ name }: { name: string }) => name)
  t.ok(names.includes('batch-reversed'))
  t.ok(names.includes('sha3-256-for-keccak-256'))
  t.notOk(names.includes('stale-head'))
})

t.test('a sample has some faults of each group of rules, which the seed chooses', async (t) => {
  const sampleOf = async (seed: number) => {
    const { out } = await selftest('--list', '--json', '--sample', '2', '--seed', String(seed))
    return JSON.parse(out) as readonly { readonly name: string; readonly rule: string }[]
  }
  const one = await sampleOf(1)
  t.same(await sampleOf(1), one)
  t.notSame(await sampleOf(2), one)
  const groupOf = ({ rule }: { readonly rule: string }) => rule.split('.')[0] ?? ''
  for (const group of new Set(faults.map(groupOf))) {
    const all = faults.filter((fault) => groupOf(fault) === group).length
    t.equal(one.filter((fault) => groupOf(fault) === group).length, Math.min(all, 2), group)
  }
})

t.test('faults of a module replace those of this contract', async (t) => {
  const { out } = await selftest('--list', '--faults', await moduleOf(faultOf('hashing.keccak')))
  t.equal(out, 'own  (hashing.keccak)\n    Wrong.')
})

t.test('invalid arguments are refused in one line, before the service starts', async (t) => {
  for (const [args, reason] of [
    [['--only', 'no-such-fault'], /no fault matches "no-such-fault": --list shows all faults/],
    [['--only'], /See --help/],
    [['--what'], /See --help/],
    [['batch-reversed'], /needs --contract and --faults. See --help/],
    [['--repeat', '2'], /--repeat needs --composed. See --help/],
    [['--seed', '2'], /--seed needs --sample, --generated or --composed. See --help/],
    [['--generated', '--composed'], /--generated takes only --contract, --explore, --seed and --json/],
    [['--contract', 'openrpc.json'], /--contract and --scenarios need the URL of a service/],
    [['--scenarios', 'conformance'], /--contract and --scenarios need the URL of a service/],
    [['http://127.0.0.1:1', 'more'], /too many arguments/],
    [['--faults', 'none.js'], /none.js: cannot load the faults: Cannot find module/],
    [['--faults', await moduleOf('export const fault = []')], /the module does not export a list "faults"/],
    [
      ['--faults', await moduleOf('export const faults = [{ name: "x" }]')],
      /faults\[0\] needs strings name, rule/,
    ],
    [
      ['--faults', await moduleOf(faultOf('none.such'))],
      /the fault "own" breaks "none.such", which is not a rule of the contract/,
    ],
    [
      [
        `https://api.example/${'A'.repeat(30)}-T`,
        '--contract',
        'openrpc.json',
        '--faults',
        await moduleOf(faultOf('hashing.keccak')),
      ],
      /it needs an http URL of this machine/,
    ],
  ] as const) {
    await t.rejects(selftest(...args), { name: 'UsageError', message: reason })
  }
})
