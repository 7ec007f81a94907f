import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { main } from '../../../../src/cli/main.js'
import { longTest } from '../../../support/runs.js'
import { documentOf, inFolder, methodOf, write } from '../../toolkit/codegen/fixtures.js'

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
    if (config !== '') await write(dir, { path: 'concordat.config.yaml', content: config })
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
  const config = `lint:
  rules:
    - { rule: method-without-example, severity: off, reason: it has no use yet }
    - { rule: method-without-errors, severity: off, at: '#/methods/0', reason: it cannot fail }
    - { rule: unused-component, severity: off, reason: there was one }
`
  await withConfig(config, async (document, dir) => {
    for (const source of [document, dir]) {
      const { code, out, err } = await lint(source)
      t.equal(code, 0)
      t.match(out, /: no problems; 2 excepted$/)
      t.equal(err, 'concordat lint: the exception for unused-component matches no problem: remove it')
    }
  })
  const elsewhere =
    'lint: { rules: [{ rule: method-without-example, severity: off, at: "#/methods/1", reason: r }] }'
  await withConfig(elsewhere, async (document) => {
    t.match((await lint(document)).out, '2 problems')
  })
})

t.test('severities: the last matching entry applies', async (t) => {
  const config = `lint:
  rules:
    - { rule: method-without-example, severity: error, reason: examples are tests here }
    - { rule: method-without-errors, severity: error, reason: clients need them }
    - { rule: method-without-errors, severity: hint, at: '#/methods/0', reason: soon }
`
  await withConfig(config, async (document) => {
    const { code, out, err } = await lint(document)
    t.equal(code, 1)
    t.match(out, /8:5 {2}error {4}method-without-example/)
    t.match(out, /8:5 {2}hint {5}method-without-errors/)
    t.match(out, /\n2 problems \(1 error\)$/)
    t.equal(err, '', 'a severity without a problem is no idle exception')
  })
})

t.test('--max-warnings and lint.maxWarnings limit warnings', async (t) => {
  await withConfig('', async (document) => {
    t.match(await lint(document, '--max-warnings', '2'), { code: 0, err: '' })
    t.match(await lint(document, '--max-warnings', '1'), {
      code: 1,
      err: 'concordat lint: 2 warnings, 1 allowed',
    })
    t.match(await lint(document, '--max-warnings', 'many'), {
      code: 2,
      err: /--max-warnings needs a whole number from 0$/,
    })
  })
  await withConfig('lint: { maxWarnings: 1 }', async (document) => {
    t.equal((await lint(document)).code, 1)
    t.equal((await lint(document, '--max-warnings', '2')).code, 0, 'the option wins')
  })
})

