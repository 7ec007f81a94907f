import t from 'tap'
import { typeOf } from '../../../../src/toolkit/codegen/types/schema-type.js'
import { typeNames } from '../../../../src/toolkit/codegen/types/type-names.js'
import { createTypeWriter } from '../../../../src/toolkit/codegen/types/type-writer.js'
import type { JsonValue } from '../../../../src/toolkit/contract/index.js'
import { contractOf, methodOf } from './fixtures.js'

const components = {
  Pet: { type: 'object', properties: { a: { type: 'string' } } },
  Entry: { type: 'object', properties: { b: { type: 'string' } } },
  Id: { type: 'integer' },
  Name: { type: 'string' },
  'a b': {},
}

/** The type of a schema next to the components, in one line, and its imports. */
function given(schema: JsonValue): { readonly text: string; readonly used: readonly string[] } {
  const contract = contractOf({ components: { schemas: { ...components, Given: schema } } })
  const writer = createTypeWriter(contract, typeNames(contract))
  const located = contract.schemas.find(({ key }) => key === 'Given')
  if (!located) throw new Error('no schema')
  const { text } = typeOf(writer, located)
  return { text: text.replaceAll(/\s+/g, ' '), used: [...writer.used].sort() }
}

const ref = (key: string) => ({ $ref: `#/components/schemas/${key}` })
const string = { type: 'string' }
const number = { type: 'number' }

