import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import type { JsonObject, JsonValue } from '../../../../../../src/runtime/rpc/index.js'
import {
  type Document,
  readResultShapes,
  type Shape,
} from '../../../../../../src/service/gateway/nodes/answers/result-shape.js'
import {
  normalise,
  normaliseResult,
  resultShapes,
} from '../../../../../../src/service/gateway/nodes/index.js'
import { runs } from '../../../../../support/runs.js'
import { type Members, readAuthored } from '../../../../openrpc-json/authored-contract.js'

const contract = readAuthored()
const forms = ['quantity', 'safeQuantity', 'data', 'word', 'text']

/** All nested shapes, with the names that lead to them. */
function* shapesIn(shape: Shape, path: string): Generator<[string, Shape]> {
  yield [path, shape]
  if (shape.items !== undefined) yield* shapesIn(shape.items, `${path}/*`)
  for (const [name, inner] of shape.object?.members ?? []) yield* shapesIn(inner, `${path}/${name}`)
}

t.test('every string in a result of the contract has a known format', async (t) => {
  t.same(
    [...resultShapes.keys()],
    contract.methods.map(({ name }) => name),
  )
  for (const [method, { shape }] of resultShapes) {
    for (const [path, { types, form }] of shapesIn(shape, method)) {
      t.ok(types.size > 0, `${path}: types`)
      if (types.has('string')) t.ok(forms.includes(form ?? ''), `${path}: form`)
    }
  }
})

/** The results of the contract's examples with their calls. */
const examples = contract.methods.flatMap(({ name, examples }) =>
  examples.flatMap(({ params, result }) =>
    result === undefined || result.value === null
      ? []
      : [{ method: name, params: params.map(({ value }) => value), result: result.value as JsonValue }],
  ),
)

t.test('results of the examples already have the contract’s form, and are not copied', async (t) => {
  t.ok(examples.length > 30)
  for (const { method, params, result } of examples)
    t.equal(normaliseResult(method, params, result), result, method)
})

/** A value as a careless node writes it: members of other chains, upper-case digits, quantities with leading zeros. */
function careless(value: JsonValue, shape: Shape, unlisted: JsonObject): JsonValue {
  if (typeof value === 'string') {
    if (!/^0x/.test(value) || shape.form === 'text') return value
    const digits = value.slice(2).toUpperCase()
    return shape.form === 'quantity' || shape.form === 'safeQuantity' ? `0x00${digits}` : `0x${digits}`
  }
  if (Array.isArray(value))
    return value.map((entry) => (shape.items ? careless(entry, shape.items, unlisted) : entry))
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value).map(([name, inner]) => {
    const listed = shape.object?.members.get(name)
    return [name, listed ? careless(inner as JsonValue, listed, unlisted) : inner]
  })
  return { ...unlisted, ...Object.fromEntries(members) }
}

t.test('a careless node’s answer is converted to the example', async (t) => {
  const names = new Set(
    [...resultShapes.values()].flatMap(({ shape }) =>
      [...shapesIn(shape, '')].map(([path]) => path.split('/').at(-1)),
    ),
  )
  const unlisted = fc.dictionary(
    fc
      .oneof(fc.string(), fc.constantFrom('chainId', 'mixHash', 'constructor', 'toString'))
      .filter((name) => !names.has(name)),
    fc.jsonValue() as fc.Arbitrary<JsonValue>,
    { maxKeys: 5, noNullPrototype: true },
  )
  const property = fc.property(fc.constantFrom(...examples), unlisted, ({ method, params, result }, more) => {
    const shape = resultShapes.get(method)?.shape as Shape
    return isDeepStrictEqual(normaliseResult(method, params, careless(result, shape, more)), result)
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: runs(500) }))
})