t.test('rules of a project: a JSONPath with a message, or a module', async (t) => {
  const config = `lint:
  custom:
    - name: method-with-summary
      path: $.methods[?!@.summary]
      message: 'has no summary: describe it in one line'
    - { name: no-t, path: "$.info[?@ == 'T']", message: is too short, severity: hint }
  modules: [./rules.mjs]
  rules:
    - { rule: method-without-example, severity: off, reason: r }
    - { rule: method-without-errors, severity: off, reason: r }
`
  const module = `export const rules = [{
  name: 'long-name', severity: 'warning', summary: 'Names are long.',
  check: ({ contract }) => contract.methods
    .filter(({ name }) => name.length < 3)
    .map(({ pointer }) => ({ pointer: pointer + '/name', message: 'use a longer name' })),
}]`
  await withConfig(config, async (document, dir) => {
    await write(dir, { path: 'rules.mjs', content: module })
    const { code, out } = await lint(document)
    t.equal(code, 1)
    t.match(out, /:\d+:\d+ {2}hint {5}no-t {2}#\/info\/title\n {4}is too short/)
    t.match(out, /:8:5 {2}error {4}method-with-summary {2}#\/methods\/0\n {4}has no summary: describe it/)
    t.match(out, /:9:15 {2}warning {2}long-name {2}#\/methods\/0\/name\n {4}use a longer name/)
  })
  const rows: readonly [config: string, err: RegExp][] = [
    ['custom: [{ name: a, path: "$[", message: m }]', /1:\d+: "\$\[" is not a JSONPath/],
    [
      'custom: [{ name: unused-component, path: "$", message: m }]',
      /the rule "unused-component" exists already/,
    ],
    ['modules: [./gone.mjs]', /\.\/gone\.mjs: cannot be loaded/],
    ['modules: [./none.mjs]', /\.\/none\.mjs: export a list "rules"/],
  ]
  for (const [member, err] of rows) {
    await withConfig(`lint: { ${member} }`, async (document, dir) => {
      await write(dir, { path: 'none.mjs', content: 'export const rules = [1]' })
      const answer = await lint(document)
      t.equal(answer.code, 2, member)
      t.match(answer.err, err)
    })
  }
})

t.test('an invalid configuration exits with 2 and shows the place', async (t) => {
  const rows: readonly [string, string][] = [
    [
      'lint:\n  rules:\n    - { rule: nothing, severity: off, reason: r }',
      'concordat.config.yaml:3:15: unknown rule "nothing": "concordat lint --rules" lists all rules',
    ],
    [
      'lint:\n  rules:\n    - { rule: unused-component, severity: off }',
      'concordat.config.yaml:3:7: lint.rules.0: the member "reason" is missing',
    ],
    [
      'lint: { rules: [{ rule: unused-component, severity: off, reason: " " }] }',
      'concordat.config.yaml:1:66: lint.rules.0.reason: must match pattern',
    ],
    [
      'lint: { rules: [{ rule: a, severity: of, reason: r }] }',
      'concordat.config.yaml:1:38: lint.rules.0.severity: must be one of off, hint, warning, error',
    ],
    [
      'document: openrpc.json\nlinting: {}',
      'concordat.config.yaml:2:10: unknown member "linting": use document, generate, lint, diff',
    ],
    ['[]', 'concordat.config.yaml:1:1: must be an object, not a list'],
    ['lint: [', 'concordat.config.yaml:1:8: is not valid YAML: Flow sequence in block collection must be'],
  ]
  for (const [config, want] of rows) {
    await withConfig(config, async (document) => {
      const { code, err } = await lint(document)
      t.equal(code, 2, config)
      t.match(err, want)
    })
  }
  await withConfig('', async (document, dir) => {
    const { code, err } = await lint(document, '--config', join(dir, 'gone.yaml'))
    t.equal(code, 2)
    t.match(err, /gone\.yaml: cannot be read \(ENOENT\)$/)
  })
  await withConfig('# only comments\n', async (document) => {
    t.equal((await lint(document)).code, 0)
  })
})

t.test(
  '--fix corrects what is certain, keeps the rest of the text, and then has nothing to do',
  async (t) => {
    const json = `{ "openrpc": "1.3.2",
  "info": { "title": "T", "version": "1", "version": "1" },
  "methods": [
    { "name": "m",   "params": [ { "name": "p", "schema": {"type":"number", "minimum": 0,
        "exclusiveMinimum": true} } ],
      "result": { "name": "r", "schema": { "enum": ["a", "b", "a"], "x-kept":  1 } },
      "errors": [{ "code": 1, "message": "no" }, { "code": 1, "message": "no" }],
      "examples": [{"name": "e", "params": [], "result": {"name": "r", "value": "a"}}] } ] }
`
    const fixed = json
      .replace('"version": "1", "version": "1"', '"version": "1"')
      .replace('"minimum": 0,\n        "exclusiveMinimum": true', '"exclusiveMinimum": 0')
      .replace('"a", "b", "a"', '"a", "b"')
      .replace(', { "code": 1, "message": "no" }]', ']')
    await inFolder(async (dir) => {
      const path = join(dir, 'openrpc.json')
      for (const mark of ['', '\uFEFF']) {
        await write(dir, { path: 'openrpc.json', content: mark + json })
        const { code, err, out } = await lint(path, '--fix')
        t.equal(code, 0, out)
        t.equal(await readFile(path, 'utf8'), mark + fixed)
        t.equal(err.split('\n').filter((line) => line.startsWith('fixed ')).length, 4)
        t.match(err, /fixed .*openrpc\.json:7:\d+ {2}duplicate-error-code: /)
        t.match(await lint(path, '--fix'), { code: 0, err: '', out: /no problems$/ })
        t.equal(await readFile(path, 'utf8'), mark + fixed)
      }
    })
  },
)

t.test('--fix keeps comments of YAML, and leaves what is not certain', async (t) => {
  const yaml = `openrpc: 1.3.2 # kept
info: { title: T, version: '1' }
methods:
  - name: m
    params: []
    result: { name: r, schema: { type: string } }
    # three errors
    errors:
      - { code: 1, message: first }
      - { code: 1, message: second }
      - { code: 1, message: first } # repeated
    examples: [ { name: e, params: [], result: { name: r, value: a } } ]
`
  await inFolder(async (dir) => {
    await write(dir, { path: 'openrpc.yaml', content: yaml })
    const { code, out } = await lint(dir, '--fix')
    t.equal(code, 1)
    t.match(out, /10:9 {2}error {4}duplicate-error-code/, 'another message: a person decides')
    const text = await readFile(join(dir, 'openrpc.yaml'), 'utf8')
    t.equal(text, yaml.replace('      - { code: 1, message: first } # repeated\n', ''))
  })
  t.match(await lint('http://127.0.0.1:1/', '--fix'), { code: 2, err: /rpc\.discover failed/ })
})

t.test('formats for other tools', async (t) => {
  await withConfig('', async (document) => {
    const github = await lint(document, '--format', 'github')
    t.equal(github.code, 0)
    t.match(
      github.out.split('\n')[0],
      /^::warning file=.*openrpc\.json,line=8,col=5,title=warning%3A method-without-example::#\/methods\/0: has no/,
    )
    const sarif = JSON.parse((await lint(document, '--format', 'sarif')).out)
    t.match(sarif, {
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'concordat', rules: [{ id: 'method-without-errors' }, {}] } },
          results: [
            {
              ruleId: 'method-without-example',
              ruleIndex: 1,
              level: 'warning',
              locations: [{ physicalLocation: { region: { startLine: 8, startColumn: 5 } } }],
            },
            { ruleId: 'method-without-errors' },
          ],
        },
      ],
    })
    const [place] = sarif.runs[0].results[0].locations
    t.match(place.physicalLocation.artifactLocation.uri, /^file:\/\/\/.*openrpc\.json$/)
    const { out } = await lint(document, '--format', 'markdown')
    t.match(
      out,
      /^## .*openrpc\.json\n\n### Warnings\n\n- `.*openrpc\.json:8:5` `method-without-example`: has no example/,
    )
    t.match(await lint(document, '--format', 'xml'), {
      code: 2,
      err: /--format takes text, json, markdown, sarif/,
    })
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
    info: { title: name, version: '1', 'x-derived-rules': [{ rule: name }] },
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
    [['a.json', 'b.json'], 'too many arguments. Expected 1 argument but got 2. See --help.'],
    [[''], 'DOC needs a value'],
    [['--what'], "unknown option '--what'"],
    [['--rules', '--fix'], '--rules and --fix cannot be combined'],
    [['--json', '--format', 'sarif'], '--json and --format cannot be combined'],
    [['/no/such/file.json'], '/no/such/file.json: the file does not exist'],
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