t.test('schemas have these types', async (t) => {
  const rows: readonly [JsonValue, string][] = [
    [true, 'JsonValue'],
    [false, 'never'],
    [{}, 'JsonValue'],
    [{ description: 'anything' }, 'JsonValue'],
    [string, 'string'],
    [{ type: 'integer' }, 'number'],
    [number, 'number'],
    [{ type: 'boolean' }, 'boolean'],
    [{ type: 'null' }, 'null'],
    [{ type: 'object' }, 'JsonObject'],
    [{ type: 'array' }, 'readonly JsonValue[]'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: ['integer', 'number'] }, 'number'],
    [
      { type: ['array', 'object'], items: string, properties: { a: number } },
      'readonly string[] | { readonly a?: number }',
    ],
    [{ const: 'a' }, "'a'"],
    [{ const: null }, 'null'],
    [{ const: "it's \\ \n" }, '"it\'s \\\\ \\n"'],
    [{ const: { a: [1, { 'b c': true }] } }, "{ readonly a: readonly [1, { readonly 'b c': true }] }"],
    [{ const: {} }, 'Record<string, never>'],
    [{ enum: ['a', 1, null] }, "'a' | 1 | null"],
    [{ type: 'string', enum: ['a', 1] }, "'a'"],
    [{ type: 'integer', enum: [1, 1.5] }, '1'],
    [
      { type: ['array', 'object', 'boolean', 'null'], enum: [[1], {}, true, null, 'x'] },
      'readonly [1] | Record<string, never> | true | null',
    ],
    [ref('Pet'), 'Pet'],
    [ref('a%20b'), 'a_b'],
    [{ ...ref('Pet'), description: 'said again' }, 'Pet'],
    [{ ...ref('Pet'), required: ['b'], properties: { b: number } }, 'Pet & { readonly b: number }'],
    [ref('Pet/properties/a'), 'Pet_a'],
    [{ type: 'array', items: ref('Pet') }, 'readonly Pet[]'],
    [{ type: 'array', items: { type: 'array', items: number } }, 'readonly (readonly number[])[]'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, 'readonly GivenItem[]'],
    [{ items: string }, 'readonly string[]'],
    [{ type: 'array', items: [string, number] }, 'readonly [string?, number?, ...JsonValue[]]'],
    [
      { type: 'array', items: [string, { type: ['null', 'string'] }], minItems: 1, additionalItems: false },
      'readonly [string, (null | string)?]',
    ],
    [{ type: 'array', items: [string, false, number] }, 'readonly [string?]'],
    [{ type: 'array', items: [string, number], minItems: 2, maxItems: 2 }, 'readonly [string, number]'],
    [{ type: 'array', items: [string, number], maxItems: 1 }, 'readonly [string?]'],
    [{ type: 'array', items: [string], maxItems: 0 }, 'readonly []'],
    [{ type: 'array', items: [string], maxItems: 2 }, 'readonly [string?, ...JsonValue[]]'],
    [{ type: 'array', items: [string], minItems: 2, maxItems: 1 }, 'never'],
    [{ type: 'array', items: [false] }, 'readonly []'],
    [{ type: 'array', items: [string, false], minItems: 2 }, 'never'],
    [
      { type: 'array', items: [string], minItems: 2, additionalItems: ref('Id') },
      'readonly [string, ...Id[]]',
    ],
    [
      { type: 'object', properties: { a: string, b: number }, required: ['b'] },
      '{ readonly a?: string; readonly b: number }',
    ],
    [{ properties: { a: string } }, '{ readonly a?: string }'],
    [{ type: 'object', required: ['a'] }, '{ readonly a: JsonValue }'],
    [
      { type: 'object', required: ['a'], additionalProperties: number },
      '{ readonly a: number; readonly [member: string]: number }',
    ],
    [{ type: 'object', additionalProperties: false }, 'Record<string, never>'],
    [{ type: 'object', additionalProperties: true }, 'JsonObject'],
    [{ type: 'object', additionalProperties: string }, '{ readonly [member: string]: string }'],
    [
      { type: 'object', properties: { n: string }, additionalProperties: number },
      '{ readonly n?: string readonly [member: string]: number | string | undefined }',
    ],
    [{ type: 'object', properties: { p: ref('Pet') }, additionalProperties: {} }, '{ readonly p?: Pet }'],
    [
      {
        type: 'object',
        properties: { p: ref('Pet') },
        patternProperties: { '^x': {} },
        additionalProperties: number,
      },
      '{ readonly p?: Pet }',
    ],
    [
      { type: 'object', patternProperties: { '^x': string }, additionalProperties: false },
      '{ readonly [member: `x${string}`]: string }',
    ],
    [{ type: 'object', patternProperties: { '^x': string } }, '{ readonly [member: string]: JsonValue }'],
    [
      { type: 'object', properties: { n: string }, patternProperties: { '^x': number } },
      '{ readonly n?: string; readonly [member: `x${string}`]: number }',
    ],
    [
      {
        type: 'object',
        properties: { n: string, xa: string },
        patternProperties: { '^x': number, '^y-.*': string },
        additionalProperties: true,
      },
      '{ readonly n?: string readonly xa?: string readonly [member: `x${string}`]: number | string | undefined readonly [member: `y-${string}`]: string }',
    ],
    // Other members may begin with x, with any value.
    [
      { type: 'object', properties: { n: string }, patternProperties: { '^x[0-9]': number } },
      '{ readonly n?: string }',
    ],
    [
      {
        type: 'object',
        properties: { n: string },
        patternProperties: { '^x[0-9]': number },
        additionalProperties: false,
      },
      '{ readonly n?: string; readonly [member: `x${string}`]: number }',
    ],
    [
      { type: 'object', properties: { xa: ref('Pet') }, patternProperties: { '^x': {} } },
      '{ readonly xa?: Pet }',
    ],
    [
      {
        type: 'object',
        patternProperties: { '^x': number, '^xy': string, z$: string },
        additionalProperties: false,
      },
      '{ readonly [member: string]: number | string }',
    ],
    [
      { type: 'object', properties: { 'a-b': string, "c'd": string, 1: string, class: string } },
      `{ readonly '1'?: string readonly 'a-b'?: string readonly "c'd"?: string readonly class?: string }`,
    ],
    [{ allOf: [ref('Pet'), { type: 'object', properties: { b: number } }] }, 'Pet & { readonly b?: number }'],
    [{ allOf: [ref('Pet'), {}] }, 'Pet'],
    [{ allOf: [ref('Pet'), ref('Pet')] }, 'Pet'],
    [{ allOf: [string, false] }, 'never'],
    [{ anyOf: [string, number] }, 'string | number'],
    [{ anyOf: [string, {}] }, 'JsonValue'],
    [{ anyOf: [string, { enum: ['a', 'b'] }] }, "(string & {}) | 'a' | 'b'"],
    [{ anyOf: [{ const: 'a' }, ref('Name')] }, "'a' | (Name & {})"],
    [{ anyOf: [string, { const: 1 }] }, 'string | 1'],
    [{ type: 'string', pattern: '^0x' }, '`0x${string}`'],
    [{ anyOf: [{ type: 'string', pattern: '^0x' }, { const: 'a' }] }, "`0x${string}` | 'a'"],
    [{ type: 'array', items: string, maxItems: 0 }, 'readonly []'],
    [{ type: 'array', items: string, maxItems: 1 }, 'readonly [] | readonly [string]'],
    [{ type: 'array', items: string, minItems: 3, maxItems: 2 }, 'never'],
    [{ type: 'array', items: string, maxItems: 5 }, 'readonly string[]'],
    [{ anyOf: [string, false] }, 'string'],
    [{ oneOf: [ref('Pet'), { type: 'null' }] }, 'Pet | null'],
    [{ oneOf: [{ oneOf: [string, number] }, { type: ['null', 'string'] }] }, 'string | number | null'],
    [{ type: 'object', oneOf: [ref('Pet'), ref('Given/definitions/D')], definitions: { D: string } }, 'Pet'],
    [{ anyOf: [{ allOf: [ref('Pet'), ref('Entry')] }, { type: 'null' }] }, '(Pet & Entry) | null'],
    [{ anyOf: [{ allOf: [ref('Pet'), ref('Id')] }, { type: 'null' }] }, 'null'],
    [{ allOf: [{ anyOf: [string, number] }, ref('Id')] }, '(string | number) & Id'],
    [
      {
        type: 'object',
        properties: { a: string, b: number },
        anyOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      '{ readonly a?: string; readonly b?: number } & ({ readonly a: string } | { readonly b: number })',
    ],
    [{ type: 'string', nullable: true }, 'string | null'],
    [{ type: 'string', not: { const: 'x' }, pattern: 'y' }, 'string'],
    [{ if: string, else: { minimum: 1 } }, 'JsonValue'],
  ]
  for (const [schema, want] of rows) t.equal(given(schema).text, want, JSON.stringify(schema))
})

