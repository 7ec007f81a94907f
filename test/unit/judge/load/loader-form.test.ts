import t from 'tap'
import { caseWith, problemsOf } from './problems-of.js'

/** The text of a whole file, and its problems with line, column and message. */
const files: readonly [about: string, text: string | Uint8Array, problems: readonly string[]][] = [
  ['an empty file', '', ['1:1: this file contains no scenario; begin with "scenario:" and one sentence']],
  [
    'comments alone',
    '# later\n',
    ['1:1: this file contains no scenario; begin with "scenario:" and one sentence'],
  ],
  [
    'a list',
    '- scenario: A.\n',
    ['1:1: this file contains no scenario; begin with "scenario:" and one sentence'],
  ],
  ['no UTF-8', Uint8Array.of(0x73, 0xff), ['1:1: this file is not UTF-8; save it in that encoding']],
  ['no YAML', 'scenario: A: B\n', ['1:11: not YAML: nested mappings are not allowed in compact mappings']],
  [
    'an unclosed list',
    'scenario: A.\nsteps: [1, 2\nrule: x\n',
    ['3:1: not YAML: flow sequence in block collection must be sufficiently indented and end with a ]'],
  ],
  ['a tab', 'scenario: A.\nsteps:\n\t- call: x\n', ['3:1: this line is indented with a tab; use spaces']],
  [
    'two documents',
    'scenario: A.\n---\nscenario: B.\n',
    ['2:1: a second document begins here; each file contains one scenario, so move it to a separate file'],
  ],
  [
    'a duplicate member',
    'scenario: A.\nrule: a\nscenario: B.\nrule: b\n',
    ['3:1: "scenario" is a duplicate; keep one of them', '4:1: "rule" is a duplicate; keep one of them'],
  ],
  [
    'a tag',
    'scenario: !secret A.\n',
    ['1:11: Unresolved tag: !secret; tags are not supported in scenarios; remove it'],
  ],
  ['a name that is not a string', '? [1]\n: 2\n', ['1:3: the name of a member must be a string']],
  [
    'an unknown anchor',
    'scenario: *a\n',
    ['1:11: "*a" has no target: there is no earlier anchor of that name'],
  ],
  ['a circular anchor', 'scenario: &a [*a]\n', ['1:15: "*a" has no target: it refers to itself']],
  [
    'a missing value',
    'scenario:\nsteps: []\n',
    ['1:1: "scenario" has no value; write null if null is intended'],
  ],
  [
    'the keywords of YAML 1.1',
    '%YAML 1.1\n---\nscenario: yes\n',
    [`3:11: write true or false, or 'yes' for the string`],
  ],
  ['very deep nesting', '['.repeat(5000), ['1:NN: nested too deeply']],
  ['no steps', 'scenario: A.\n', ['1:1: the member "steps" is missing']],
  [
    'an empty list of steps',
    'scenario: A.\nsteps: []\n',
    ['2:8: "steps" is empty; fill it in or leave it out'],
  ],
  [
    'steps that are not a list',
    'scenario: A.\nsteps: { call: x }\n',
    ['2:8: "steps" is an object, and must be a list'],
  ],
  [
    'a step that is a string',
    'scenario: A.\nsteps: [x]\n',
    ['2:9: this item is a string, and must be an object'],
  ],
  [
    'an empty sentence',
    "scenario: ''\nsteps: [{ call: x, expect: { result: 1 } }]\n",
    ['1:11: "scenario" is empty; fill it in or leave it out'],
  ],
  [
    'several mistakes',
    'scenario: 7\nrule: [a, a]\nefect: read\neffect: reed\nnetwork: []\nneeds: { a: 1 }\nfollows-head: 1\nsteps:\n  - call: x\n',
    [
      '1:11: "scenario" is a whole number, and must be a string',
      '2:7: "rule" contains the same text twice',
      '3:1: "efect" is not known here; did you mean "effect"?',
      '4:9: "reed" is not one of read, write, spends-quota; did you mean "read"?',
      '5:10: "network" is empty; fill it in or leave it out',
      '6:8: "needs" is an object, and must be a string or a list',
      '7:15: "follows-head" is a whole number, and must be true or false',
    ],
  ],
  [
    'a fixture among scenarios',
    'fixture: A block.\nsteps: [{ call: x }]\n',
    ['1:1: a fixture belongs in fixtures/; move it there'],
  ],
]

