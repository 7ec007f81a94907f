import t from 'tap'
import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'
import { contractOf, methodOf } from '../codegen/fixtures.js'
import { startMock } from './start-mock.js'

const text = { type: 'string' }
const a = { name: 'a', required: true, schema: { type: 'integer' } }
const b = {
  name: 'b',
  required: false,
  schema: { type: 'object', additionalProperties: true, default: { x: 1 } },
}
const c = { name: 'c', required: false, schema: { type: ['string', 'null'] } }

const shown = (name: string, params: JsonObject, answer: JsonObject): JsonObject => ({
  name,
  params: Object.entries(params).map(([key, value]) => ({ name: key, value: value ?? null })),
  ...answer,
})
const result = (value: JsonValue) => ({ result: { name: 'r', value } })
const error = (code: number, message: string, data?: JsonValue) => ({
  error: { name: 'e', value: { code, message, ...(data === undefined ? {} : { data }) } },
})

const examples = [
  shown('one', { a: 1 }, result('one')),
  shown('given', { a: 2, b: { y: [1, { z: null }], x: 2 } }, result('given')),
  shown('left out', { a: 3, c: 'c' }, result('by position c is b')),
  shown('null', { a: 4, b: { x: 1 }, c: null }, result('null')),
  shown('an error', { a: 5 }, error(42, 'Five', { why: [5] })),
  shown('an error without data', { a: 6 }, error(-32001, 'Six')),
  shown('the first', { a: 7 }, result('first')),
  shown('the second', { a: 7 }, result('second')),
  shown('refused', { a: 'x' }, error(-32602, 'a is a number', [{ path: '/0' }])),
  shown('breaks the result', { a: 8 }, result(8)),
]

const found = async (
  ask: (method: string, params: unknown) => Promise<JsonValue | object>,
  rows: readonly Row[],
) => {
  for (const [params, wanted] of rows) t.same(await ask('m', params), wanted, JSON.stringify(params))
}
type Row = readonly [params: unknown, answer: unknown]

t.test('a call with the parameters of an example gets its answer, by name or by position', async (t) => {
  const { ask, mock, reports } = await startMock(
    t,
    contractOf({ methods: [methodOf([a, b, c], text, { paramStructure: 'either', examples })] }),
  )
  await found(ask, [
    [[1], { result: 'one' }],
    [{ a: 1 }, { result: 'one' }],
    [[1.0, { x: 1 }], { result: 'one' }],
    [{ b: { x: 1 }, a: 1 }, { result: 'one' }],
    [[2, { x: 2, y: [1, { z: null }] }], { result: 'given' }],
    [{ a: 3, c: 'c' }, { result: 'by position c is b' }],
    [[3, { x: 1 }, 'c'], { result: 'by position c is b' }],
    [[4, { x: 1 }, null], { result: 'null' }],
    [[5], { error: { code: 42, message: 'Five', data: { why: [5] } } }],
    [[6], { error: { code: -32001, message: 'Six' } }],
    [{ a: 7 }, { result: 'first' }],
    [['x'], { error: { code: -32602, message: 'a is a number', data: [{ path: '/0' }] } }],
    [{ a: 'x' }, { error: { code: -32602, message: 'a is a number', data: [{ path: '/0' }] } }],
    [[8], { result: 8 }],
  ])
  t.same(mock.notes, [
    'm, example "the second": it has the same parameters as "the first", which is used',
    'm, example "breaks the result": its result violates the schema, but is returned anyway',
  ])
  t.same(reports, [])
})

t.test('nearly equal parameters get a generated answer', async (t) => {
  const { ask } = await startMock(
    t,
    contractOf({ methods: [methodOf([a, b, c], text, { paramStructure: 'either', examples })] }),
  )
  const texts = examples.map((example) =>
    JSON.stringify((example['result'] as JsonObject | undefined)?.['value']),
  )
  for (const params of [
    [1, {}],
    [1, { x: 1 }, null],
    [4, { x: 1 }],
    [2, { x: 2, y: [{ z: null }, 1] }],
    [9],
  ]) {
    const { result } = await ask('m', params)
    t.type(result, 'string')
    t.notOk(texts.includes(JSON.stringify(result)), `${JSON.stringify(params)} returns ${result}`)
  }
})

t.test('by position, examples may use any names; by name, they may omit parameters', async (t) => {
  const contract = contractOf({
    methods: [
      methodOf([a, c], text, {
        name: 'position',
        examples: [
          shown('x', { first: 1, second: 'y' }, result('position')),
          shown('too many', { x: 1, y: null, z: 3 }, error(-32602, 'Two at most')),
        ],
      }),
      methodOf([{ ...a, required: false }, c], text, {
        name: 'name',
        paramStructure: 'by-name',
        examples: [
          shown('c', { c: 'y' }, result('name')),
          shown('unknown', { d: 1, c: 'y' }, error(-32602, 'There is no d')),
        ],
      }),
    ],
  })
  const { ask, mock } = await startMock(t, contract)
  t.same(await ask('position', [1, 'y']), { result: 'position' })
  t.same(await ask('position', [1, null, 3]), { error: { code: -32602, message: 'Two at most' } })
  t.match(await ask('position', { a: 1, c: 'y' }), { error: { code: -32602, data: [{ rule: 'type' }] } })
  t.same(await ask('name', { c: 'y' }), { result: 'name' })
  t.same(await ask('name', { c: 'y', d: 1 }), { error: { code: -32602, message: 'There is no d' } })
  t.match(await ask('name', [null, 'y']), { error: { code: -32602, data: [{ rule: 'type' }] } })
  t.same(mock.notes, [])
})

t.test('unusable examples are reported at startup and ignored', async (t) => {
  const contract = contractOf({
    methods: [
      methodOf([a], text, {
        examples: [
          shown('refused', { a: 'x' }, result('never')),
          shown('nothing', { a: 1 }, {}),
          shown('no error', { a: 2 }, { error: { name: 'e', value: 'broken' } }),
          shown('no code', { a: 3 }, { error: { name: 'e', value: { code: 1.5, message: 'm' } } }),
          shown('same', { a: 4 }, result('four')),
          shown('same again', { a: 4 }, result('four')),
        ],
      }),
    ],
  })
  const { ask, mock } = await startMock(t, contract)
  t.same(mock.notes, [
    'm, example "refused": its parameters violate their schemas, so the call is refused',
    'm, example "nothing": it has no valid answer',
    'm, example "no error": it has no valid answer',
    'm, example "no code": it has no valid answer',
  ])
  t.match(await ask('m', ['x']), { error: { code: -32602, data: [{ path: '/0', rule: 'type' }] } })
  for (const params of [[1], [2], [3]]) t.type((await ask('m', params)).result, 'string')
})