/** The shape of a result in a contract with the components of `openrpc.json` and some more. */
function shapeOf(schema: Members, more: Members = {}): Shape {
  const document = {
    methods: [{ name: 'made', params: [], result: { schema } }],
    components: { schemas: { ...contract.components.schemas, ...more } },
  }
  const shape = readResultShapes(document as unknown as Document).get('made')?.shape
  if (shape === undefined) throw new Error('no shape')
  return shape
}

t.test('a method whose result consists of known components needs no code', async (t) => {
  const Receipt = { $ref: '#/components/schemas/Receipt' }
  const receipts = shapeOf({ anyOf: [{ type: 'array', items: Receipt }, { type: 'null' }] })
  const given = [
    { status: 1, gasUsed: '0x00AB', logs: [{ logIndex: '0x01', type: 'mined' }], blobGasPrice: '0x1' },
  ]
  const wanted = [
    {
      status: '0x1',
      gasUsed: '0xab',
      logs: [{ logIndex: '0x1', removed: false }],
      contractAddress: null,
      to: null,
    },
  ]
  t.strictSame(normalise(receipts, given, false), wanted)
  for (const other of [{}, '0x1', 1, true]) t.equal(normalise(receipts, other, false), undefined)
})

t.test('composed schemas are read', async (t) => {
  const quantity = { $ref: '#/components/schemas/Quantity' }
  const data = { type: 'string', 'x-form': 'data' }
  const rows: readonly [
    what: string,
    schema: Members,
    given: JsonValue,
    wanted: JsonValue | undefined,
    more?: Members,
  ][] = [
    ['a schema without type accepts anything', {}, { a: [1] }, { a: [1] }],
    [
      'a format next to a reference replaces that of the component',
      { ...quantity, 'x-form': 'data' },
      '0x00',
      '0x00',
    ],
    ['numbers', { type: 'number' }, 1.5, 1.5],
    ['a string where a number is required', { type: 'number' }, '1', undefined],
    ['a list of lists', { type: 'array', items: { type: 'array', items: quantity } }, [['0x01']], [['0x1']]],
    [
      'an object with arbitrary names stays unchanged',
      { type: 'object', additionalProperties: quantity },
      { a: '0x01' },
      { a: '0x01' },
    ],
    [
      'also with listed members',
      { type: 'object', properties: { a: quantity }, additionalProperties: true },
      { a: '0x01', b: 1 },
      { a: '0x01', b: 1 },
    ],
    [
      'members of all allOf parts are listed',
      {
        allOf: [
          { type: 'object', properties: { a: quantity } },
          { type: 'object', properties: { b: data } },
        ],
      },
      { a: '0x01', b: '0xAB', c: 1 },
      { a: '0x1', b: '0xab' },
    ],
    [
      'members of all alternatives are listed',
      {
        oneOf: [
          { type: 'object', properties: { a: quantity } },
          { type: 'object', properties: { b: data } },
        ],
      },
      { b: '0xAB', c: 1 },
      { b: '0xab' },
    ],
    [
      'a recursive schema is read once',
      { $ref: '#/components/schemas/Tree' },
      { size: '0x01', parts: [{ size: '0x01', more: 1 }], more: 1 },
      { size: '0x1', parts: [{ size: '0x01', more: 1 }] },
      {
        Tree: {
          type: 'object',
          properties: {
            size: quantity,
            parts: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
          },
        },
      },
    ],
  ]
  for (const [what, schema, given, wanted, more] of rows)
    t.strictSame(normalise(shapeOf(schema, more), given, false), wanted, what)
})

t.test('only members that each alternative requires are required', async (t) => {
  const object = (...required: string[]): Members => ({
    type: 'object',
    required,
    properties: { a: {}, b: {} },
  })
  const required = (schema: Members) => shapeOf(schema).object?.required
  t.same(required({ anyOf: [object('a'), { type: 'null' }] }), ['a'])
  t.same(required({ allOf: [object('a'), object('b')] }), ['a', 'b'])
  t.same(required({ anyOf: [object('a'), object('b')] }), [])
})
