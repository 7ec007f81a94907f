import { fileURLToPath } from 'node:url'
import t from 'tap'
import { methods } from '../../../../generated/methods.js'
import { createChecks } from '../../../../src/judge/index.js'
import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  loadContract,
} from '../../../../src/toolkit/contract/index.js'
import { contractOf, methodOf, shown } from './fixtures.js'

const own = await loadContract(fileURLToPath(new URL('../../../../openrpc.json', import.meta.url)))

t.test('a schema violation is described in words, with its place', async (t) => {
  const rows: readonly [string, JsonValue, JsonValue, readonly string[]][] = [
    ['a type', { type: 'string' }, 1, [' must be text']],
    ['two types', { type: ['integer', 'null'] }, 'a', [' must be a whole number or null']],
    ['a pattern', { type: 'string', pattern: '^a' }, 'b', [' must be text that matches ^a']],
    [
      'a pattern with a title',
      { title: 'Age', type: 'string', pattern: '^a' },
      'b',
      [' must be an Age: text that matches ^a'],
    ],
    ['a choice', { enum: ['a', 1, null] }, 'b', [' must be one of "a", 1, null']],
    ['a constant', { const: { a: 1 } }, 'b', [' must be {"a":1}']],
    ['a member', { required: ['a', 'b'] }, { b: 1 }, [' must have the member "a"']],
    [
      'no other member',
      { properties: { a: {} }, additionalProperties: false },
      { b: 1 },
      [' must not have the member "b"'],
    ],
    [
      'a nested place',
      { properties: { 'a/b': { items: { type: 'null' } } } },
      { 'a/b': [null, 1] },
      ['/a~1b/1 must be null'],
    ],
    ['bounds', { minimum: 2, maximum: 1 }, 1.5, [' must be at most 1', ' must be at least 2']],
    ['open bounds', { exclusiveMinimum: 2 }, 2, [' must be more than 2']],
    ['lengths', { minLength: 1 }, '', [' must have at least 1 character']],
    [
      'items',
      { maxItems: 1, uniqueItems: true },
      [1, 1],
      [' must have at most 1 item', ' must not have duplicate items'],
    ],
    ['a tuple', { items: [{}], additionalItems: false }, [1, 2], [' must have at most 1 item']],
    [
      'members that require each other',
      { dependencies: { a: ['b'] } },
      { a: 1 },
      [' must have the member "b", because it has "a"'],
    ],
    ['a negated schema', { not: { const: 1 } }, 1, [' must not be 1']],
    ['nothing', { properties: { a: false } }, { a: 1 }, ['/a must be absent']],
    ['a multiple', { multipleOf: 2 }, 3, [' must be a multiple of 2']],
    ['something inside', { contains: { const: 1 } }, [2], [' must have an item that matches the schema']],
    ['the type is checked first', { type: 'string', minLength: 9, enum: ['a'] }, 1, [' must be text']],
  ]
  for (const [what, schema, value, wanted] of rows) {
    const checks = createChecks(contractOf({ methods: [methodOf(schema)] }))
    t.same(shown(checks.result('m', [], value)), wanted, what)
  }
})

