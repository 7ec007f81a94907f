import t from 'tap'
import { loadScenarios } from '../../../../src/judge/index.js'
import { folderOf, problemsOf } from './problems-of.js'

const table = (
  each: string,
  steps = "  - { call: '${method}', params: '${params}', expect: { result: null } }",
) => `scenario: The result of \${method} is null.\nrule: '\${rule}'\neach:\n${each}\nsteps:\n${steps}\n`

const rows = `  - { case: block, method: getBlock, params: [1, '\${found + 1}'], rule: a.null }
  - { case: receipt, method: getReceipt, params: [], rule: [b.null, c.null] }`

t.test('each row is a case of its own, with its values in every part of the file', async (t) => {
  const folder = await folderOf(t, {
    'lookups/unknown.yaml': `needs: here\n${table(rows)}`,
    'lookups/later.yaml':
      'scenario: It holds.\nafter: lookups/block\nsteps: [{ call: x, expect: { result: null } }]\n',
    'fixtures/here.yaml': 'fixture: It is found.\nsteps: [{ call: x, capture: { found: $.result } }]\n',
  })
  const { scenarios } = await loadScenarios(folder, { builtIn: false })
  t.match(scenarios, [
    { id: 'lookups/later', after: ['lookups/block'] },
    {
      id: 'lookups/block',
      group: 'lookups',
      scenario: 'The result of getBlock is null.',
      rules: ['a.null'],
      source: { file: `${folder}/lookups/unknown.yaml`, line: 5 },
      // A variable of the run, even inside a column, is filled in by the run.
      steps: [{ call: { method: 'getBlock', params: [1, '${found + 1}'] } }],
    },
    {
      id: 'lookups/receipt',
      rules: ['b.null', 'c.null'],
      source: { line: 6 },
      steps: [{ call: { method: 'getReceipt', params: [] } }],
    },
  ])
})

t.test('columns are filled into texts and member names, and can be moved by a number', async (t) => {
  const folder = await folderOf(t, {
    'a/b.yaml':
      "scenario: It holds.\neach: [{ case: one, name: Block, at: '0xff', text: ab }, { case: two, name: Logs, at: 7, text: cd }]\n" +
      "steps:\n  - call: get${name}By${name}\n    params: ['${at}', '${ at + 1 }', 'x${at}$${at}', { 'of${name}': '${at}' }]\n    expect: { result: '${text}' }\n",
  })
  const { scenarios } = await loadScenarios(folder, { builtIn: false })
  t.match(scenarios, [
    {
      steps: [
        {
          call: { method: 'getBlockByBlock', params: ['0xff', '0x100', 'x0xff$${at}', { ofBlock: '0xff' }] },
        },
      ],
    },
    { steps: [{ call: { method: 'getLogsByLogs', params: [7, 8, 'x7$${at}', { ofLogs: 7 }] } }] },
  ])
})

const wrong: readonly [about: string, yaml: string, problems: readonly string[]][] = [
  [
    'a missing column is named with its row',
    table(rows.replace(' params: [],', '')),
    ['a/b.yaml:5:5: the row "receipt" has no column "params", which other rows have; add it'],
  ],
  [
    'a column that no row has is an unknown variable',
    table(rows).replace("'${params}'", "['${parms}']"),
    ['a/b.yaml:3:1: no step uses the column "params"; write ${params} or remove it'],
  ],
  [
    'a variable that is neither a column nor captured is reported once',
    table(rows.replaceAll(/ params: .*\],/g, '').replaceAll("'${found + 1}'", '1')).replace(
      "'${params}'",
      "['${parms}']",
    ),
    [
      'a/b.yaml:7:35: no variable "parms" is known here: nothing is captured before; capture it in an earlier step, or add its fixture to `needs`',
    ],
  ],
  [
    'two rows with one name',
    table(rows.replace('case: receipt', 'case: block')),
    ['a/b.yaml:5:13: the case "block" is in an earlier row as well'],
  ],
  [
    'a row without a name, a name with capitals, and a row that is no object',
    table(
      '  - { method: x, params: [], rule: a }\n  - { case: ByHash, method: x, params: [], rule: a }\n  - 7',
    ),
    [
      'a/b.yaml:4:5: the member "case" is missing',
      'a/b.yaml:5:13: "ByHash": a case is named in lower case with hyphens, such as by-hash',
      'a/b.yaml:6:5: this item is a whole number, and must be an object',
    ],
  ],
  [
    'no rows',
    table('  []').replace('each:\n  []', 'each: []'),
    ['a/b.yaml:3:7: "each" is empty; fill it in or leave it out'],
  ],
  [
    'a column with the name of a capture',
    table(rows).replace('expect:', 'capture: { rule: $.result }, expect:'),
    ['a/b.yaml:3:1: "rule" is a column and a capture; rename one of them'],
  ],
  [
    'a moved column that is no number',
    table(rows).replace('null.', '${method + 1}.'),
    [
      'a/b.yaml:4:5: ${method + 1}: getBlock is neither an integer nor a hexadecimal quantity',
      'a/b.yaml:5:5: ${method + 1}: getReceipt is neither an integer nor a hexadecimal quantity',
    ],
  ],
  [
    'a row that makes its case accept everything',
    table(rows.replaceAll("'${found + 1}'", '1').replaceAll(' rule:', ' least: 0, rule:')).replace(
      'result: null',
      "result: { $min: '${least}' }",
    ),
    [
      'a/b.yaml:1:1: this case accepts every answer that conforms to the contract; expect a value, null, an error, a status other than 200 or a matcher that excludes values',
    ],
  ],
]

for (const [about, yaml, problems] of wrong) {
  t.test(about, async (t) => t.same(await problemsOf(t, { 'a/b.yaml': yaml }), problems))
}

t.test('a row with the id of another file is refused, and so is a link to the table itself', async (t) => {
  const files = {
    'a/block.yaml': 'scenario: It holds.\nsteps: [{ call: x, expect: { result: null } }]\n',
    'a/unknown.yaml': table(rows.replace("'${found + 1}'", '1')),
    'a/z.yaml': 'scenario: It holds.\nafter: a/unknown\nsteps: [{ call: x, expect: { result: null } }]\n',
  }
  t.same(await problemsOf(t, files), [
    'a/unknown.yaml:4:5: the scenario "a/block" is in ./a/block.yaml as well; rename one',
    'a/z.yaml:2:8: "a/unknown" is not a case; write the id as group/case',
  ])
})
