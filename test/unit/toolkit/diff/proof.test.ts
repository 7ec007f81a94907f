import { Ajv } from 'ajv'
import fc from 'fast-check'
import t from 'tap'
import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'
import { readContract } from '../../../../src/toolkit/contract/index.js'
import { singleDocument } from '../../../../src/toolkit/contract/load/documents.js'
import { createWitnessSearch, diffContracts, provenParties } from '../../../../src/toolkit/diff/index.js'
import { isLong } from '../../../support/runs.js'
import { documentOf } from '../codegen/fixtures.js'
import { pairArbitrary } from './arbitrary-schemas.js'
import { asParam, asResult, type Parts } from './told.js'

const contractOf = (parts: Parts) => readContract(singleDocument(documentOf(parts)))

/** The changes between two documents, with values that prove them. */
function provenDiff(old: Parts, next: Parts) {
  const [before, after] = [contractOf(old), contractOf(next)]
  return diffContracts(before, after, createWitnessSearch(before, after))
}

/** Two schemas, the values that prove the change, and whom it breaks as a parameter; an open party is in brackets. */
type Row = readonly [old: JsonValue, next: JsonValue, proof: readonly JsonValue[], breaks: string]

const text = (more: JsonObject) => ({ type: 'string', ...more })
const isPresent = (...names: readonly string[]) => ({
  if: { required: names },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { maxProperties: 3 },
})

const rows: Readonly<Record<string, Row>> = {
  'another pattern': [text({ pattern: '^a' }), text({ pattern: '^b' }), ['a', 'b'], 'clients servers'],
  'a wider pattern': [text({ pattern: '^[a-b]$' }), text({ pattern: '^[a-c]$' }), ['c'], '(clients) servers'],
  'a narrower pattern': [
    text({ pattern: '^[a-c]$' }),
    text({ pattern: '^[a-b]$' }),
    ['c'],
    'clients (servers)',
  ],
  'the same pattern': [text({ pattern: '^a+$' }), text({ pattern: '^aa*$' }), [], '(clients) (servers)'],
  'overlapping alternatives': [
    {
      anyOf: [
        { type: 'integer', minimum: 1 },
        { type: 'integer', maximum: 3 },
      ],
    },
    {
      oneOf: [
        { type: 'integer', minimum: 1 },
        { type: 'integer', maximum: 3 },
      ],
    },
    [1],
    'clients (servers)',
  ],
  'an unknown keyword': [text({ shape: 'round' }), text({ shape: 'square' }), [], '(clients) (servers)'],
  'alternatives instead of a list of types': [
    { type: ['boolean', 'null'], default: null },
    { anyOf: [{ const: true }, { const: 'a' }, { const: 'b' }] },
    [null, 'a'],
    'clients servers',
  ],
}

for (const [name, [old, next, proof, breaks]] of Object.entries(rows)) {
  t.test(`${name} is decided by values`, async (t) => {
    const [change, ...others] = provenDiff(asParam(old), asParam(next)).filter((one) => one.breaks.length > 0)
    t.same(
      others.filter(({ kind }) => !kind.startsWith('default')),
      [],
    )
    t.same(change?.proof?.map(({ value }) => value) ?? [], proof)
    const proven = change ? provenParties(change) : []
    const told = change?.breaks.map((party) => (proven.includes(party) ? party : `(${party})`)).join(' ')
    t.equal(told, breaks)
    t.equal(change?.undecided === true, breaks.includes('('))
    const [result] = provenDiff(asResult(old), asResult(next)).filter((one) => one.breaks.length > 0)
    const mirrored = { clients: ['servers'], servers: ['clients'] } as const
    const turned = change?.proof?.map((each) => ({
      ...each,
      breaks: each.breaks.flatMap((party) => [...mirrored[party]]),
    }))
    t.same(result?.proof, turned, 'results break the other party')
  })
}

t.test('the effect of a condition is shown by values of the schema around it', async (t) => {
  const [change] = provenDiff(asParam(isPresent('a')), asParam(isPresent('a', 'b')))
  t.match(change, {
    pointer: '#/methods/m/params/0/schema/if',
    undecided: true,
    proof: [{ acceptedBy: 'new' }],
  })
  t.match(
    change?.reason,
    /^member "b" became required in a condition \(if\): \{.*\} is valid now; cannot tell its effect on clients$/,
  )
})

t.test('an inner change is proven at its place', async (t) => {
  const inside = (schema: JsonValue) => ({
    type: 'array',
    items: { type: 'object', properties: { a: schema } },
  })
  const [change, ...others] = provenDiff(
    asParam(inside(text({ pattern: '^a' }))),
    asParam(inside(text({ pattern: '^b' }))),
  )
  t.same(others, [])
  t.match(change, {
    pointer: '#/methods/m/params/0/schema/items/properties/a',
    breaks: ['clients', 'servers'],
  })
  t.equal(change?.reason, 'pattern "^a" became "^b": "a" is no longer valid and "b" is valid now')
})

