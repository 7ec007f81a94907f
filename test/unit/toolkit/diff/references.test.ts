import t from 'tap'
import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'
import { methodOf } from '../codegen/fixtures.js'
import { asParam, asResult, diffOf, type Parts, told } from './told.js'

const ref = (name: string, beside: JsonObject = {}): JsonObject => ({
  $ref: `#/components/schemas/${name}`,
  ...beside,
})
const string = { type: 'string' }
const nullable = { type: ['string', 'null'] }
const result = '#/methods/m/result/schema'

/** A result schema before and after, with the components of each side. */
type Row = readonly [
  old: readonly [JsonValue, JsonObject],
  next: readonly [JsonValue, JsonObject],
  told: readonly string[],
]

const rows: Readonly<Record<string, Row>> = {
  'a component changed': [
    [ref('A'), { A: string }],
    [ref('A'), { A: nullable }],
    ['C #/components/schemas/A may be null'],
  ],
  'a component renamed': [
    [ref('A'), { A: string }],
    [ref('B'), { B: string }],
    ['- #/components/schemas/B was #/components/schemas/A'],
  ],
  'a component is renamed and changed': [
    [ref('A'), { A: string }],
    [ref('B'), { B: nullable }],
    ['C #/components/schemas/B may be null', '- #/components/schemas/B was #/components/schemas/A'],
  ],
  'two components renamed': [
    [{ anyOf: [ref('A'), ref('B')] }, { A: string, B: { type: 'integer' } }],
    [{ anyOf: [ref('D'), ref('C')] }, { C: string, D: { type: 'integer' } }],
    [
      '- #/components/schemas/C was #/components/schemas/A',
      '- #/components/schemas/D was #/components/schemas/B',
    ],
  ],
  'another component with the same meaning': [
    [ref('A'), { A: string, B: string }],
    [ref('B'), { A: string, B: string }],
    [`- ${result} refers to #/components/schemas/B instead of #/components/schemas/A`],
  ],
  'another component': [
    [ref('A'), { A: string, B: nullable }],
    [ref('B'), { A: string, B: nullable }],
    [
      `C ${result} may be null`,
      `- ${result} refers to #/components/schemas/B instead of #/components/schemas/A`,
    ],
  ],
  'another component, deep down': [
    [ref('A'), { A: { properties: { x: string } }, B: { properties: { x: nullable } } }],
    [ref('B'), { A: { properties: { x: string } }, B: { properties: { x: nullable } } }],
    [
      `C ${result}/properties/x may be null`,
      `- ${result} refers to #/components/schemas/B instead of #/components/schemas/A`,
    ],
  ],
  'an alias of the same component': [
    [ref('A'), { A: string, B: ref('A') }],
    [ref('B'), { A: string, B: ref('A') }],
    [
      `- ${result} refers to #/components/schemas/B instead of #/components/schemas/A`,
      `- ${result} replaced the inline schema with a reference to #/components/schemas/A`,
    ],
  ],
  'a component is inlined': [
    [ref('A'), { A: string }],
    [string, { A: string }],
    [`- ${result} replaced the reference to #/components/schemas/A with an inline schema`],
  ],
  'a component is inlined and changed': [
    [ref('A'), { A: string }],
    [nullable, { A: string }],
    [
      `C ${result} may be null`,
      `- ${result} replaced the reference to #/components/schemas/A with an inline schema`,
    ],
  ],
  'an inline schema becomes a component': [
    [string, {}],
    [ref('A'), { A: string }],
    [`- ${result} replaced the inline schema with a reference to #/components/schemas/A`],
  ],
  'a description moves with its component': [
    [ref('A'), { A: { ...string, description: 'D' } }],
    [{ ...string, description: 'D' }, { A: { ...string, description: 'D' } }],
    [`- ${result} replaced the reference to #/components/schemas/A with an inline schema`],
  ],
  'a component may be null': [
    [ref('A'), { A: string }],
    [{ anyOf: [ref('A'), { type: 'null' }] }, { A: string }],
    [`C ${result} may be null`],
  ],
  'a component may no longer be null': [
    [{ oneOf: [{ type: 'null' }, ref('A')] }, { A: string }],
    [ref('A'), { A: string }],
    [`S ${result} may no longer be null`],
  ],
  'a union replaces a component that contained it': [
    [ref('U'), { U: { anyOf: [ref('A'), { type: 'null' }] }, A: string }],
    [{ anyOf: [ref('A'), { type: 'null' }, { type: 'integer' }] }, { U: true, A: string }],
    [
      `C ${result} gained the alternative integer`,
      '- #/components/schemas/U #/components/schemas/A or null became anything; no method uses it in both documents',
      `- ${result} replaced the reference to #/components/schemas/U with an inline schema`,
    ],
  ],
  'a condition next to a component': [
    [ref('A'), { A: string }],
    [ref('A', { minLength: 1 }), { A: string }],
    [`S ${result} gained minLength 1`],
  ],
  'a condition next to a component, in another notation': [
    [ref('A', { minLength: 1 }), { A: string }],
    [{ minLength: 1, allOf: [ref('A')] }, { A: string }],
    [],
  ],
  'a component in an allOf of one': [
    [ref('A'), { A: { ...string, description: 'old' } }],
    [{ allOf: [ref('A')] }, { A: { ...string, description: 'new' } }],
    ['- #/components/schemas/A description changed'],
  ],
  'alternatives that both documents have': [
    [
      { anyOf: [ref('A'), ref('N')] },
      { A: { type: 'object', required: ['a'] }, B: { type: 'object' }, N: { type: 'null' } },
    ],
    [
      { anyOf: [ref('N'), ref('B')] },
      { A: { type: 'object', required: ['a'] }, B: { type: 'object' }, N: { type: 'null' } },
    ],
    [
      `C ${result} gained the alternative #/components/schemas/B`,
      `S ${result} lost the alternative #/components/schemas/A`,
    ],
  ],
  'an unused component': [
    [true, { A: string }],
    [true, { A: nullable }],
    ['- #/components/schemas/A may be null; no method uses it in both documents'],
  ],
  'unused components are added and removed': [
    [true, { A: string }],
    [true, { B: { type: 'object' } }],
    ['- #/components/schemas/A removed', '- #/components/schemas/B added'],
  ],
  'a recursive component': [
    [
      ref('Tree'),
      { Tree: { type: 'object', properties: { children: { type: 'array', items: ref('Tree') } } } },
    ],
    [
      ref('Tree'),
      {
        Tree: {
          type: 'object',
          properties: { children: { type: 'array', items: ref('Tree'), maxItems: 2 } },
        },
      },
    ],
    ['S #/components/schemas/Tree/properties/children gained maxItems 2'],
  ],
  'recursion through two components': [
    [ref('A'), { A: { properties: { b: ref('B') } }, B: { properties: { a: ref('A') } } }],
    [ref('A'), { A: { properties: { b: ref('B') } }, B: { properties: { a: ref('A') }, required: ['a'] } }],
    ['S #/components/schemas/B member "a" became required'],
  ],
  'a recursive component is renamed': [
    [ref('A'), { A: { properties: { next: ref('A') } } }],
    [ref('B'), { B: { properties: { next: ref('B') } } }],
    ['- #/components/schemas/B was #/components/schemas/A'],
  ],
  'a recursive component replaces another one': [
    [ref('A'), { A: { properties: { next: ref('A') } }, B: { properties: { next: ref('B'), x: string } } }],
    [ref('B'), { A: { properties: { next: ref('A') } }, B: { properties: { next: ref('B'), x: string } } }],
    [
      `- ${result} gained optional member "x"`,
      `- ${result} refers to #/components/schemas/B instead of #/components/schemas/A`,
      `- ${result}/properties/next refers to #/components/schemas/B instead of #/components/schemas/A`,
    ],
  ],
  'recursion unrolled once': [
    [ref('A'), { A: { type: 'object', properties: { next: ref('A') } } }],
    [
      { type: 'object', properties: { next: ref('A') } },
      { A: { type: 'object', properties: { next: ref('A') } } },
    ],
    [`- ${result} replaced the reference to #/components/schemas/A with an inline schema`],
  ],
  'definitions inside a component': [
    [ref('A/definitions/X'), { A: { definitions: { X: string } } }],
    [ref('A/definitions/X'), { A: { definitions: { X: nullable } } }],
    ['C #/components/schemas/A/definitions/X may be null'],
  ],
}

