import t from 'tap'
import { selftestCommand } from '../../../../src/cli/selftest.js'
import { faults } from '../../../../src/conformance/selftest/index.js'

async function selftest(...args: readonly string[]) {
  const out: string[] = []
  const io = { out: (line: string) => out.push(line), err: () => undefined, env: {} }
  const code = await selftestCommand(args, io)
  return { code, out: out.join('\n') }
}

t.test('help is asked for and given', async (t) => {
  const { code, out } = await selftest('--help')
  t.equal(code, 0)
  for (const word of ['--only', '--full', '--list', '--json', 'Exit codes']) t.ok(out.includes(word), word)
})

t.test('the faults are listed with rule and sentence, without a service', async (t) => {
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

t.test('faults are chosen by name and by rule', async (t) => {
  const { out } = await selftest('--list', '--json', '--only', 'batch-*', '--only', 'hashing.keccak')
  const names = JSON.parse(out).map(({ name }: { name: string }) => name)
  t.ok(names.includes('batch-reversed'))
  t.ok(names.includes('sha3-256-for-keccak-256'))
  t.notOk(names.includes('stale-head'))
})

t.test('what cannot be used is said in one line, before anything starts', async (t) => {
  for (const [args, reason] of [
    [
      ['--only', 'no-such-fault'],
      /no fault and no rule of a fault matches "no-such-fault"; --list shows them/,
    ],
    [['--only'], /See --help/],
    [['--what'], /See --help/],
    [['batch-reversed'], /See --help/],
  ] as const) {
    await t.rejects(selftest(...args), { name: 'UsageError', message: reason })
  }
})
