import t from 'tap'
import type { JsonObject } from '../../../../src/toolkit/contract/index.js'
import { asParam, asResult, told } from './told.js'

const string = { type: 'string' }
const object = (properties: JsonObject, others: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...others,
})
const base = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })
const A = (schema: JsonObject, others: JsonObject = {}) => ({ A: schema, ...others })

/** Components before and after, and the changes of a parameter and of a result that refers to A. */
type Row = readonly [
  old: JsonObject,
  next: JsonObject,
  ofParam: readonly string[],
  ofResult: readonly string[],
]

const rows: Readonly<Record<string, Row>> = {
  'an optional member of a new base': [
    A(object({ a: string })),
    A(object({ a: string }, { allOf: [base('Base')] }), { Base: object({ b: string }) }),
    ['S #/components/schemas/A gained optional member "b"'],
    ['- #/components/schemas/A gained optional member "b"'],
  ],
  'the base of a new base': [
    A(object({ a: string })),
    A(object({ a: string }, { allOf: [base('Base')] }), {
      Base: object({ b: string }, { allOf: [object({ c: string }, { required: ['c'] })] }),
    }),
    [
      'CS #/components/schemas/A gained required member "c"',
      'S #/components/schemas/A gained optional member "b"',
    ],
    [
      'S #/components/schemas/A gained required member "c"',
      '- #/components/schemas/A gained optional member "b"',
    ],
  ],
  'members move to a new base, which has another one': [
    A(object({ a: string, b: string }, { required: ['a'] })),
    A(
      { allOf: [base('Base'), object({ b: string })] },
      {
        Base: object({ a: string, c: string }, { required: ['a'] }),
      },
    ),
    ['S #/components/schemas/A gained optional member "c"'],
    ['- #/components/schemas/A gained optional member "c"'],
  ],
  'a member moves to a base that both have': [
    A(object({ a: string }, { allOf: [base('Base')] }), { Base: object({ b: string }) }),
    A(object({ d: string }, { allOf: [base('Base')] }), { Base: object({ a: string, b: string }) }),
    [
      'S #/components/schemas/A gained optional member "d"',
      '- #/components/schemas/Base gained optional member "a"; no method uses it in both documents',
    ],
    [
      '- #/components/schemas/A gained optional member "d"',
      '- #/components/schemas/Base gained optional member "a"; no method uses it in both documents',
    ],
  ],
  'a member that is described on both sides': [
    A(object({ a: string })),
    A(object({ a: string }, { allOf: [base('Base')] }), { Base: object({ a: { minLength: 1 } }) }),
    ['C #/components/schemas/A must also be #/components/schemas/Base (allOf)'],
    ['S #/components/schemas/A must also be #/components/schemas/Base (allOf)'],
  ],
  'a part narrows a member of a base': [
    A({ allOf: [base('Base'), object({ a: string })] }, { Base: object({ b: string }) }),
    A(
      { allOf: [base('Base'), object({ a: string }), object({ b: { const: 'x' } })] },
      { Base: object({ b: string }) },
    ),
    ['C #/components/schemas/A must also be object (allOf)'],
    ['S #/components/schemas/A must also be object (allOf)'],
  ],
  'a schema narrows a member of its base': [
    A(object({ a: string }, { allOf: [base('Base')] }), { Base: object({ b: string }) }),
    A(object({ a: string, b: { const: 'x' } }, { allOf: [base('Base')] }), { Base: object({ b: string }) }),
    ['C #/components/schemas/A member "b" gained a condition'],
    ['S #/components/schemas/A member "b" gained a condition'],
  ],
  'a schema repeats a member of its base': [
    A(object({ a: string }, { allOf: [base('Base')] }), { Base: object({ b: string }) }),
    A(object({ a: string, b: string }, { allOf: [base('Base')] }), { Base: object({ b: string }) }),
    [],
    [],
  ],
  'a schema no longer narrows a member of its base, and requires it': [
    A(object({ a: string, b: { const: 'x' } }, { allOf: [base('Base')] }), { Base: object({ b: string }) }),
    A(object({ a: string }, { allOf: [base('Base')], required: ['b'] }), { Base: object({ b: string }) }),
    [
      'C #/components/schemas/A member "b" became required',
      'S #/components/schemas/A member "b" lost a condition',
    ],
    [
      'C #/components/schemas/A member "b" lost a condition',
      'S #/components/schemas/A member "b" became required',
    ],
  ],
  'a base narrows a member of the schema': [
    A(object({ a: string }, { allOf: [base('Base')] }), { Base: object({ b: string }) }),
    A(object({ a: string }, { allOf: [base('Base')] }), { Base: object({ a: { const: 'x' }, b: string }) }),
    [
      'C #/components/schemas/A member "a" gained a condition',
      'S #/components/schemas/Base gained optional member "a"',
    ],
    [
      'S #/components/schemas/A member "a" gained a condition',
      '- #/components/schemas/Base gained optional member "a"',
    ],
  ],
  'a base narrows a member of another base': [
    A(
      { allOf: [base('Base'), base('Other')] },
      { Base: object({ b: string }), Other: object({ c: string }) },
    ),
    A(
      { allOf: [base('Base'), base('Other')] },
      { Base: object({ b: string }), Other: object({ b: { const: 'x' }, c: string }) },
    ),
    [
      'C #/components/schemas/A member "b" gained a condition',
      'S #/components/schemas/Other gained optional member "b"',
    ],
    [
      'S #/components/schemas/A member "b" gained a condition',
      '- #/components/schemas/Other gained optional member "b"',
    ],
  ],
  'a base with more than members is replaced by a narrower member': [
    A(object({ a: string }, { allOf: [base('Base')] }), {
      Base: object({ b: string }, { minProperties: 1 }),
    }),
    A(object({ a: string, b: { const: 'x' } })),
    [
      'C #/components/schemas/A member "b" gained a condition',
      'S #/components/schemas/A need no longer be #/components/schemas/Base (allOf)',
      '- #/components/schemas/Base removed',
    ],
    [
      'C #/components/schemas/A need no longer be #/components/schemas/Base (allOf)',
      'S #/components/schemas/A member "b" gained a condition',
      '- #/components/schemas/Base removed',
    ],
  ],
  'a closed schema': [
    A(object({ a: string }, { additionalProperties: false })),
    A(object({ a: string }, { additionalProperties: false, allOf: [base('Base')] }), {
      Base: object({ b: string }),
    }),
    ['C #/components/schemas/A must also be #/components/schemas/Base (allOf)'],
    ['S #/components/schemas/A must also be #/components/schemas/Base (allOf)'],
  ],
}

t.test('members of a base are compared like members beside it', async (t) => {
  for (const [name, [old, next, ofParam, ofResult]] of Object.entries(rows)) {
    t.same(told(asParam(base('A'), old), asParam(base('A'), next)), ofParam, `${name}, of a parameter`)
    t.same(told(asResult(base('A'), old), asResult(base('A'), next)), ofResult, `${name}, of a result`)
  }
})