t.test('an invalid file is reported with line and column', async (t) => {
  for (const [about, text, problems] of files) {
    const want = problems.map((problem) => `group/case.yaml:${problem}`)
    const got = (await problemsOf(t, { 'group/case.yaml': text })).map((problem) =>
      about === 'very deep nesting' ? problem.replace(/:1:\d+:/, ':1:NN:') : problem,
    )
    t.strictSame(got, want, about)
  }
})

/** Lines of a step, from line 6 on and indented by four, with their problems. */
const steps: readonly [lines: string, problems: readonly string[]][] = [
  ['exept: { result: 1 }', ['6:5: "exept" is not known here; did you mean "expect"?']],
  [
    'frobnicate: 1',
    [
      '6:5: "frobnicate" is not known here; known are call, params, omit-params, id, share, headers, verb, path, key, expect, tolerate, inconclusive, capture, capture-header, repeat-until',
    ],
  ],
  [
    "raw: ''",
    [
      '6:5: a step is one of call, batch, raw, compute, parallel, skip-unless, but this one is two; split it into two steps',
    ],
  ],
  [
    'params: 1',
    [
      '6:13: "params" is a whole number, and must be a list or an object; parameters are a list, or an object where they go by name; send anything else with raw',
    ],
  ],
  ['omit-params: false', ['6:18: "omit-params" can only be true; leave it out otherwise']],
  [
    'id: 7',
    [
      `6:9: "id" is a whole number, and must be a string; an id is JSON text in quotes: '7' for the number, '"a"' for a string, 'null' for null`,
    ],
  ],
  [
    'id: abc',
    [`6:9: "abc" is not JSON text; write '7' for the number, '"a"' for a string, or send it with raw`],
  ],
  [
    'headers: { x-a: 1 }',
    [
      '6:21: "x-a" is a whole number, and must be a string or null; a header is a string, so put it in quotes, or use null to omit it',
    ],
  ],
  ['verb: get', ['6:11: "get": verbs are written in capitals, such as GET']],
  ['path: v2', ['6:11: "v2": a path begins with /']],
  ['key: third', ['6:10: this key is not always given; add third-key to `needs`']],
  ['key: {}', ['6:5: the member "literal" is missing']],
  [
    'capture: { 1a: $.x }',
    ['6:16: "1a": the name of a variable is letters, digits, _ and - between them, and begins with a letter'],
  ],
  ['capture: { a: 1 }', ['6:19: "a" is a whole number, and must be a string']],
  [
    'capture: { a: result }',
    [
      `6:19: "result" is not a JSONPath (RFC 9535): expected '$', found 'r' ('result':0); write for example "$.result.hash"`,
    ],
  ],
  [
    'capture: { a: "$.x[?run()]" }',
    [
      `6:19: "$.x[?run()]" is not a JSONPath (RFC 9535): no such function 'run' ('.x[?run()':5); write for example "$.result.hash"`,
    ],
  ],
  [
    "capture-header: { a: { name: b, pattern: '(' } }",
    ['6:46: not a regular expression: /(/u: Unterminated group; escape literal characters'],
  ],
  [
    'capture-header: { a: { name: b, pattern: \\d+ } }',
    ['6:46: "\\d+" has no group; put the captured part in parentheses'],
  ],
  ['capture-header: { a: { name: b } }', ['6:23: the member "pattern" is missing']],
  ['repeat-until: { expect: { status: 429 } }', ['6:5: the member "at-most" is missing']],
  [
    'repeat-until: { expect: { status: 429 }, at-most: 0 }',
    ['6:55: "at-most" is less than 1; write a number from 1, or a variable in quotes'],
  ],
  ['tolerate: [{ expect: { result: 1 }, depends-on: traffic }]', ['6:16: the member "reason" is missing']],
  ['tolerate: [{ expect: { result: 1 }, reason: a }]', ['6:16: the member "depends-on" is missing']],
  [
    'tolerate: [{ expect: { result: 1 }, reason: a, depends-on: weather }]',
    ['6:64: "weather" is not one of implementation, traffic, head, replicas'],
  ],
  [
    'inconclusive: [{ only-if: { value: 1 }, expect: { result: 1 }, reason: a }]',
    ['6:22: the member "is" is missing'],
  ],
  [
    "inconclusive: [{ only-if: { value: 1, is: { $pattern: '(' } }, expect: { result: 1 }, reason: a }]",
    ['6:59: not a regular expression: /(/u: Unterminated group; escape literal characters'],
  ],
  ['expect: {}', ['6:13: "expect" is empty; fill it in or leave it out']],
  ['expect: null', ['6:13: "expect" is null, and must be an object']],
  [
    'expect: { result: 1, error: {} }',
    ['6:5: an answer has a result or an error, never both; state one of them'],
  ],
  ['expect: { items: [{ result: 1 }] }', ['6:5: a call has one answer; `items` are of a batch']],
  [
    "expect: { status: '400' }",
    [
      '6:23: "400": write a number without quotes, a variable in quotes, or a matcher such as { $one-of: [200, 400] }',
    ],
  ],
  [
    'expect: { error: -32000 }',
    [
      '6:22: "error" is a whole number, and must be an object; an error is described by code, message and data: { code: -32602 }',
    ],
  ],
  [
    "expect: { error: { code: '-32000' } }",
    [
      '6:30: "-32000": write a number without quotes, a variable in quotes, or a matcher such as { $one-of: [200, 400] }',
    ],
  ],
  ['expect: { error: { codes: -32000 } }', ['6:24: "codes" is not known here; did you mean "code"?']],
  [
    'expect: { headers: { retry-after: 1 } }',
    [
      '6:39: "retry-after" is a whole number, and must be a string; write a string in quotes, or a matcher such as { $pattern: \'^a\' }',
    ],
  ],
  [
    'expect: { id: null }',
    [
      `6:19: "id" is null, and must be a string; an id is JSON text in quotes: '7' for the number, '"a"' for a string, 'null' for null`,
    ],
  ],
  ['expect: { result: { $patern: a } }', ['6:25: "$patern" is not a matcher; did you mean "$pattern"?']],
  [
    'expect: { result: { a: [{ $like: a }] } }',
    [
      '6:31: "$like" is not a matcher; known are $is, $schema, $pattern, $type, $min, $max, $near, $one-of, $not, $each, $contains, $length, $unordered, $has, $empty, $absent',
    ],
  ],
  [
    'expect: { result: { $pattern: a, b: 1 } }',
    [
      '6:25: matchers, whose names begin with $, cannot be mixed with members; write { $has: { … } } for the members',
    ],
  ],
  [
    "expect: { result: { $pattern: '[' } }",
    ['6:35: not a regular expression: /[/u: Unterminated character class; escape literal characters'],
  ],
  [
    "expect: { result: { $each: { $has: { a: { $pattern: '\\-' } } } } }",
    ['6:57: not a regular expression: /\\-/u: Invalid escape; escape literal characters'],
  ],
  [
    'expect: { result: { $type: text } }',
    ['6:32: "text" is not one of null, boolean, number, integer, string, array, object'],
  ],
  [
    'expect: { result: { $type: [string, nul] } }',
    ['6:41: "nul" is not one of null, boolean, number, integer, string, array, object; did you mean "null"?'],
  ],
  [
    'expect: { result: { $schema: Block } }',
    [`6:34: "Block": a place in the contract is a JSON pointer such as '#/components/schemas/Block'`],
  ],
  [
    'expect: { result: { $min: ten } }',
    [`6:31: "ten": write a number, a hexadecimal quantity such as '0x10', or a variable in quotes`],
  ],
  [
    'expect: { result: { $length: -1 } }',
    [
      '6:34: "$length" is less than 0; write a number from 0, a variable in quotes, or a matcher such as { $min: 1 }',
    ],
  ],
  ['expect: { result: { $one-of: [] } }', ['6:34: "$one-of" is empty; fill it in or leave it out']],
  [
    'expect: { result: { $one-of: 1 } }',
    [
      '6:34: "$one-of" is a whole number, and must be a list or a string; write a list, or a variable in quotes that holds one',
    ],
  ],
  ['expect: { result: { $has: {} } }', ['6:31: "$has" is empty; fill it in or leave it out']],
  ['expect: { result: { $absent: false } }', ['6:34: "$absent" can only be true; leave it out otherwise']],
  [
    'params: [0x1f]',
    [`6:14: 0x1f is not a JSON number, but YAML reads it as one: write '0x1f' for the string`],
  ],
  [
    'params: [007, +1, .5, 1e400, .inf, 0o7]',
    ['007', '+1', '.5', '1e400', '.inf', '0o7'].map(
      (text, at) =>
        `6:${[14, 19, 23, 27, 34, 40][at]}: ${text} is not a JSON number, but YAML reads it as one: write '${text}' for the string`,
    ),
  ],
  [
    'params: [9007199254740993, -9007199254740993, 1e30]',
    ['9007199254740993', '-9007199254740993', '1e30'].map(
      (text, at) =>
        `6:${[14, 32, 51][at]}: ${text} is beyond 2^53 - 1, where numbers lose digits: write '${text}' for the string`,
    ),
  ],
  ['params: [1, -1, 1.5, 1e3, 9007199254740991, 0x, true, null]', []],
  ['params: [{ from: ${hash} }]', ["6:23: a variable inside { } or [ ] needs quotes: '${name}'"]],
  ['params: [ ${hash} ]', ["6:16: a variable inside { } or [ ] needs quotes: '${name}'"]],
  ["params: ['${hash']", ['6:14: "${" is not closed; write "$${" for a literal "${"']],
  [
    "params: [{ '${a b}': 1 }]",
    ['6:16: "${a b}" is not a variable: write "${name}", "${name + 1}" or "${name - 1}"'],
  ],
]

