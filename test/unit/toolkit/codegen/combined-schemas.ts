import fc from 'fast-check'
import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'

/** Components that random schemas refer to: with a type, with null, and one that only requires a member. */
export const combinedComponents: JsonObject = {
  Owner: { type: 'object', required: ['a'], properties: { a: { type: 'string' }, k: {} } },
  Maybe: { type: ['object', 'null'], properties: { b: { type: 'string' }, k: {} } },
  NeedsA: { required: ['a'] },
  Chain: {
    anyOf: [
      { type: 'string' },
      { type: 'array', items: { $ref: '#/components/schemas/Chain' } },
      { type: 'null' },
    ],
  },
}

const names = ['a', 'b'] as const
const type = fc.constantFrom('string', 'integer', 'boolean', 'null', 'array', 'object')
const types = fc.oneof(
  type,
  fc.uniqueArray(type, { minLength: 1, maxLength: 3 }),
  fc.constant(['object', 'null']),
)
const references = (keys: readonly string[]) =>
  fc.constantFrom(...keys.map((key) => ({ $ref: `#/components/schemas/${key}` })))
const reference = references(Object.keys(combinedComponents))
/** A schema that only requires members is taken for one of objects, unless others around it state a type. */
const typedReference = references(Object.keys(combinedComponents).filter((key) => key !== 'NeedsA'))
const required = fc.subarray([...names], { minLength: 1 })

/**
 * Schemas whose keywords only make sense together: types beside alternatives, members that an alternative requires and
 * another schema declares, members of several parts. TypeScript can express all of their keywords. Objects that declare
 * members declare `k`, because TypeScript refuses objects without a declared member.
 */
export const combinedSchemas: fc.Arbitrary<JsonObject> = fc.letrec<{ schema: JsonObject; part: JsonObject }>(
  (tie) => {
    const inner = fc.oneof(tie('schema'), typedReference, fc.constant({}))
    const properties = fc
      .dictionary(fc.constantFrom(...names), inner, { maxKeys: 2, noNullPrototype: true })
      .map((members) => ({ ...members, k: {} }))
    const objects = fc.record(
      { properties, required, additionalProperties: fc.oneof(inner, fc.boolean()) },
      { requiredKeys: ['properties'], noNullPrototype: true },
    )
    const needs = fc.record({ required })
    const list = fc.array(fc.oneof(tie('part'), needs, reference, tie('schema')), {
      minLength: 1,
      maxLength: 3,
    })
    const composition = fc.oneof(
      fc.record({ anyOf: list }),
      fc.record({ allOf: list }),
      fc.record({ oneOf: list }),
      fc.record({ anyOf: list, allOf: list }),
    )
    const typed = types.map((each) => ({ type: each }))
    const merged = (...parts: fc.Arbitrary<object>[]) =>
      fc.tuple(...parts).map((all) => Object.assign({}, ...all) as JsonObject)
    return {
      part: fc.oneof(
        { maxDepth: 2, depthSize: 'small' },
        merged(typed),
        merged(objects),
        merged(composition),
      ),
      schema: fc.oneof(
        { maxDepth: 2, depthSize: 'small' },
        merged(typed),
        merged(fc.constant({ type: 'object' }), objects),
        merged(typed, objects),
        merged(typed, composition),
        merged(typed, objects, composition),
        merged(typed, fc.record({ items: inner })),
        merged(typed, fc.record({ enum: fc.constant<JsonValue>(['a', 1, null]) })),
        merged(typed, fc.constant({ nullable: true }), composition),
      ) as fc.Arbitrary<JsonObject>,
    }
  },
).schema

/** Values of every type, for schemas of {@link combinedSchemas}. */
export const combinedValues: readonly JsonValue[] = [
  ...[null, true, 1, 'a', [], ['a'], [null]],
  ...[{ k: 1 }, { a: 'a', k: [{}] }, { b: 'b', k: null }, { a: 1, b: 'b', k: 1 }, { a: null, b: [], k: 1 }],
  ...[
    { a: { a: 'a', k: 1 }, k: 1 },
    { a: 'a', b: { b: 'b', k: 2 }, k: {} },
    { k: 1, x: 'a' },
    { a: 'a', b: 'b', k: 1, x: 1 },
  ],
]