t.test('of several alternatives the nearest one is described', async (t) => {
  const pet = { title: 'Pet', type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }
  const schema = { anyOf: [pet, { type: 'array', items: pet }, { type: 'null' }] }
  const rows: readonly [string, JsonValue, readonly string[]][] = [
    ['no form', 7, [' must be a Pet or a list of Pet or null']],
    ['the alternative with the same type', {}, [' must have the member "id"']],
    ['the alternative that matches deepest', { id: 'x' }, ['/id must be a whole number']],
    ['deeper still', [{ id: 1 }, { id: 'x' }], ['/1/id must be a whole number']],
  ]
  const checks = createChecks(contractOf({ methods: [methodOf(schema)] }))
  for (const [what, value, wanted] of rows) t.same(shown(checks.result('m', [], value)), wanted, what)
  t.same(checks.result('m', [], null), [])
  const names = { title: 'Names', type: 'array', items: { type: 'string' } }
  const lists = createChecks(
    contractOf({
      methods: [methodOf({ properties: { pets: { anyOf: [names, { type: 'array', items: pet }] } } })],
    }),
  )
  t.same(shown(lists.result('m', [], { pets: [{ id: 1 }, 7, { id: 3 }] })), ['/pets/1 must be an object'])
  t.same(shown(lists.result('m', [], { pets: [{ id: 1 }, {}] })), ['/pets/1 must have the member "id"'])
  t.same(shown(lists.result('m', [], { pets: ['a', 7, 'c'] })), ['/pets/1 must be text'])
  t.same(shown(lists.result('m', [], { pets: [7] })), ['/pets must be a Names or a list of Pet'])
  const kind = (name: string, more: JsonObject) => ({
    type: 'object',
    required: ['kind', ...Object.keys(more)],
    properties: { kind: { const: name }, ...more },
  })
  const kinds = [
    kind('cat', { lives: { type: 'integer' } }),
    kind('dog', { tail: { type: 'string' }, legs: {} }),
  ]
  const named = createChecks(contractOf({ methods: [methodOf({ oneOf: kinds })] }))
  t.same(shown(named.result('m', [], { kind: 'dog', legs: 4 })), [' must have the member "tail"'])
  t.same(shown(named.result('m', [], { kind: 'dog' })), [
    ' must have the member "tail"',
    ' must have the member "legs"',
  ])
  t.same(shown(named.result('m', [], { kind: 'cat', lives: 'nine' })), ['/lives must be a whole number'])
  const either = { oneOf: [{ required: ['a'] }, { required: ['b', 'c'] }] }
  const other = createChecks(contractOf({ methods: [methodOf(either)] }))
  t.same(shown(other.result('m', [], {})), [' must have exactly one of "a", "b" and "c"'])
})

t.test('a condition is described by its consequence', async (t) => {
  const schema = JSON.parse(
    '{"if":{"properties":{"kind":{"const":"dog"}}},"then":{"required":["bark"]},"else":{"properties":{"bark":false}}}',
  )
  const checks = createChecks(contractOf({ methods: [methodOf(schema)] }))
  t.same(shown(checks.result('m', [], { kind: 'dog' })), [' must have the member "bark"'])
  t.same(shown(checks.result('m', [], { kind: 'cat', bark: 1 })), ['/bark must be absent'])
})

t.test(
  'a parameter narrows the result, by position, by default or by name; null results stay null',
  async (t) => {
    const when = [
      { param: 'full', value: true, schema: { type: 'object' } },
      { param: 'full', value: false, schema: { type: 'string' } },
    ]
    const params = [
      { name: 'id', required: true, schema: {} },
      { name: 'full', required: false, schema: { type: 'boolean', default: false } },
    ]
    const checks = createChecks(contractOf({ methods: [methodOf({}, { params, 'x-result-when': when })] }))
    const rows: readonly [
      readonly JsonValue[] | { readonly [name: string]: JsonValue },
      JsonValue,
      boolean,
    ][] = [
      [[1, true], {}, true],
      [[1, true], 'x', false],
      [[1, false], 'x', true],
      [[1, false], {}, false],
      [[1], 'x', true],
      [[1], {}, false],
      [{ id: 1, full: true }, {}, true],
      [{ full: true, id: 1 }, 'x', false],
      [{ id: 1 }, {}, false],
      [[1, true], null, true],
      [[1, 'neither'], 7, true],
    ]
    for (const [given, value, isRight] of rows) {
      const what = `${JSON.stringify(given)} and ${JSON.stringify(value)}`
      t.equal(checks.result('m', given, value).length === 0, isRight, what)
    }
  },
)

t.test('other methods, and methods without a result, are not checked', async (t) => {
  const { result: _, ...notification } = methodOf({})
  const checks = createChecks(contractOf({ methods: [{ ...notification, name: 'n' }] }))
  t.same(checks.result('other', [], 1), [])
  t.same(checks.result('n', [], 1), [])
  t.same(checks.result('toString', [], 1), [])
})

t.test('a large value shows its first problem only, a small one at most ten', async (t) => {
  const checks = createChecks(contractOf({ methods: [methodOf({ items: { type: 'string' } })] }))
  t.equal(checks.result('m', [], Array(50).fill(1)).length, 10)
  t.equal(checks.result('m', [], [...Array(50_000).fill('xxxx'), 1, 1]).length, 1)
})

