import t from 'tap'
import { problemsOf } from './problems-of.js'

/** Steps of a case, one a line, that some valid answer fails. */
const accepted: readonly string[] = [
  '{ call: x, expect: { result: null } }',
  '{ call: x, expect: { result: 0 } }',
  '{ call: x, expect: { result: [] } }',
  '{ call: x, expect: { result: {} } }',
  "{ call: x, expect: { result: '' } }",
  '{ call: x, expect: { result: [{ $type: string }] } }',
  '{ call: x, expect: { result: { a: { $type: string } } } }',
  "{ call: x, expect: { result: '${network.chainId}' } }",
  '{ call: x, expect: { result: { $is: { a: 1 } } } }',
  "{ call: x, expect: { result: { $type: 'null' } } }",
  "{ call: x, expect: { result: { $type: ['null'] } } }",
  '{ call: x, expect: { result: { $pattern: ^0x } } }',
  "{ call: x, expect: { result: { $pattern: '${network.title}' } } }",
  '{ call: x, expect: { result: { $min: 1 } } }',
  "{ call: x, expect: { result: { $min: '0x1' } } }",
  '{ call: x, expect: { result: { $max: 1 } } }',
  '{ call: x, expect: { result: { $one-of: [1, 2] } } }',
  "{ call: x, expect: { result: { $one-of: '${network.list}' } } }",
  '{ call: x, expect: { result: { $not: null } } }',
  '{ call: x, expect: { result: { $not: { $empty: true } } } }',
  '{ call: x, expect: { result: { $each: { $has: { a: 1 } } } } }',
  '{ call: x, expect: { result: { $contains: { $type: object } } } }',
  '{ call: x, expect: { result: { $length: 0 } } }',
  '{ call: x, expect: { result: { $length: { $min: 1 } } } }',
  '{ call: x, expect: { result: { $unordered: [] } } }',
  '{ call: x, expect: { result: { $has: { a: 1 } } } }',
  "{ call: x, expect: { result: { $has: '${network.object}' } } }",
  '{ call: x, expect: { result: { $has: { a: { $has: { b: null } } } } } }',
  '{ call: x, expect: { result: { $has: { a: { $absent: true } } } } }',
  '{ call: x, expect: { result: { $empty: true } } }',
  "{ call: x, expect: { result: { $schema: '#/a', $pattern: ^a } } }",
  '{ call: x, expect: { error: {} } }',
  '{ call: x, expect: { error: { code: -32602 } } }',
  '{ call: x, expect: { status: 400 } }',
  '{ call: x, expect: { status: { $not: 200 } } }',
  '{ call: x, expect: { status: { $one-of: [400, 413] } } }',
  "{ call: x, expect: { status: '${limit.status}' } }",
  '{ call: x, expect: { headers: { a: b } } }',
  '{ call: x, expect: { headers: { a: { $absent: true } } } }',
  '{ call: x, expect: { headers: { a: { $not: { $absent: true } } } } }',
  '{ call: x, expect: { headers: { a: { $type: string } } } }',
  '{ call: x, expect: { headers: { a: { $one-of: [{ $absent: true }, b] } } } }',
  '{ call: x, expect: { body: { $has: { result: 1 } } } }',
  '{ batch: [{ call: x }], expect: { items: [{}, { result: 1 }] } }',
  '{ batch: [{ call: x }], expect: { body: { $length: 1 } } }',
  '{ batch: [{ call: x }], expect: { body: { $each: { $has: { result: 1 } } } } }',
  "{ raw: '', expect: { status: 200 } }",
  '{ call: x, expect: { within: 2 } }',
  '{ parallel: [{ call: x }, { call: y, expect: { result: 1 } }] }',
  '{ parallel: [{ call: x }, { call: y, repeat-until: { expect: { error: {} }, at-most: 3 } }] }',
  "{ raw: '', expect: { id: 'null' } }",
  "{ raw: '', expect: { items: [{}] } }",
  "{ raw: '', expect: { body: { $has: { id: null } } } }",
  '{ call: x, repeat-until: { expect: { status: 429 }, at-most: 3 } }',
  '{ call: y }\n{ call: x, expect: { result: { $type: string } } }\n{ call: z, expect: { result: 1 } }',
  '{ call: x, expect: { error: { code: 1 } }, tolerate: [{ expect: { error: { code: 2 } }, reason: Old., depends-on: implementation }] }',
  "{ call: x, capture: { a: $.result } }\n{ compute: f, params: ['${a}'], expect: { result: 1 } }",
  "{ call: x, capture: { a: $.result } }\n{ compute: f, params: [1], expect: { result: '${a}' } }",
]

t.test('a case that some valid answer fails is accepted', async (t) => {
  for (const steps of accepted) t.strictSame(await problemsOf(t, { 'a/b.yaml': caseOf(steps) }), [], steps)
})

