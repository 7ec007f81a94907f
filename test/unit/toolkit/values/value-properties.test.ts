import fc from 'fast-check'
import t from 'tap'
import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'
import { NoValueError } from '../../../../src/toolkit/values/index.js'
import { runs } from '../../../support/runs.js'
import { makingsOf } from './making.js'

const name = fc.constantFrom('a', 'b', 'c', 'constructor', 'x-1')
const scalar = fc.constantFrom<JsonValue>(null, true, false, 0, 3, -4, 1.5, '', 'yes', '0xab')
const pattern = fc.constantFrom('^0x[0-9a-f]+$', '^[A-Z][a-z]{2,5}$', 'b', '^(foo|bar)+$', '\\p{L}')
const bound = fc.integer({ min: -5, max: 20 })
const few = fc.nat(4)

const when = (condition: JsonValue, met: JsonValue, unmet: JsonValue): JsonObject =>
  Object.fromEntries([
    ['if', condition],
    ['then', met],
    ['else', unmet],
  ])

/** Schemas with every validating keyword; some are unsatisfiable. */
const { schema } = fc.letrec<{ readonly schema: JsonValue; readonly inside: JsonValue }>((tie) => {
  const same = tie('schema')
  const inside = tie('inside')
  const some = <Value>(model: { readonly [Key in keyof Value]: fc.Arbitrary<Value[Key]> }) =>
    fc.record(model, { requiredKeys: [] }) as fc.Arbitrary<JsonValue>
  const typed = (type: string, model: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
    some(model).map((words) => ({ type, ...(words as JsonObject) }))
  const names = fc.uniqueArray(name, { maxLength: 2 })
  const leaf = fc.oneof(
    fc.constantFrom<JsonValue>(true, {}, { type: ['string', 'null'] }, { type: 'boolean' }),
    typed('number', {
      minimum: bound,
      maximum: bound,
      exclusiveMinimum: bound,
      multipleOf: fc.constantFrom(2, 0.5),
    }),
    typed('integer', { minimum: bound, maximum: bound, multipleOf: fc.constantFrom(2, 3) }),
    typed('string', { minLength: few, maxLength: fc.nat(12), pattern }),
    fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }).map((values) => ({ enum: values })),
    scalar.map((value) => ({ const: value })),
  )
  const node = fc.oneof(
    typed('object', {
      properties: fc.dictionary(name, inside, { maxKeys: 3 }),
      patternProperties: fc.dictionary(fc.constantFrom('^x-', '^[ab]'), inside, { maxKeys: 1 }),
      additionalProperties: inside,
      propertyNames: fc.constantFrom({ pattern: '^[a-z_-]+' }, { maxLength: 3 }),
      required: names,
      minProperties: fc.nat(2),
      maxProperties: few,
      dependencies: fc.dictionary(name, fc.oneof(same, names), { maxKeys: 1 }),
    }),
    typed('array', {
      items: inside,
      minItems: fc.nat(2),
      maxItems: few,
      uniqueItems: fc.boolean(),
      contains: inside,
    }),
    typed('array', { items: fc.array(inside, { minLength: 1, maxLength: 2 }), additionalItems: inside }),
    some({ allOf: fc.array(same, { minLength: 1, maxLength: 2 }) }),
    some({ anyOf: fc.array(same, { minLength: 1, maxLength: 3 }) }),
    some({ oneOf: fc.array(same, { minLength: 1, maxLength: 3 }) }),
    some({ not: same }),
    fc.tuple(same, same, same).map(([condition, met, unmet]) => when(condition, met, unmet)),
  )
  const self = fc.constant<JsonValue>({ $ref: '#/components/schemas/Result' })
  return {
    schema: fc.oneof({ maxDepth: 3 }, leaf, node),
    // A recursive schema, with recursion inside a value only.
    inside: fc.oneof({ weight: 5, arbitrary: same }, { weight: 1, arbitrary: self }),
  }
})

/** A schema that this value satisfies, built from the value. */
function fitting(value: JsonValue): fc.Arbitrary<JsonValue> {
  const others = schema.map((other) => ({ anyOf: [own(value), other] }))
  return fc.oneof(
    fc.constant(own(value)),
    others,
    fc.constant({ allOf: [own(value), { not: { const: 'something else' } }] }),
    fc.constant({ oneOf: [own(value), { type: 'string', pattern: '^nothing like it$' }] }),
  )
}

/** Keywords that are true for this value and similar ones. */
function own(value: JsonValue): JsonObject {
  if (Array.isArray(value) && value.length === 0) return { type: 'array', maxItems: 1 }
  if (Array.isArray(value)) return { type: 'array', items: value.map(own), minItems: value.length }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
    return {
      type: 'object',
      required: members.map(([key]) => key),
      properties: Object.fromEntries(members.map(([key, inner]) => [key, own(inner ?? null)])),
      maxProperties: members.length + 1,
    }
  }
  if (typeof value === 'string')
    return { type: 'string', minLength: value.length, maxLength: value.length + 3 }
  return typeof value === 'number' ? { type: 'number', minimum: value, maximum: value + 1 } : { const: value }
}

/** Parses a constant with a `__proto__` member as own member, like a document from a file. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as JsonValue

/** Number of schemas per contract, because creating a contract is slow. */
const together = 40

t.test('for any schema, a generated value is valid', async (t) => {
  let made = 0
  fc.assert(
    fc.property(
      fc.array(schema, { minLength: together, maxLength: together }),
      fc.string(),
      (schemas, seed) => {
        for (const { make, fits } of makingsOf(schemas.map((each) => ({ schema: plain(each) })))) {
          let value: JsonValue
          try {
            value = make(seed)
          } catch (error) {
            if (error instanceof NoValueError) continue
            throw error
          }
          if (!fits(value)) return false
          made += 1
        }
        return true
      },
    ),
    { numRuns: runs(8) },
  )
  t.ok(made > together, `${made} values were generated`)
})

t.test('a value is generated whenever one is known to exist', async (t) => {
  const cases = fc.jsonValue({ maxDepth: 2 }).chain((value) => fitting(value as JsonValue))
  fc.assert(
    fc.property(fc.array(cases, { minLength: together, maxLength: together }), fc.string(), (schemas, seed) =>
      makingsOf(schemas.map((each) => ({ schema: plain(each) }))).every(({ make, fits }) => fits(make(seed))),
    ),
    { numRuns: runs(5) },
  )
  t.pass('each time')
})
