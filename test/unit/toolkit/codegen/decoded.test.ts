import t from 'tap'
import { createCodec, type QuantityTable } from '../../../../src/runtime/client/index.js'
import { emitDecoded } from '../../../../src/toolkit/codegen/emit/emit-decoded.js'
import { createDecodePlans } from '../../../../src/toolkit/codegen/types/decode-plan.js'
import { typeNames } from '../../../../src/toolkit/codegen/types/type-names.js'
import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'
import { contractOf, emitted, methodOf } from './fixtures.js'

const amount = { type: 'string', 'x-decode': 'bigint' }
const count = { type: 'string', 'x-decode': 'number' }
const text = { type: 'string' }

/** The codec of a method `m` with one parameter `p` and a result, both of one schema. */
function codecOf(schema: JsonObject, components: JsonObject = {}) {
  const contract = contractOf({
    methods: [methodOf([{ name: 'p', schema }], schema)],
    components: { schemas: components },
  })
  const plans = createDecodePlans(contract, typeNames(contract))
  const [method] = contract.methods
  const plan = method?.result && plans.planOf(method.result.schema)
  const table = {
    methods: { m: { params: { p: [0, plan ?? []] }, result: plan ?? [] } },
    schemas: plans.named(),
  }
  return createCodec<unknown>(table as unknown as QuantityTable)
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const User = {
  type: 'object',
  properties: {
    balance: amount,
    note: text,
    boss: ref('User'),
    friends: { type: 'array', items: ref('User') },
  },
}

/** Schema, components, wire value, decoded value. */
const cases: Readonly<Record<string, readonly [JsonObject, JsonObject, JsonValue, unknown]>> = {
  'a quantity': [amount, {}, '0xff', 255n],
  'a nullable quantity': [{ anyOf: [amount, { type: 'null' }] }, {}, null, null],
  'a quantity or a tag': [{ oneOf: [amount, { enum: ['latest'] }] }, {}, 'latest', 'latest'],
  'a referenced quantity': [ref('Amount'), { Amount: amount }, '0x1', 1n],
  'a value beside the reference': [{ ...ref('Amount'), 'x-decode': 'number' }, { Amount: amount }, '0x1', 1],
  'a recursive object': [
    ref('User'),
    { User },
    { balance: '0x1', note: '0x1', boss: { balance: '0x2' }, friends: [{ boss: { balance: '0x3' } }] },
    { balance: 1n, note: '0x1', boss: { balance: 2n }, friends: [{ boss: { balance: 3n } }] },
  ],
  'parts of an object': [
    { allOf: [ref('User'), { properties: { age: count } }] },
    { User },
    { balance: '0x1', age: '0x1' },
    { balance: 1n, age: 1 },
  ],
  'alternatives of an object': [
    { anyOf: [{ properties: { a: amount } }, { properties: { b: count } }] },
    {},
    { b: '0x1', a: '0x2', c: '0x3' },
    { b: 1, a: 2n, c: '0x3' },
  ],
  'a list': [{ type: 'array', items: count }, {}, ['0x1', '0x2'], [1, 2]],
  'a tuple': [
    { type: 'array', items: [text, amount], additionalItems: count },
    {},
    ['0x1', '0x2', '0x3', '0x4'],
    ['0x1', 2n, 3, 4],
  ],
  'additional members': [
    { type: 'object', properties: { name: text }, additionalProperties: amount },
    {},
    { name: 'x', ann: '0x1' },
    { name: 'x', ann: 1n },
  ],
  'members by pattern': [{ patternProperties: { '^a': count } }, {}, { ann: '0x1' }, { ann: 1 }],
  'a condition': [
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    { if: { required: ['a'] }, then: { properties: { a: amount } }, else: { properties: { b: count } } },
    {},
    { a: '0x1' },
    { a: 1n },
  ],
  'a list where an object is possible': [
    { anyOf: [{ properties: { 0: amount } }, { type: 'array', items: count }] },
    {},
    ['0x1'],
    [1],
  ],
  'names of inherited members': [
    { properties: { a: amount } },
    {},
    JSON.parse('{"a":"0x1","constructor":"0x1","__proto__":"0x1"}'),
    Object.fromEntries([
      ['a', 1n],
      ['constructor', '0x1'],
      ['__proto__', '0x1'],
    ]),
  ],
}

for (const [name, [schema, components, wire, decoded]] of Object.entries(cases)) {
  t.test(`${name}: decoding gives the value, and encoding the wire form`, (t) => {
    const { params, result } = codecOf(schema, components)
    const found = result('m', wire)
    t.strictSame(found, decoded)
    t.strictSame(params('m', [found]), [wire])
    t.strictSame(params('m', { p: found }), { p: wire })
    t.end()
  })
}

t.test('only the methods and schemas with quantities are in the table', (t) => {
  const plain = methodOf([{ name: 'p', schema: text }], ref('Plain'), { name: 'plain' })
  const paid = methodOf([{ name: 'p', schema: text }], ref('User'), { name: 'paid' })
  const components = { schemas: { User, Plain: { type: 'object', properties: { a: text } } } }
  const content = emitted(emitDecoded, contractOf({ methods: [plain, paid], components }))
  const table = content.slice(content.indexOf('createCodec<Client>('))
  t.match(table, "paid: { result: { ref: 'User' } },")
  t.notMatch(table, /plain/i)
  t.equal(
    emitted(emitDecoded, contractOf({ methods: [plain], components })),
    '',
    'no module without quantities',
  )
  t.end()
})

t.test('hovers of the decoded client show no values of the wire', (t) => {
  const example = { name: 'x', params: [], result: { name: 'r', value: '0x1' } }
  const paid = { ...methodOf([], amount), examples: [example] }
  t.notMatch(emitted(emitDecoded, contractOf({ methods: [paid] })), '@example')
  t.end()
})