/** Steps of a case that every valid answer passes. */
const refused: readonly string[] = [
  '{ call: x }',
  '{ call: x, capture: { a: $.result } }',
  '{ compute: x, capture: { a: $ } }',
  '{ call: x }\n{ compute: f, params: [1], expect: { result: 1 } }',
  "{ call: x, capture: { a: $.result } }\n{ compute: f, params: ['${a}'], expect: { result: { $type: string } } }",
  "{ call: x, expect: { result: { $schema: '#/components/schemas/Block' } } }",
  '{ call: x, expect: { result: { $type: string } } }',
  "{ call: x, expect: { result: { $type: ['null', object] } } }",
  '{ call: x, expect: { result: { $not: { $type: string } } } }',
  '{ call: x, expect: { result: { $not: { $absent: true } } } }',
  "{ call: x, expect: { result: { $pattern: '.*' } } }",
  "{ call: x, expect: { result: { $pattern: '^[^]*$' } } }",
  "{ call: x, expect: { result: { $pattern: 'a|' } } }",
  '{ call: x, expect: { result: { $min: 0 } } }',
  "{ call: x, expect: { result: { $min: '0x0' } } }",
  '{ call: x, expect: { result: { $one-of: [null, { $type: object }] } } }',
  '{ call: x, expect: { result: { $one-of: [null, { $not: null }] } } }',
  '{ call: x, expect: { result: { $each: { $type: object } } } }',
  '{ call: x, expect: { result: { $length: { $min: 0 } } } }',
  '{ call: x, expect: { result: { $has: { a: { $type: string }, b: { $schema: "#/a" } } } } }',
  '{ call: x, expect: { status: 200 } }',
  '{ call: x, expect: { status: { $one-of: [200, 400] } } }',
  '{ call: x, expect: { status: { $max: 599 } } }',
  "{ call: x, id: '7', expect: { id: '7' } }",
  '{ call: x, expect: { headers: { a: { $one-of: [{ $absent: true }, { $type: string }] } } } }',
  "{ call: x, expect: { body: { $has: { jsonrpc: '2.0', id: 1 } } } }",
  '{ call: x, expect: { body: { $type: object } } }',
  '{ batch: [{ call: x }], expect: { items: [{}, { result: { $type: string } }] } }',
  '{ batch: [{ call: x }], expect: { body: { $each: { $has: { jsonrpc: "2.0" } } } } }',
  '{ batch: [{ call: x }], expect: { status: 200 } }',
  "{ raw: '', expect: { status: { $min: 100 } } }",
  "{ raw: '', expect: { body: { $has: { jsonrpc: '2.0' } } } }",
  '{ call: x, repeat-until: { expect: { status: 200 }, at-most: 3 } }',
  '{ call: x, expect: { result: null }, tolerate: [{ expect: { result: { $not: null } }, reason: a, depends-on: implementation }] }',
  '{ call: y }\n{ call: x, expect: { result: { $type: string } } }',
  '{ parallel: [{ call: x }, { call: y, expect: { result: { $type: string } } }] }',
  '{ parallel: [{ call: x }, { call: y, repeat-until: { expect: { status: 200 }, at-most: 3 } }] }',
  '{ call: x, expect: { result: null }, tolerate: [{ expect: { error: {} }, reason: a, depends-on: implementation }, { expect: { result: { $not: null } }, reason: a, depends-on: implementation }] }',
  '{ call: x, expect: { error: {} }, tolerate: [{ expect: { result: null }, reason: a, depends-on: implementation }, { expect: { result: { $not: null } }, reason: a, depends-on: implementation }] }',
  "{ call: x, capture: { a: $ } }\n{ skip-unless: '${a}', is: { $has: { result: 1 } }, reason: a }",
]

const what =
  'every answer that conforms to the contract; expect a value, null, an error, a status other than 200 or a matcher that excludes values'

t.test('a case that every valid answer passes is refused at its line', async (t) => {
  for (const steps of refused) {
    const problems = await problemsOf(t, { 'a/b.yaml': caseOf(steps) })
    t.strictSame(problems, [`a/b.yaml:2:1: this case accepts ${what}`], steps)
  }
})

t.test('a tolerance that matches everything is refused, whatever else the case states', async (t) => {
  const steps =
    '{ call: x, expect: { error: { code: 1 } }, tolerate: [{ expect: { error: {} }, reason: a, depends-on: implementation }, { expect: { status: 200 }, reason: b, depends-on: implementation }] }'
  t.strictSame(await problemsOf(t, { 'a/b.yaml': caseOf(steps) }), [`a/b.yaml:4:135: this tolerates ${what}`])
})

t.test('a tolerance that matches everything is refused within parallel steps', async (t) => {
  const steps =
    '{ parallel: [{ call: x, expect: { result: 1 } }, { call: y, tolerate: [{ expect: { status: 200 }, reason: b, depends-on: implementation }] }] }'
  t.strictSame(await problemsOf(t, { 'a/b.yaml': caseOf(steps) }), [`a/b.yaml:4:86: this tolerates ${what}`])
})

t.test('fixtures may accept everything', async (t) => {
  const files = { 'fixtures/a.yaml': 'fixture: It is found.\nsteps: [{ call: x, capture: { a: $ } }]\n' }
  t.strictSame(await problemsOf(t, files), [])
})

t.test('a file with other problems is not audited', async (t) => {
  const [first, ...others] = await problemsOf(t, { 'a/b.yaml': caseOf('{ call: x, exept: {} }') })
  t.match(first, /did you mean "expect"/)
  t.strictSame(others, [])
})

function caseOf(steps: string): string {
  const lines = steps.split('\n').map((step) => `  - ${step}\n`)
  return `# what it is about\nscenario: It holds.\nsteps:\n${lines.join('')}`
}
