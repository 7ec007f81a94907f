/** Types of patterns, short lists and conditions, both ways: tsc compiles valid values and refuses invalid ones. */

import t from 'tap'
import { emitTypes } from '../../../../src/toolkit/codegen/emit/emit-types.js'
import {
  createSchemaChecker,
  type JsonObject,
  type JsonValue,
} from '../../../../src/toolkit/contract/index.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { contractOf, emitted, write } from './fixtures.js'
import { strictCompile } from './strict-compile.js'

interface Row {
  readonly schema: JsonValue
  /** Valid values, whose types must fit. */
  readonly valid: readonly JsonValue[]
  /** Invalid values, whose types must not fit. */
  readonly invalid: readonly JsonValue[]
}

const text = { type: 'string' }
const hex = { type: 'string', pattern: '^0x[0-9a-f]*$' }
const orNull = (schema: JsonValue) => ({ anyOf: [schema, { type: 'null' }] })
/** The keyword `then`, which a literal must not have. */
const consequence = (schema: JsonObject) => Object.fromEntries([['then', schema]])
const nothing = { type: 'null' }
const ref = (key: string) => ({ $ref: `#/components/schemas/${key}` })
const ab = { type: 'object', properties: { a: text, b: text }, additionalProperties: false }

const components = {
  Hex: hex,
  Tag: { type: 'string', enum: ['first', 'last', 'next'] },
  Selector: { anyOf: [ref('Hex'), ref('Tag')] },
  Base: { type: 'object', properties: { to: orNull(ref('Hex')), data: orNull(ref('Hex')) } },
}

