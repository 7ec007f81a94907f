import t from 'tap'
import { problemsOf } from './problems-of.js'

/** Steps from line 4 on, with their problems. */
const rows: readonly [about: string, steps: string, problems: readonly string[]][] = [
  [
    'a single parallel step',
    '- parallel: [{ call: x, expect: { result: 1 } }]',
    ['3:15: "parallel" needs at least 2 items'],
  ],
  [
    'a parallel step that does not send',
    '- parallel: [{ call: x, expect: { result: 1 } }, { compute: y }]',
    ['3:52: a step within parallel is one of call, batch, raw, but this one is none of them'],
  ],
  [
    'a mistake within parallel steps',
    '- parallel:\n    - { call: x, expect: { result: 1 } }\n    - { call: x, params: ["${a}"] }',
    [
      '5:27: no variable "a" is known here: nothing is captured before; capture it in an earlier step, or add its fixture to `needs`',
    ],
  ],
  [
    'a capture of a parallel step used in another one',
    '- parallel:\n    - { call: x, capture: { a: $.result } }\n    - { call: x, params: ["${a}"], expect: { result: 1 } }',
    ['5:27: "a" is captured in this step or later; capture it in an earlier one'],
  ],
  [
    'a key within parallel steps is a need',
    '- parallel:\n    - { call: x, expect: { result: 1 } }\n    - { call: x, key: second }',
    ['5:23: this key is not always given; add second-key to `needs`'],
  ],
  [
    'an unknown variable in a skip condition',
    '- { skip-unless: "${a}", is: { $pattern: "(" }, reason: a }\n  - { call: x, expect: { result: 1 } }',
    [
      '3:20: no variable "a" is known here: nothing is captured before; capture it in an earlier step, or add its fixture to `needs`',
      '3:44: not a regular expression: /(/u: Unterminated group; escape literal characters',
    ],
  ],
  [
    'a skip condition on a constant',
    '- { skip-unless: a, is: 1, reason: a }\n  - { call: x, expect: { result: 1 } }',
    ['3:20: "a": write a variable in quotes: \'${captured}\''],
  ],
  [
    'a skip without a reason',
    '- { skip-unless: "${limit.a}", is: 1 }\n  - { call: x, expect: { result: 1 } }',
    ['3:5: the member "reason" is missing'],
  ],
  [
    'a pause that is not a duration',
    "- { raw: [a, { pause: 0 }, { pause: -1 }, { pause: 601 }, { pause: '${limit.a}' }], expect: { status: 408 } }",
    [
      '3:25: "pause" is not above 0; write a number of seconds above 0, or a variable in quotes',
      '3:39: "pause" is not above 0; write a number of seconds above 0, or a variable in quotes',
      '3:54: "pause" is more than 600; write a number of seconds above 0, or a variable in quotes',
    ],
  ],
  [
    'a shared answer in a step about its own answer',
    '- { call: x, share: true, expect: { result: 1 } }\n  - { call: x, share: true, repeat-until: { expect: { result: 1 }, at-most: 2 } }\n  - { call: x, share: true, expect: { within: 2 } }',
    [
      '4:23: an answer of another case cannot be shared here; remove `share`, or `repeat-until`',
      '5:23: an answer of another case cannot be shared here; remove `share`, or `within`',
    ],
  ],
  [
    'a shared answer in parallel steps',
    '- parallel:\n    - { call: x, share: true, expect: { result: 1 } }\n    - { call: y }',
    ['4:25: an answer of another case cannot be shared here; remove `share`'],
  ],
]

t.test('steps of every kind are checked, with line and column', async (t) => {
  for (const [about, steps, problems] of rows) {
    const text = `scenario: A.\nsteps:\n  ${steps}\n`
    const want = problems.map((problem) => `group/case.yaml:${problem}`)
    t.strictSame(await problemsOf(t, { 'group/case.yaml': text }), want, about)
  }
})

t.test('the checks of a fixture capture nothing for its cases', async (t) => {
  const files = {
    'fixtures/one.yaml':
      'fixture: A.\nsteps: [{ call: x, capture: { a: $ } }]\nstill: [{ call: x, params: ["${a}"], capture: { b: $ } }]\n',
    'group/case.yaml':
      'scenario: A.\nneeds: one\nsteps: [{ call: x, params: ["${a}", "${b}"], expect: { result: 1 } }]\n',
  }
  t.strictSame(await problemsOf(t, files), [
    'group/case.yaml:3:37: no variable "b" is known here: known here are a; capture it in an earlier step, or add its fixture to `needs`',
  ])
})