t.test('every example of openrpc.json is valid', async (t) => {
  const checks = createChecks(own)
  for (const { name, examples } of own.methods) {
    for (const example of examples) {
      const params = example.params.map(({ value }) => value)
      if (example.result) t.same(checks.result(name, params, example.result.value), [], example.name)
      if (example.error !== undefined) t.same(checks.error(name, example.error), [], example.name)
    }
  }
})

/** The value with one place changed or removed, for every place. */
function* changed(value: JsonValue, depth = 0): Generator<JsonValue> {
  yield* [null, 7, 'latest', '0x', '0x00', [], {}]
  if (depth > 3 || value === null || typeof value !== 'object') return
  const entries = Object.entries(value) as [string, JsonValue][]
  const rebuilt = (parts: readonly (readonly [string, JsonValue])[]) =>
    isArray(value) ? parts.map(([, item]) => item) : Object.fromEntries(parts)
  for (const [at, [name, inner]] of entries.entries()) {
    yield rebuilt(entries.filter((_, other) => other !== at))
    for (const part of changed(inner, depth + 1)) {
      yield rebuilt(entries.map((entry, other) => (other === at ? [name, part] : entry)))
    }
  }
  if (isObject(value)) yield { ...value, more: 1, status: '0x1', root: '0x' }
}

t.test('for openrpc.json, the checker and the independent validators agree', async (t) => {
  const checks = createChecks(own)
  const disagreements: string[] = []
  let tried = 0
  for (const { name, examples, result } of own.methods) {
    for (const { result: shownResult } of examples) {
      if (!shownResult || !result) continue
      for (const value of changed(shownResult.value)) {
        tried++
        const problems = checks.schema(result.schema.pointer, value)
        const valid = methods[name as keyof typeof methods].validateResult(value).length === 0
        if (valid !== (problems.length === 0))
          disagreements.push(`${name} ${JSON.stringify(value).slice(0, 200)}`)
      }
    }
  }
  t.ok(tried > 1000, `${tried} values`)
  t.same(disagreements.slice(0, 5), [])
})

t.test('lists are sorted as the method states, without equal items', async (t) => {
  const order = [{ list: '/items', by: ['block', 'place'] }]
  const declared = own.document['x-extensions']
  const extension =
    isArray(declared) && declared.find((one) => isObject(one) && one['name'] === 'x-result-order')
  const item = { properties: { block: {}, place: {} } }
  const checks = createChecks(
    contractOf({
      methods: [methodOf({ properties: { items: { items: item } } }, { 'x-result-order': order })],
      'x-extensions': extension ? [extension] : [],
    }),
  )
  const problems = (...places: readonly (readonly [JsonValue, JsonValue])[]) =>
    shown(checks.result('m', [], { items: places.map(([block, place]) => ({ block, place })) }))
  t.same(problems(['0x2', '0x9'], ['0x2', '0x10'], ['0x3', '0x0']), [])
  t.same(problems(['0x2', null], [null, '0x1'], ['0x1', '0x1']), [], 'null items are not compared')
  const words = (at: number) => [`/items/${at} must come after the item before it by block, place`]
  t.same(problems(['0x2', '0x10'], ['0x2', '0x2']), words(1), 'quantities are compared as numbers')
  t.same(problems(['0x1', '0x1'], ['0x2', '0x1'], ['0x2', '0x1']), words(2), 'no duplicate items')
  t.same(problems(['0x2', '0x0'], ['0x1', '0x1']), words(1))
  t.same(shown(checks.result('m', [], 'no list')), [])
})

t.test('a value fits whether a service validates formats or not', async (t) => {
  const address = (format: string) => ({ type: 'string', format })
  const told = (schema: JsonValue, value: JsonValue) =>
    createChecks(contractOf({ methods: [methodOf(schema)] })).result('m', [], value).length
  const either = { oneOf: [address('ipv4'), address('ipv6')] }
  t.equal(told(either, '192.0.2.1'), 0, 'the format tells the alternatives apart')
  t.equal(told(either, '2001:db8::1'), 0)
  t.not(told(either, 'host'), 0, 'no alternative, or both')
  t.equal(told(address('ipv4'), 'host'), 0, 'formats may be documentation')
})