t.test('found values are valid on one side only', async (t) => {
  let found = 0
  fc.assert(
    fc.property(pairArbitrary, ([old, next]) => {
      const components = { A: { type: 'string' }, B: { type: 'integer' } }
      const [before, after] = [contractOf(asParam(old, components)), contractOf(asParam(next, components))]
      const schemas = [before, after].map(({ methods }) => methods[0]?.params[0]?.schema)
      const [one, other] = schemas
      if (!one || !other) throw new Error('no parameter')
      const witnesses = createWitnessSearch(before, after)(one, other)
      const [wasValid, isValid] = [old, next].map((schema) => {
        // ajv's optimizer takes a third of the compilation time. It pays off only for validators that run often.
        const options = {
          strict: false,
          validateSchema: false,
          logger: false,
          code: { optimize: false },
        } as const
        const ajv = new Ajv(options)
        return ajv.compile({ allOf: [schema], components: { schemas: components } })
      })
      for (const [value, own, others] of [
        [witnesses.old?.value, wasValid, isValid],
        [witnesses.new?.value, isValid, wasValid],
      ] as const) {
        if (value === undefined) continue
        found++
        if (!own?.(value) || others?.(value)) throw new Error(JSON.stringify([old, next, value]))
      }
    }),
    { numRuns: isLong ? 300 : 15 },
  )
  t.ok(found > 5, `${found} values`)
})

t.test('a pattern that cannot be evaluated in linear time decides nothing', async (t) => {
  const members = (parts: JsonObject) => ({
    type: 'object',
    patternProperties: { '^(a+)+\\1$': {} },
    ...parts,
  })
  const changes = provenDiff(asParam(members({})), asParam(members({ properties: { aa: { type: 'null' } } })))
  t.match(changes, [{ kind: 'member-added', pointer: '#/methods/m/params/0/schema' }])
})

t.test('a lost value breaks clients, whatever the rules say about the parts', async (t) => {
  const members = { type: 'object', properties: { email: text({}), phone: text({}) } }
  const needs = (...required: readonly string[]) => ({ ...members, required })
  const changes = provenDiff(
    asParam(needs('email', 'phone')),
    asParam({ oneOf: [needs('email'), needs('phone')] }),
  )
  const [lost] = changes.filter(({ breaks }) => breaks.includes('clients'))
  t.match(lost, { pointer: '#/methods/m/params/0/schema', kind: 'constraint-changed', breaks: ['clients'] })
  t.match(lost?.proof, [{ acceptedBy: 'old', value: { email: 'a' } }])
})

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
})
const tagged = ['a', 'b'].map((k) => object({ k: { const: k } }, { required: ['k'] }))

/** Pairs of schemas with the same values in other words. */
const rewrites: Readonly<Record<string, readonly [JsonValue, JsonValue]>> = {
  'members of a base': [
    object({ a: text({}), b: { type: 'integer' } }),
    { allOf: [{ $ref: '#/components/schemas/A' }, object({ b: { type: 'integer' } })] },
  ],
  'dependencies of two dialects': [
    object({ a: text({}) }, { dependencies: { a: ['b'] } }),
    object({ a: text({}) }, { dependentRequired: { a: ['b'] } }),
  ],
  'a list of values and its length': [{ enum: ['a', 'b'] }, text({ enum: ['a', 'b'], maxLength: 5 })],
  'a closed tuple': [
    { type: 'array', items: [text({}), text({})], additionalItems: false, minItems: 2 },
    { type: 'array', items: [text({}), text({})], additionalItems: false, minItems: 2, maxItems: 2 },
  ],
  'alternatives with a tag': [{ oneOf: tagged }, { anyOf: tagged }],
  'members pushed into alternatives': [
    object({ a: text({}) }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
    { anyOf: [object({ a: text({}) }, { required: ['a'] }), object({ a: text({}) }, { required: ['b'] })] },
  ],
  'a union that contains itself': [
    { anyOf: [text({}), { type: 'null' }] },
    { anyOf: [text({}), { anyOf: [text({}), { type: 'null' }] }] },
  ],
  'a condition and its cases': [
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    { if: text({}), then: { minLength: 1 } },
    { anyOf: [text({ minLength: 1 }), { not: text({}) }] },
  ],
}

for (const [name, [old, next]] of Object.entries(rewrites))
  t.test(`${name}: the same values in other words are no change`, async (t) => {
    const components = { A: object({ a: text({}) }) }
    for (const document of [asParam, asResult]) {
      t.same(provenDiff(document(old, components), document(next, components)), [])
      t.same(provenDiff(document(next, components), document(old, components)), [])
    }
  })
