import { symlinkSync } from 'node:fs'
import t from 'tap'
import { loadScenarios } from '../../../../src/judge/index.js'
import { folderOf, problemsOf } from './problems-of.js'

const good = 'scenario: It holds.\nsteps: [{ call: x, expect: { result: null } }]\n'
const named = (lines: string) =>
  `scenario: It holds.\n${lines}\nsteps: [{ call: x, expect: { result: null } }]\n`
const fixture = (lines = '') =>
  `fixture: It is found.\n${lines}steps: [{ call: x, capture: { found: $.result } }]\n`

t.test('the path gives the id; known failures, hidden files and other files are ignored', async (t) => {
  const folder = await folderOf(t, {
    'logs/b.yaml': good,
    'logs/a.yaml': good,
    'blocks/latest-block-2.yaml': good,
    'fixtures/some-block.yaml': fixture(),
    'known/some.yaml': 'no: [scenario',
    '.hidden/x.yaml': 'no: [scenario',
    'logs/.a.yaml.swp': 'no',
    'README.md': 'text',
  })
  const { scenarios, fixtures } = await loadScenarios(folder, { builtIn: false })
  t.strictSame(
    scenarios.map(({ id, group, source }) => [id, group, source.file, source.line]),
    [
      ['blocks/latest-block-2', 'blocks', `${folder}/blocks/latest-block-2.yaml`, 1],
      ['logs/a', 'logs', `${folder}/logs/a.yaml`, 1],
      ['logs/b', 'logs', `${folder}/logs/b.yaml`, 1],
    ],
  )
  t.strictSame(
    fixtures.map(({ name }) => name),
    ['some-block'],
  )
})

const folders: readonly [about: string, files: Record<string, string>, problems: readonly string[]][] = [
  [
    'an empty folder',
    { 'README.md': 'text' },
    ['.:1:1: this folder has no scenarios; add files such as group/case.yaml'],
  ],
  [
    'misplaced files',
    {
      'a.yaml': good,
      'a/b/c.yaml': good,
      'a/d.yml': good,
      'A/b.yaml': good,
      'a/b_c.yaml': good,
      'derived/x.yaml': good,
      'a/f.yaml': good,
    },
    [
      'A/b.yaml:1:1: "A/b" is not a valid id: name folder and file in lower case with hyphens, such as logs/empty-range.yaml',
      'a.yaml:1:1: a scenario belongs in the folder of its group: group/case.yaml; move it there',
      'a/b/c.yaml:1:1: a scenario belongs in the folder of its group: group/case.yaml; move it there',
      'a/b_c.yaml:1:1: "a/b_c" is not a valid id: name folder and file in lower case with hyphens, such as logs/empty-range.yaml',
      'a/d.yml:1:1: scenario files end in .yaml; rename it',
      'derived/x.yaml:1:1: "derived" is the group of cases derived from the contract; rename the folder',
    ],
  ],
  [
    'invalid fixtures',
    { 'fixtures/key.yaml': fixture(), 'fixtures/a.yaml': good, 'a/b.yaml': good },
    [
      'fixtures/a.yaml:1:1: fixtures/ is for fixtures; move it',
      'fixtures/key.yaml:1:1: "key" is a fact of the target that `needs` names; give the fixture another name',
    ],
  ],
  [
    'unknown names',
    {
      'a/b.yaml': named('needs: [key, second-key, revoked-key, funded-key, sum-block]\nafter: a/d'),
      'a/c.yaml': named('needs: else\nafter:\n  - a/b\n  - b'),
      'fixtures/some-block.yaml': fixture('needs: [other]\n'),
    },
    [
      'a/b.yaml:2:51: "sum-block" is neither a fact of the target nor a fixture; did you mean "some-block"?',
      'a/b.yaml:3:8: "a/d" is not a case; did you mean "a/b"?',
      'a/c.yaml:2:8: "else" is neither a fact of the target nor a fixture; there are key, second-key, revoked-key, funded-key, token, patience, some-block',
      'a/c.yaml:5:5: "b" is not a case; write the id as group/case',
      'fixtures/some-block.yaml:2:9: "other" is neither a fact of the target nor a fixture; there are key, second-key, revoked-key, funded-key, token, patience, some-block',
    ],
  ],
  [
    'circles',
    {
      'a/a.yaml': named('after: a/c'),
      'a/b.yaml': named('after: [a/a]'),
      'a/c.yaml': named('after: [a/d, a/b]'),
      'a/d.yaml': named(''),
      'a/e.yaml': named('after: [a/a]'),
      'a/f.yaml': named('after: a/f'),
      'fixtures/x.yaml': fixture('needs: [y]\n'),
      'fixtures/y.yaml': fixture('needs: [x]\n'),
    },
    [
      'a/b.yaml:2:9: a cycle: a/a after a/c after a/b after a/a; remove one of the links',
      'a/f.yaml:2:8: a cycle: a/f after a/f; remove one of the links',
      'fixtures/y.yaml:2:9: a cycle: x needs y needs x; remove one of the links',
    ],
  ],
  [
    'an unreadable file still defines its name and causes no further problems',
    {
      'a/b.yaml': 'steps: [',
      'a/c.yaml':
        'scenario: It holds.\nneeds: broken\nafter: a/b\nsteps: [{ call: x, params: ["${maybe}"], expect: { result: 1 } }]\n',
      'fixtures/broken.yaml': 'fixture: 1\nsteps: []\n',
    },
    [
      'a/b.yaml:1:9: not YAML: flow sequence in block collection must be sufficiently indented and end with a ]',
      'fixtures/broken.yaml:1:10: "fixture" is a whole number, and must be a string',
      'fixtures/broken.yaml:2:8: "steps" is empty; fill it in or leave it out',
    ],
  ],
]