t.test('references are followed, and changes are reported at their own place', async (t) => {
  for (const [name, [old, next, wanted]] of Object.entries(rows)) {
    t.same(told(asResult(...old), asResult(...next)), wanted, name)
  }
})

t.test('the class of a component change depends on its uses', async (t) => {
  const uses = (methods: readonly JsonObject[], schema: JsonValue): Parts => ({
    methods,
    components: { schemas: { A: schema } },
  })
  const taking = { ...methodOf([{ name: 'p', schema: ref('A') }]), name: 'taking' }
  const giving = { ...methodOf([], { type: 'array', items: ref('A') }), name: 'giving' }
  const failing = {
    ...methodOf([], {}, { errors: [{ code: 1, message: 'e', 'x-data-schema': ref('A') }] }),
    name: 'failing',
  }
  const refusing = { ...methodOf([{ name: 'p', schema: { not: ref('A') } }]), name: 'refusing' }
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  const deciding = { ...methodOf([], { if: ref('A'), then: { const: 'x' } }), name: 'deciding' }
  const breaks = (...methods: readonly JsonObject[]) => {
    const [change, ...others] = diffOf(uses(methods, string), uses(methods, nullable))
    t.same(others, [], 'one change')
    return change && { breaks: change.breaks, methods: change.methods, usedIn: change.usedIn }
  }
  t.same(breaks(taking), { breaks: ['servers'], methods: ['taking'], usedIn: ['params'] })
  t.same(breaks(giving), { breaks: ['clients'], methods: ['giving'], usedIn: ['results'] })
  t.same(breaks(failing), { breaks: ['clients'], methods: ['failing'], usedIn: ['results'] })
  t.same(
    breaks(refusing),
    { breaks: ['clients'], methods: ['refusing'], usedIn: ['results'] },
    'inverted by not',
  )
  t.same(breaks(giving, taking), {
    breaks: ['clients', 'servers'],
    methods: ['giving', 'taking'],
    usedIn: ['params', 'results'],
  })
  t.match(breaks(deciding), { breaks: ['clients', 'servers'], methods: ['deciding'] })
  t.equal(diffOf(uses([deciding], string), uses([deciding], nullable))[0]?.undecided, true)
})

