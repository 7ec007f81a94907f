import t from 'tap'
import { methodsIn } from '../../../../src/judge/checks/listed-members.js'
import { createListedMembers } from '../../../../src/judge/index.js'
import type { JsonValue } from '../../../../src/toolkit/contract/index.js'
import { contractOf, methodOf } from './fixtures.js'

const node = { type: 'object', properties: { a: {}, inner: { $ref: '#/components/schemas/Node' } } }
const table: readonly (readonly [about: string, schema: JsonValue, value: JsonValue, reduced: JsonValue])[] =
  [
    ['unlisted members', { type: 'object', properties: { a: {} } }, { a: 1, b: 2 }, { a: 1 }],
    [
      'references that recurse',
      { $ref: '#/components/schemas/Node' },
      { inner: { a: 1, x: 1 }, x: 1 },
      { inner: { a: 1 } },
    ],
    [
      'lists and unions',
      { oneOf: [{ type: 'null' }, { type: 'array', items: { anyOf: [node, { properties: { b: {} } }] } }] },
      [{ a: 1, b: 2, c: 3 }, null],
      [{ a: 1, b: 2 }, null],
    ],
    ['an object without listed members stays', { type: 'object' }, { a: 1 }, { a: 1 }],
    [
      'a map of values stays',
      { properties: { a: {} }, additionalProperties: { type: 'integer' } },
      { a: 1, b: 2 },
      { a: 1, b: 2 },
    ],
    [
      'members of closed objects',
      { properties: { a: {} }, additionalProperties: false },
      { a: 1, b: 2 },
      { a: 1 },
    ],
    ['scalars', { type: 'string' }, 'x', 'x'],
  ]

for (const [about, schema, value, reduced] of table) {
  t.test(about, async (t) => {
    const contract = contractOf({ methods: [methodOf(schema)], components: { schemas: { Node: node } } })
    const listed = createListedMembers(contract)
    const view = { status: 200, headers: {}, text: '', ids: [] }
    const answer = (result: JsonValue) => ({ jsonrpc: '2.0', id: 1, result })
    t.same(listed.view({ ...view, json: answer(value) }, ['m']).json, answer(reduced))
    t.same(listed.view({ ...view, json: [answer(value)] }, ['m']).json, [answer(reduced)])
    t.same(listed.view({ ...view, json: answer(value) }, ['other']).json, answer(value))
    t.same(listed.expectation({ result: value }, ['m']), { result: reduced })
    t.same(listed.expectation({ items: [{ result: value }] }, ['m']), { items: [{ result: reduced }] })
    t.same(listed.expectation({ body: answer(value) }, ['m']), { body: answer(reduced) })
  })
}

t.test('matchers lose the same members', async (t) => {
  const contract = contractOf({
    methods: [methodOf({ type: 'array', items: node })],
    components: { schemas: { Node: node } },
  })
  const { expectation } = createListedMembers(contract)
  t.same(expectation({ result: { $length: 1, $each: { $has: { a: 1, b: 2 } } } }, ['m']), {
    result: { $length: 1, $each: { $has: { a: 1 } } },
  })
  t.same(expectation({ body: { $has: { result: { $contains: { $is: { a: 1, b: 2 } } } } } }, ['m']), {
    body: { $has: { result: { $contains: { $is: { a: 1 } } } } },
  })
  t.same(expectation({ error: { code: -1 }, status: 200 }, ['m']), { error: { code: -1 }, status: 200 })
})

t.test('the methods of a body are those of its calls', async (t) => {
  const bytes = (text: string) => Buffer.from(text)
  t.same(methodsIn(bytes('{"method":"a"}')), ['a'])
  t.same(methodsIn(bytes('[{"method":"a"},7,{"method":1}]')), ['a', undefined, undefined])
  t.same(methodsIn(bytes('{')), [])
  t.same(methodsIn(undefined), [])
})
