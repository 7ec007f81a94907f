import { join } from 'node:path'
import t from 'tap'
import { main } from '../../../../src/cli/main.js'
import { longTest } from '../../../support/runs.js'
import { documentOf, inFolder, methodOf, write } from '../../codegen/fixtures.js'

/** Runs `concordat lint` and collects its output. */
async function lint(...args: readonly string[]) {
  const out: string[] = []
  const err: string[] = []
  const code = await main(['lint', ...args], {
    out: (line) => void out.push(line),
    err: (line) => void err.push(line),
    env: {},
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

const warned = JSON.stringify(documentOf({ methods: [methodOf([])] }), null, 2)

/** A folder with a document that has two warnings, and a configuration. */
async function withConfig(config: string, work: (document: string, dir: string) => Promise<void>) {
  await inFolder(async (dir) => {
    await write(dir, { path: 'openrpc.json', content: warned })
    if (config !== '') await write(dir, { path: 'concordat-lint.yaml', content: config })
    await work(join(dir, 'openrpc.json'), dir)
  })
}

t.test('warnings exit with 0, errors with 1', async (t) => {
  await withConfig('', async (document) => {
    const { code, out } = await lint(document)
    t.equal(code, 0)
    t.match(
      out,
      /openrpc\.json:8:5 {2}warning {2}method-without-example {2}#\/methods\/0\n {4}has no example/,
    )
    t.match(out, /\n2 problems \(0 errors\)$/)
  })
  await inFolder(async (dir) => {
    await write(dir, { path: 'a.json', content: '{"openrpc":"1.3.2"}' })
    const { code, out } = await lint(join(dir, 'a.json'))
    t.equal(code, 1)
    t.match(out, /a\.json:1:1 {2}error {4}meta-schema {2}#\n {4}the member "info" is missing/)
    t.match(out, /\n2 problems \(2 errors\)$/)
  })
})

t.test('a rule is off when the configuration states why', async (t) => {
  const config = `off:
  - { rule: method-without-example, reason: it has no use yet }
  - { rule: method-without-errors, at: '#/methods/0', reason: it cannot fail }
  - { rule: unused-component, reason: there was one }
`
  await withConfig(config, async (document, dir) => {
    for (const source of [document, dir]) {
      const { code, out, err } = await lint(source)
      t.equal(code, 0)
      t.match(out, /: no problems; 2 excepted$/)
      t.equal(err, 'concordat lint: the exception for unused-component matches no problem: remove it')
    }
  })
  const elsewhere = 'off: [{ rule: method-without-example, at: "#/methods/1", reason: r }]'
  await withConfig(elsewhere, async (document) => {
    t.match((await lint(document)).out, '2 problems')
  })
})

t.test('an invalid configuration exits with 2 and shows the place', async (t) => {
  const rows: readonly [string, string][] = [
    ['off: [{ rule: nothing, reason: r }]', 'concordat-lint.yaml:1:7: unknown rule "nothing"'],
    [
      'off:\n  - { rule: unused-component }',
      'concordat-lint.yaml:2:5: the exception for "unused-component" has no "reason"',
    ],
    [
      'off: [{ rule: unused-component, reason: " " }]',
      'concordat-lint.yaml:1:7: the exception for "unused-component" has no "reason"',
    ],
    ['off: [{ reason: r }]', 'concordat-lint.yaml:1:7: the member "rule" is missing'],
    [
      'off: [{ rule: unused-component, reason: r, where: x }]',
      'concordat-lint.yaml:1:7: unknown member "where"',
    ],
    ['off: [5]', 'concordat-lint.yaml:1:7: expected an object {rule, at, reason}'],
    ['on: []', 'concordat-lint.yaml:1:1: expected a list "off" of {rule, at, reason}'],
    ['off: [', 'concordat-lint.yaml:1:7: Flow sequence in block collection must be'],
  ]
  for (const [config, want] of rows) {
    await withConfig(config, async (document) => {
      const { code, err } = await lint(document)
      t.equal(code, 2, config)
      t.match(err, `concordat lint: ${want}`)
    })
  }
  await withConfig('', async (document, dir) => {
    const { code, err } = await lint(document, '--config', join(dir, 'gone.yaml'))
    t.equal(code, 2)
    t.match(err, /gone\.yaml: cannot be read \(ENOENT\)$/)
  })
})

t.test('--json is machine-readable', async (t) => {
  await withConfig('', async (document) => {
    const { code, out } = await lint(document, '--json')
    t.equal(code, 0)
    t.match(JSON.parse(out), {
      schema: 'concordat-lint/1',
      problems: [
        { rule: 'method-without-example', severity: 'warning', line: 8, column: 5, pointer: '#/methods/0' },
        { rule: 'method-without-errors' },
      ],
      excepted: 0,
    })
  })
})

t.test('texts of a document are escaped in the terminal', async (t) => {
  const name = 'a\u001b[31m\u009b2J\u202e\u{e0001}b\n  error'
  const document = documentOf({
    methods: [{ ...methodOf([], { $ref: `#/${encodeURIComponent(name)}` }), name, 'x-rules': [name] }],
    info: { title: name, version: '1', 'x-tolerances': [{ rules: [name] }] },
    components: { schemas: { [name]: { [name]: 1 } } },
  })
  await inFolder(async (dir) => {
    await write(dir, { path: 'openrpc.json', content: JSON.stringify(document) })
    await write(dir, { path: 'no.json', content: JSON.stringify({ ...document, [name]: 1, info: name }) })
    for (const file of ['openrpc.json', 'no.json']) {
      for (const args of [[], ['--json']]) {
        const { out, err } = await lint(join(dir, file), ...args)
        t.match(out, '\\u001b')
        t.notMatch(`${out}${err}`.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u)
        if (args.length > 0) t.match(JSON.stringify(JSON.parse(out)), JSON.stringify(name).slice(1, -1))
      }
    }
  })
})

t.test('a file is named as on disk', async (t) => {
  const document = documentOf({ methods: [methodOf([], { $ref: 'b%23c%25.json#/A' })] })
  await inFolder(async (dir) => {
    await write(dir, { path: 'openrpc.json', content: JSON.stringify(document) })
    await write(dir, { path: 'b#c%.json', content: '{"A":{"typ":1}}' })
    const { out } = await lint(dir)
    t.match(out, `${dir}/openrpc.json:1:`)
    t.match(out, `${dir}/b#c%.json:1:13  warning  unknown-keyword  b%23c%25.json#/A/typ\n`)
  })
})

t.test('many problems are counted by rule', async (t) => {
  const methods = [...Array(7).keys()].map((at) => ({ ...methodOf([]), name: `m${at}` }))
  await inFolder(async (dir) => {
    await write(dir, { path: 'openrpc.json', content: JSON.stringify(documentOf({ methods })) })
    const { out } = await lint(dir)
    t.match(out, /\n14 problems \(0 errors\): 7 method-without-example, 7 method-without-errors$/)
  })
})

t.test('help, the table of rules, and invalid arguments', async (t) => {
  t.match((await lint('--help')).out, /^Usage: concordat lint /)
  t.match((await lint('--rules')).out, /\nunused-component +warning +Every component is used\.\n/)
  const rows: readonly [readonly string[], string][] = [
    [['a.json', 'b.json'], 'give one document, not both "a.json" and "b.json"'],
    [[''], 'the name of the document is empty'],
    [['--what'], "Unknown option '--what'"],
    [['/no/such/file.json'], '/no/such/file.json: the file does not exist'],
    [['https://example.com/openrpc.json'], 'https://example.com/openrpc.json: is a URL: save it'],
  ]
  for (const [args, want] of rows) {
    const { code, err } = await lint(...args)
    t.equal(code, 2)
    t.match(err, `concordat lint: ${want}`)
  }
})

// `npm run check` and `npm test` lint it with the command.
longTest('the contract of this service has no findings', async (t) => {
  t.equal((await lint('openrpc.json')).out, 'openrpc.json: no problems')
})