t.test('an invalid step is reported with line and column', async (t) => {
  for (const [lines, problems] of steps) {
    const want = problems.map((problem) => `group/case.yaml:${problem}`)
    t.strictSame(await problemsOf(t, { 'group/case.yaml': caseWith(lines) }), want, lines)
  }
})

const otherSteps: readonly [text: string, problems: readonly string[]][] = [
  [
    '- cal: x\n    expect: { result: 1 }',
    [
      '3:5: a step is one of call, batch, raw, compute, parallel, skip-unless, but this one is none of them; did you mean "call" instead of "cal"?',
    ],
  ],
  [
    '- {}',
    ['3:5: a step is one of call, batch, raw, compute, parallel, skip-unless, but this one is none of them'],
  ],
  ['- batch: []', ['3:12: "batch" is empty; fill it in or leave it out']],
  [
    '- batch: [{ method: a }]',
    [
      '3:13: the member "call" is missing',
      '3:15: "method" is not known here; known are call, params, omit-params, id, times',
    ],
  ],
  ['- batch: [{ call: a, times: x }]', ['3:31: "x": write a number from 1, or a variable in quotes']],
  [
    '- batch: [{ call: a }]\n    expect: { items: [{ status: 200 }] }',
    ['4:25: "status" is not known here; known are result, error, id'],
  ],
  [
    "- raw: [{ hex: fff }, { repeat: a }, 1, '']",
    [
      '3:18: "fff": bytes are pairs of hexadecimal digits without 0x, such as \'ff00\'',
      '3:25: the member "times" is missing',
      '3:40: this item is a whole number, and must be a string or an object',
    ],
  ],
  [
    '- compute: x\n    expect: { status: 200 }',
    ['4:5: the member "result" is missing', '4:15: "status" is not known here; known are result'],
  ],
  ['- compute: x\n    params: 1', ['4:13: "params" is a whole number, and must be a list']],
]

