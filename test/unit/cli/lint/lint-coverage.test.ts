import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { main } from '../../../../src/cli/main.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'

const rule = (id: string, level = 'mandatory') => ({
  id,
  section: '1',
  level,
  scope: 'service',
  text: `Of ${id}.`,
})

const contract = {
  openrpc: '1.3.2',
  info: {
    title: 'Clock',
    version: '1.0.0',
    'x-rules': [rule('time.tells'), rule('time.forward'), rule('time.pretty', 'advisory')],
  },
  methods: [
    {
      name: 'now',
      'x-effect': 'read',
      params: [],
      result: { name: 'time', schema: { type: 'integer' } },
      errors: [{ code: -32000, message: 'Stopped' }],
      examples: [{ name: 'noon', params: [], result: { name: 'time', value: 12 } }],
    },
  ],
}

const scenario = (named: string) => `
scenario: It is noon.
rule: ${named}
steps:
  - call: now
    params: []
    expect: { result: 12 }
`

type Files = Readonly<Record<string, string>>

/** Lints the clock with files next to its document; returns the exit code and the coverage findings. */
async function lint(t: Test, files: Files, args: readonly string[] = []) {
  const folder = await temporaryFolder(t)
  for (const [name, text] of Object.entries({ 'openrpc.json': JSON.stringify(contract), ...files })) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  const out: string[] = []
  const err: string[] = []
  const io = {
    out: (line: string) => void out.push(line),
    err: (line: string) => void err.push(line),
    env: {},
  }
  const code = await main(
    ['lint', join(folder, 'openrpc.json'), ...args.map((arg) => arg.replace('DIR', folder))],
    io,
  )
  return { code, out: out.join('\n'), err: err.join('\n') }
}

t.test('a document without scenarios needs none', async (t) => {
  const { code, out } = await lint(t, {})
  t.equal(code, 0, out)
  t.notMatch(out, /rule-without-case/)
  t.equal(
    (await lint(t, { 'conformance/README.md': 'None yet.' })).code,
    0,
    'nor with a folder without scenarios',
  )
})

t.test('a mandatory rule without a case fails, an advisory one does not', async (t) => {
  const { code, out } = await lint(t, { 'conformance/time/tells.yaml': scenario('time.tells') })
  t.equal(code, 1)
  t.match(
    out,
    /openrpc\.json:1:\d+ {2}error {4}rule-without-case {2}#\/info\/x-rules\/1\n {4}no case tests "time.forward"/,
  )
  t.notMatch(out, /time\.tells"|time\.pretty/)
})

t.test('a case that names an unknown rule fails, at its place', async (t) => {
  const { code, out } = await lint(t, {
    'conformance/time/tells.yaml': scenario('[time.tells, time.forward]'),
    'conformance/time/other.yaml': scenario('time.backward'),
  })
  t.equal(code, 1)
  t.match(out, /conformance\/time\/other\.yaml:2:1 {2}error {4}case-of-no-rule/)
  t.match(out, /"time\/other" refers to the rule "time\.backward"/)
  t.match(out, /\n1 problem \(1 error\)$|\n\d+ problems \(1 error\)$/)
})

t.test('a rule may lack a case for a stated reason, and an outdated list fails', async (t) => {
  const tells = { 'conformance/time/tells.yaml': scenario('time.tells') }
  const listed = (...rules: readonly string[]) => ({
    ...tells,
    'conformance/rules-without-case.yaml': rules
      .map((id) => `- { rule: ${id}, reason: it takes years }`)
      .join('\n'),
  })
  t.equal((await lint(t, listed('time.forward'))).code, 0)
  const cased = await lint(t, listed('time.forward', 'time.tells'))
  t.equal(cased.code, 1)
  t.match(
    cased.out,
    /rules-without-case\.yaml:2:3 {2}error {4}case-of-no-rule\n {4}"time\.tells" has a case now/,
  )
  t.match(
    (await lint(t, listed('time.forward', 'time.sideways'))).out,
    /"x-rules" has no rule "time\.sideways"/,
  )
  const rows: readonly [string, RegExp][] = [
    ['rule: x', /:1:1 .*\n {4}expected a list/],
    ['- { rule: time.forward }', /expected a string "reason"/],
    ['- { rule: time.forward, reason: r, owner: me }', /"owner" is unknown: use rule and reason/],
    [
      '- { rule: time.forward, reason: r }\n- { rule: time.forward, reason: s }',
      /:2:3 .*\n {4}"time.forward" is a duplicate/,
    ],
  ]
  for (const [text, told] of rows) {
    const { code, out } = await lint(t, { ...tells, 'conformance/rules-without-case.yaml': text })
    t.equal(code, 1)
    t.match(out, told)
  }
})

t.test(
  'an invalid scenario is reported with its place, and coverage is not judged from the others',
  async (t) => {
    const { code, out } = await lint(t, { 'conformance/time/tells.yaml': 'scenario: [' })
    t.equal(code, 1)
    t.match(out, /conformance\/time\/tells\.yaml:1:\d+ {2}error {4}scenario-not-usable/)
    t.notMatch(out, /rule-without-case/)
  },
)

t.test('a coverage rule is off when the configuration states why', async (t) => {
  const { code, out } = await lint(t, {
    'conformance/time/tells.yaml': scenario('time.tells'),
    'concordat.config.yaml':
      'lint: { rules: [{ rule: rule-without-case, severity: off, reason: they are being written }] }',
  })
  t.equal(code, 0)
  t.match(out, /1 excepted$/)
})

t.test('scenarios may be in another folder', async (t) => {
  const files = { 'cases/time/tells.yaml': scenario('time.tells') }
  t.match((await lint(t, files, ['--scenarios', 'DIR/cases'])).out, /no case tests "time\.forward"/)
  const missing = await lint(t, files, ['--scenarios', 'DIR/none'])
  t.equal(missing.code, 2)
  t.match(missing.err, /none: the folder does not exist$/)
})