t.test('a problem between files is reported for each of them', async (t) => {
  for (const [about, files, problems] of folders) t.strictSame(await problemsOf(t, files), problems, about)
})

t.test('a missing folder is named', async (t) => {
  await t.rejects(loadScenarios('no/such/folder', { builtIn: false }), {
    name: 'ScenarioError',
    problems: [
      {
        file: 'no/such/folder',
        line: 1,
        column: 1,
        message: 'there is no such folder; give the folder of the scenarios',
      },
    ],
    message: 'no/such/folder:1:1: there is no such folder; give the folder of the scenarios',
  })
  const folder = await folderOf(t, { file: '' })
  await t.rejects(loadScenarios(`${folder}/file`, { builtIn: false }), {
    message: /this folder cannot be read/,
  })
})

t.test('an unreadable file is named', async (t) => {
  const folder = await folderOf(t, { 'a/b.yaml': good })
  symlinkSync('nowhere', `${folder}/a/c.yaml`)
  await t.rejects(loadScenarios(folder, { builtIn: false }), {
    message: `${folder}/a/c.yaml:1:1: this file cannot be read (ENOENT); repair or remove it`,
  })
})

t.test('a scenario of this package names its rule', async (t) => {
  const files = { 'a/b.yaml': good, 'a/c.yaml': named('rule: x.y') }
  t.strictSame(await problemsOf(t, files), [])
  t.strictSame(await problemsOf(t, files, true), [
    'a/b.yaml:1:1: a scenario of this package must name the rule of the contract that it tests; add `rule`',
  ])
})

