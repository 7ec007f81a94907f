import t from 'tap'
import { fillExpectation } from '../../../../src/judge/expect/fill-expectation.js'
import { matchValue } from '../../../../src/judge/expect/match-value.js'
import type { Expectation } from '../../../../src/judge/scenario/scenario.js'
import { ScenarioRunError } from '../../../../src/judge/scenario/scenario-run-error.js'
import type { JsonValue } from '../../../../src/runtime/rpc/index.js'

const variables = new Map<string, JsonValue>([
  ['hash', '0xab'],
  ['count', 3],
  ['list', ['a', 'b']],
  ['object', { a: 1 }],
  ['trap', { $absent: true }],
  ['inner', { a: [{ $not: null }] }],
  ['traps', [{ $absent: true }, 'x']],
])

const table: readonly [expectation: Expectation, want: Expectation][] = [
  [{}, {}],
  [{ result: null }, { result: null }],
  [
    { result: '${hash}', status: '${count}', id: '"${hash}"' },
    { result: '0xab', status: 3, id: '"0xab"' },
  ],
  [
    { error: { code: '${count}', message: 'at ${hash}', data: { '${hash}': '${object}' } } },
    { error: { code: 3, message: 'at 0xab', data: { '0xab': { a: 1 } } } },
  ],
  [
    { headers: { A: '${hash}' }, body: ['${count + 1}'] },
    { headers: { A: '0xab' }, body: [4] },
  ],
  [{ items: [{ result: '${hash - 1}' }, {}] }, { items: [{ result: '0xaa' }, {}] }],
  [
    { result: { $pattern: '^${hash}', $length: '${count}', $min: '${hash}' } },
    { result: { $pattern: '^0xab', $length: 3, $min: '0xab' } },
  ],
  [{ result: { '$one-of': '${list}' } }, { result: { '$one-of': ['a', 'b'] } }],
  [{ result: { $unordered: ['${hash}', 'c'] } }, { result: { $unordered: ['0xab', 'c'] } }],
  [{ result: { $has: '${object}' } }, { result: { $has: { a: 1 } } }],
  [{ result: { $is: { $has: '${hash}' } } }, { result: { $is: { $has: '0xab' } } }],
  [{ result: '${trap}' }, { result: { $is: { $absent: true } } }],
  [{ result: '${inner}' }, { result: { $is: { a: [{ $not: null }] } } }],
  [{ result: { $has: '${inner}' } }, { result: { $has: { a: { $is: [{ $not: null }] } } } }],
  [{ result: { $unordered: '${traps}' } }, { result: { $unordered: [{ $is: { $absent: true } }, 'x'] } }],
  [{ result: '$${hash}' }, { result: '${hash}' }],
]

t.test('variables are replaced everywhere in an expectation', async (t) => {
  for (const [expectation, want] of table) {
    t.strictSame(fillExpectation(expectation, variables), want, JSON.stringify(expectation))
  }
})

t.test('an unknown variable is reported', async (t) => {
  t.throws(() => fillExpectation({ items: [{ result: ['${none}'] }] }, variables), ScenarioRunError)
})

t.test('a captured value is compared literally, also when it looks like a matcher', async (t) => {
  for (const [name, value] of variables) {
    const { result = null } = fillExpectation({ result: `\${${name}}` }, variables)
    t.strictSame(
      matchValue(result, value, '', () => []),
      [],
      name,
    )
    t.ok(matchValue(result, 'else', '', () => []).length > 0, name)
    t.ok(matchValue(result, undefined, '', () => []).length > 0, name)
  }
})