t.test('an added or removed method does not report its components', async (t) => {
  const old = { ...asParam(ref('A')), components: { schemas: { A: string } } }
  const next = {
    methods: [{ ...methodOf([], ref('A')), name: 'n' }],
    components: { schemas: { A: nullable } },
  }
  t.same(told(old, next), [
    'CS #/methods/m removed',
    'S #/methods/n added',
    '- #/components/schemas/A may be null; no method uses it in both documents',
  ])
})

t.test('a reference into a method is named after the method', async (t) => {
  const methods = (schema: JsonValue, ...order: readonly number[]): Parts => {
    const own = { ...methodOf([{ name: 'p', schema }]), name: 'own' }
    const at = order.indexOf(0)
    const other = { ...methodOf([], { $ref: `#/methods/${at}/params/0/schema` }), name: 'other' }
    return { methods: order.map((index) => (index === 0 ? own : other)) }
  }
  t.same(told(methods(string, 0, 1), methods(string, 1, 0)), [])
  t.same(told(methods(string, 0, 1), methods(nullable, 1, 0)), [
    'CS #/methods/own/params/0/schema may be null',
  ])
})

t.test('schemas of a hundred levels are compared', async (t) => {
  const nested = (inner: JsonValue) =>
    Array.from({ length: 50 }).reduce<JsonValue>(
      (schema) => ({ anyOf: [{ type: 'null' }, { type: 'object', properties: { x: schema } }] }),
      inner,
    )
  const components = { schemas: { A: nested(string) } }
  t.same(told({ ...asParam(ref('A')), components }, { ...asParam(ref('A')), components }), [])
  const [change, ...others] = diffOf(asParam(nested(string)), asParam(nested({ type: 'integer' })))
  t.match(change, { kind: 'type-changed', reason: 'type string became integer' })
  t.same(others, [])
})