/** Steps from line 3 on. */
const scopes: readonly [head: string, steps: readonly string[], problems: readonly string[]][] = [
  [
    'needs: key',
    ['{ call: x, capture: { a: $ } }', "{ call: '${a}', params: ['${a + 1}'], expect: { result: '${a}' } }"],
    [],
  ],
  [
    'needs: key',
    ["{ call: x, params: ['${network.chainId}', '${limit.bodyBytes + 1}'], expect: { result: 1 } }"],
    [],
  ],
  ['needs: some-block', ["{ call: x, params: ['${found}'], expect: { result: 1 } }"], []],
  [
    'needs: funded-key',
    [
      "{ compute: x, params: ['${fundedKey}'], capture: { a: $ } }",
      "{ call: x, params: ['${a}'], expect: { result: 1 } }",
    ],
    [],
  ],
  [
    'needs: key',
    [
      "{ call: x, capture-header: { a: { name: b, pattern: '(c)' } } }",
      "{ call: x, expect: { result: '${a}' } }",
    ],
    [],
  ],
  ['needs: key', ["{ call: x, expect: { result: '$${a}' } }"], []],
  [
    'needs: key',
    ["{ call: x, params: ['${a}'], capture: { b: $ }, expect: { result: '${b}' } }"],
    [
      '4:25: no variable "a" is known here: nothing is captured before; capture it in an earlier step, or add its fixture to `needs`',
      '4:71: "b" is captured in this step or later; capture it in an earlier one',
    ],
  ],
  [
    'needs: key',
    [
      '{ call: x, capture: { a: $ } }',
      "{ call: x, expect: { result: { $has: { b: '${found}', '${c}': 1 } } } }",
    ],
    [
      '5:47: no variable "found" is known here: known here are a; capture it in an earlier step, or add its fixture to `needs`',
      '5:59: no variable "c" is known here: known here are a; capture it in an earlier step, or add its fixture to `needs`',
    ],
  ],
  [
    'needs: key',
    ["{ call: x, params: ['${fundedKey}'], expect: { result: 1 } }"],
    ['4:25: "fundedKey" is only known if `needs` contains funded-key; add it there'],
  ],
  [
    'needs: key',
    [
      "{ batch: [{ call: '${a}', params: { b: '${b}' }, times: '${c}', id: '${d}' }], headers: { e: '${e}' }, path: '/${f}', expect: { items: [{ error: { code: '${g}' } }] } }",
      "{ raw: ['${a}', { repeat: '${b}', times: '${c}' }], key: { literal: '${d}' }, tolerate: [{ expect: { body: '${e}' }, reason: '${no variable', depends-on: implementation }] }",
      "{ raw: '${a}', repeat-until: { expect: { status: '${b}' }, at-most: '${c}' } }",
      "{ compute: '${no variable', params: ['${a}'] }",
      "{ call: x, inconclusive: [{ only-if: { value: ['${a}'], is: { $has: { x: '${b}' } } }, expect: { result: '${c}' }, reason: a }] }",
    ],
    ['abcdefg', 'abcde', 'abc', 'a', 'abc'].flatMap((names, at) =>
      [...names].map((name) => `${at + 4} "${name}"`),
    ),
  ],
  ['needs: key', ["{ call: x, params: ['${run.started}'], expect: { result: 1 } }"], []],
  ['needs: [key, revoked-key]', ['{ call: x, key: revoked, expect: { error: {} } }'], []],
  [
    'needs: [key, revoked-key]',
    ['{ call: x, key: second, expect: { error: {} } }'],
    ['4:21: this key is not always given; add second-key to `needs`'],
  ],
]

t.test('an undefined variable is reported where it is used', async (t) => {
  for (const [head, steps, problems] of scopes) {
    const text = `scenario: It holds.\n${head}\nsteps:\n${steps.map((step) => `  - ${step}\n`).join('')}`
    const files = { 'a/b.yaml': text, 'fixtures/some-block.yaml': fixture() }
    const got = await problemsOf(t, files)
    const short = problems.every((problem) => /^\d+ /.test(problem))
    const shown = got.map((problem) => problem.replace('a/b.yaml:', ''))
    t.strictSame(
      short ? shown.map((line) => line.replace(/^(\d+):\d+: no variable ("\w+") .*$/, '$1 $2')) : shown,
      problems,
      steps.join(' '),
    )
  }
})

t.test('a fixture has the variables of the fixtures that it needs', async (t) => {
  const uses = (needs: string) =>
    `fixture: It is found.\nneeds: ${needs}\nsteps: [{ call: x, params: ['\${found}'], capture: { more: $ } }]\n`
  t.strictSame(await problemsOf(t, { 'fixtures/a.yaml': fixture(), 'fixtures/b.yaml': uses('a') }), [])
  const [problem] = await problemsOf(t, { 'fixtures/a.yaml': fixture(), 'fixtures/b.yaml': uses('key') })
  t.match(problem, /^fixtures\/b\.yaml:3:29: no variable "found" is known here/)
})

t.test('problems of all files are reported together, in the order of their places', async (t) => {
  const problems = await problemsOf(t, {
    'b/b.yaml': 'scenario: 1\nsteps: 2\n',
    'a/a.yaml': 'steps: [\n',
    'c/c.yaml': named('needs: none'),
  })
  t.strictSame(
    problems.map((problem) => problem.split(': ')[0]),
    ['a/a.yaml:2:1', 'b/b.yaml:1:11', 'b/b.yaml:2:8', 'c/c.yaml:2:8'],
  )
})