t.test('only names that remain in a type are imported', async (t) => {
  t.same(given({ allOf: [ref('Pet'), {}] }).used, ['Pet'])
  t.same(given({ anyOf: [ref('Pet'), {}] }).used, ['JsonValue'])
  t.same(given({ type: 'object', properties: { Pet: { const: 'Id' } }, description: 'JsonObject' }).used, [])
  t.same(given({ type: 'array', items: [ref('Id'), { type: 'object' }] }).used, [
    'Id',
    'JsonObject',
    'JsonValue',
  ])
  t.same(given({ type: 'object', properties: { "it's": ref('Pet'), '/** x': ref('Id'), '"': {} } }).used, [
    'Id',
    'JsonValue',
    'Pet',
  ])
})

t.test('short lists that only results use are tuples without readonly', async (t) => {
  const list = { type: 'array', items: string, maxItems: 1 }
  const shared = { $ref: '#/components/schemas/Shared' }
  const contract = contractOf({
    components: { schemas: { Shared: list, Out: list, In: list, Unused: list } },
    methods: [
      methodOf([{ name: 'a', schema: shared }], shared),
      { ...methodOf([{ name: 'a', schema: ref('In') }], ref('Out')), name: 'n' },
    ],
  })
  const writer = createTypeWriter(contract, typeNames(contract))
  t.same(
    contract.schemas.map((located) => typeOf(writer, located).text),
    [
      'readonly [] | readonly [string]',
      '[] | [string, ...string[]]',
      'readonly [] | readonly [string]',
      'readonly [] | readonly [string]',
    ],
  )
})