const rows: readonly Row[] = [
  { schema: hex, valid: ['0x', '0x1'], invalid: ['', '1', 'x0'] },
  { schema: { type: 'string', pattern: '^0x0?$' }, valid: ['0x', '0x0'], invalid: ['0'] },
  { schema: { type: 'string', pattern: '^ab?' }, valid: ['a', 'abc'], invalid: ['b'] },
  { schema: { type: 'string', pattern: '^ab+' }, valid: ['ab', 'abb'], invalid: ['a'] },
  { schema: { type: 'string', pattern: '^ab{0}$' }, valid: ['a'], invalid: ['b'] },
  { schema: { type: 'string', pattern: '^a\\.b' }, valid: ['a.b', 'a.bc'], invalid: ['axb'] },
  { schema: { type: 'string', pattern: '^a\\d' }, valid: ['a1'], invalid: ['b1'] },
  { schema: { type: 'string', pattern: '^abc$' }, valid: ['abc'], invalid: ['abcd', 'ab'] },
  { schema: { type: 'string', pattern: '^`\\$\\{\'"\\\\x' }, valid: ['`${\'"\\x'], invalid: ['x'] },
  { schema: { type: 'string', pattern: '^a|b' }, valid: ['a', 'b', 'xb'], invalid: [] },
  { schema: { type: 'string', pattern: '^(a|b)' }, valid: ['a', 'b'], invalid: [] },
  { schema: { type: 'string', pattern: '^a[|]b(c|d)' }, valid: ['a|bc'], invalid: ['b'] },
  { schema: { type: 'string', pattern: 'a' }, valid: ['ba'], invalid: [] },
  { schema: { type: ['string', 'null'], pattern: '^0x' }, valid: ['0x1', null], invalid: ['1'] },
  { schema: { pattern: '^0x' }, valid: ['0x1', 5], invalid: [] },
  { schema: ref('Selector'), valid: ['0x1', 'last'], invalid: ['final', '1'] },

  // Types of a schema and those of its parts.
  {
    schema: { type: 'object', properties: { meta: {}, base: ref('Base') }, additionalProperties: text },
    valid: [{ meta: 1, base: { to: null } }, { other: 'x' }],
    invalid: [{ base: 1 }],
  },
  {
    schema: { ...ab, type: ['object', 'null'], anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    valid: [null, { a: 'x' }],
    invalid: [{}, 'x'],
  },
  { schema: { ...text, oneOf: [{ properties: { a: text } }] }, valid: ['x'], invalid: [{ a: 'x' }] },
  {
    schema: { properties: { a: text }, anyOf: [text, ab] },
    valid: ['x', { a: 'x' }],
    invalid: [{ a: 1 }, 1],
  },
  {
    schema: { type: 'object', anyOf: [ref('Base'), text, orNull(text)] },
    valid: [{ to: '0x' }],
    invalid: ['x', null],
  },

  { schema: { type: 'array', items: text, maxItems: 0 }, valid: [[]], invalid: [['a']] },
  { schema: { type: 'array', maxItems: 0 }, valid: [[]], invalid: [[1]] },
  {
    schema: { type: 'array', items: text, maxItems: 2 },
    valid: [[], ['a'], ['a', 'b']],
    invalid: [['a', 'b', 'c'], [1]],
  },
  {
    schema: { type: 'array', items: text, minItems: 1, maxItems: 2 },
    valid: [['a'], ['a', 'b']],
    invalid: [[], ['a', 'b', 'c']],
  },
  { schema: { type: 'array', items: text, minItems: 2, maxItems: 2 }, valid: [['a', 'b']], invalid: [['a']] },
  {
    schema: { type: 'array', items: text, maxItems: 4 },
    valid: [['a', 'b', 'c', 'd']],
    invalid: [['a', 'b', 'c', 'd', 'e']],
  },
  {
    schema: { type: 'array', items: text, maxItems: 5 },
    valid: [[], ['a', 'b', 'c', 'd', 'e']],
    invalid: [],
  },

  {
    schema: { ...ab, if: { required: ['a'] }, ...consequence({ required: ['b'] }) },
    valid: [{}, { b: 'x' }, { a: 'x', b: 'x' }],
    invalid: [{ a: 'x' }],
  },
  {
    schema: { ...ab, if: { required: ['a'] }, else: { required: ['b'] } },
    valid: [{ a: 'x' }, { b: 'x' }, { a: 'x', b: 'x' }],
    invalid: [{}],
  },
  {
    schema: {
      ...ab,
      if: { required: ['a'] },
      ...consequence({ properties: { b: false } }),
      else: { required: ['b'] },
    },
    valid: [{ a: 'x' }, { b: 'x' }],
    invalid: [{}, { a: 'x', b: 'x' }],
  },
  {
    schema: { ...ab, not: { required: ['a', 'b'] } },
    valid: [{}, { a: 'x' }, { b: 'x' }],
    invalid: [{ a: 'x', b: 'x' }],
  },
  { schema: { ...ab, not: { required: ['a'] } }, valid: [{}, { b: 'x' }], invalid: [{ a: 'x' }] },
  { schema: { ...ab, not: { not: { required: ['a'] } } }, valid: [{ a: 'x' }], invalid: [{}] },
  {
    schema: { ...ab, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    valid: [{ a: 'x' }, { b: 'x' }],
    invalid: [{}, { a: 'x', b: 'x' }],
  },
  {
    schema: { ...ab, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    valid: [{ a: 'x' }, { b: 'x' }, { a: 'x', b: 'x' }],
    invalid: [{}],
  },
  {
    schema: { ...ab, dependencies: { a: ['b'] } },
    valid: [{}, { b: 'x' }, { a: 'x', b: 'x' }],
    invalid: [{ a: 'x' }],
  },
  {
    schema: {
      type: 'object',
      required: ['hash', 'number'],
      properties: { hash: orNull(ref('Hex')), number: orNull({ type: 'integer' }) },
      if: { properties: { hash: nothing } },
      ...consequence({ properties: { number: nothing } }),
      else: { properties: { number: { type: 'integer' } } },
    },
    valid: [
      { hash: null, number: null },
      { hash: '0x1', number: 1 },
    ],
    invalid: [
      { hash: null, number: 1 },
      { hash: '0x1', number: null },
      { hash: '1', number: 1 },
    ],
  },
  {
    schema: {
      allOf: [ref('Base')],
      type: 'object',
      if: { properties: { to: nothing } },
      ...consequence({ required: ['data'], properties: { data: text } }),
    },
    valid: [{ data: '0x' }, { to: null, data: '0x' }, { to: '0x1' }, { to: '0x1', data: null }],
    invalid: [{}, { to: null }, { data: null }],
  },
  {
    schema: {
      type: 'object',
      required: ['kind'],
      properties: {
        kind: { type: 'string', enum: ['circle', 'square'] },
        radius: { type: 'number' },
        side: { type: 'number' },
      },
      additionalProperties: false,
      if: { properties: { kind: { const: 'circle' } } },
      ...consequence({ required: ['radius'], properties: { side: false } }),
      else: { required: ['side'], properties: { radius: false } },
    },
    valid: [
      { kind: 'circle', radius: 1 },
      { kind: 'square', side: 1 },
    ],
    invalid: [{ kind: 'circle', side: 1 }, { kind: 'square' }, { kind: 'square', side: 1, radius: 1 }],
  },
  {
    schema: {
      type: 'object',
      properties: { at: ref('Selector'), note: text },
      if: { required: ['at'], properties: { at: { not: { const: 'next' } } } },
      ...consequence({ required: ['note'] }),
    },
    valid: [{}, { at: 'next' }, { at: '0x1', note: 'x' }],
    invalid: [{ at: '0x1' }, { at: 'first' }],
  },
  // Conditions that types cannot express leave the type as it is.
  {
    schema: { ...ab, if: { properties: { a: { minLength: 2 } } }, ...consequence({ required: ['b'] }) },
    valid: [{ a: 'x' }, { a: 'xx', b: 'x' }, { b: 'x' }],
    invalid: [],
  },
  { schema: { ...ab, not: { minProperties: 2 } }, valid: [{}, { a: 'x' }], invalid: [] },
  {
    schema: { ...ab, not: { required: ['a'], minProperties: 2 } },
    valid: [{ a: 'x' }, { b: 'x' }],
    invalid: [],
  },
]

t.test('tsc compiles valid values of a schema and refuses invalid ones', async (t) => {
  const dir = await temporaryFolder(t)
  const uses = await Promise.all(
    rows.map(async (row, at) => {
      const contract = contractOf({ components: { schemas: { ...components, Given: row.schema } } })
      const check = createSchemaChecker(contract)
      const located = contract.schemas.find(({ key }) => key === 'Given')
      if (!located) throw new Error('no schema')
      const name = JSON.stringify(row.schema)
      for (const value of row.valid)
        t.same(check(located, value), [], `valid: ${JSON.stringify(value)} ${name}`)
      for (const value of row.invalid)
        t.not(check(located, value).length, 0, `invalid: ${JSON.stringify(value)} ${name}`)
      await write(dir, { path: `code/types${at}.ts`, content: emitted(emitTypes, contract) })
      const lines = [
        ...row.valid.map((value) => `take(${JSON.stringify(value)})`),
        ...row.invalid.map((value) => `// @ts-expect-error\ntake(${JSON.stringify(value)})`),
      ]
      return `{\nconst take = (_: Given${at}) => undefined\n${lines.join('\n')}\n}\n`
    }),
  )
  const imports = rows.map((_, at) => `import type { Given as Given${at} } from './types${at}.js'\n`)
  await write(dir, { path: 'code/uses.ts', content: [...imports, ...uses].join('') })
  t.equal(await strictCompile(dir), '')
})