t.test('each kind of step has its own members', async (t) => {
  for (const [text, problems] of otherSteps) {
    const want = problems.map((problem) => `group/case.yaml:${problem}`)
    const yaml = `scenario: It holds.\nsteps:\n  ${text}\n`
    t.strictSame(await problemsOf(t, { 'group/case.yaml': yaml }), want, text)
  }
})

t.test('columns count from the first character, with any line ending and byte order mark', async (t) => {
  const text = caseWith('params: 1').replaceAll('\n', '\r\n')
  const [problem] = await problemsOf(t, { 'group/case.yaml': `\uFEFF${text}` })
  t.match(problem, /^group\/case\.yaml:6:13: "params" is a whole number/)
  const [first] = await problemsOf(t, { 'group/case.yaml': '\uFEFFfrob: 1\n' })
  t.match(first, /^group\/case\.yaml:1:1: /)
})

t.test('aliases are checked where they are used, and their expansion is limited', async (t) => {
  const shared =
    'scenario: It holds.\nsteps:\n  - &a { call: x, params: [1], expect: { result: 1 } }\n  - *a\n'
  t.strictSame(await problemsOf(t, { 'group/case.yaml': shared }), [])
  let bomb = 'a: &a0 [x, x, x, x, x, x, x, x, x]\n'
  for (let level = 1; level < 9; level++) {
    const alias = `*a${level - 1}`
    bomb += `b${level}: &a${level} [${Array.from({ length: 9 }, () => alias).join(', ')}]\n`
  }
  const [problem, ...others] = await problemsOf(t, { 'group/case.yaml': bomb })
  t.match(problem, /more than 20000 values, aliases included; make it smaller$/)
  t.strictSame(others, [])
})
