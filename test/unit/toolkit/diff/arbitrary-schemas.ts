import fc from 'fast-check'
import {
  ContractError,
  type JsonObject,
  type JsonValue,
  readContract,
} from '../../../../src/toolkit/contract/index.js'
import { singleDocument } from '../../../../src/toolkit/contract/load/documents.js'
import { documentOf } from '../codegen/fixtures.js'
import { asResult, type Parts } from './told.js'

/** Two components to which any schema may refer. */
export type Components = { readonly A: JsonValue; readonly B: JsonValue }

const scalar = fc.constantFrom<JsonValue>(null, true, false, 0, 1, 2, 3, 1.5, -1, '', 'a', 'b', 'ab', 'abc')
const small = fc.integer({ min: 0, max: 3 })
const types = ['null', 'boolean', 'object', 'array', 'string', 'integer', 'number']

/** Values near the limits of the schemas below. */
export const valueArbitrary: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 4, arbitrary: scalar },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
    {
      weight: 3,
      arbitrary: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'aa'), tie('value'), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
    },
  ),
})).value

/** An object with some of the given members. */
function some(members: { readonly [name: string]: fc.Arbitrary<JsonValue> }): fc.Arbitrary<JsonObject> {
  return fc.record(members, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<JsonObject>
}

/**
 * Draft-07 schemas for the properties. Objects always describe the members `a` and `b`, because a member that only one
 * side describes is judged by common practice. Alternatives of `oneOf` exclude each other, and recursion passes through
 * a member or an item.
 */
export const schemaArbitrary: fc.Arbitrary<JsonValue> = fc.letrec<{ schema: JsonValue; inner: JsonValue }>(
  (tie) => {
    const inner = tie('inner')
    const list = fc.array(inner, { minLength: 1, maxLength: 3 })
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 })
    const type = fc.oneof(
      fc.constantFrom(...types),
      fc.uniqueArray(fc.constantFrom(...types), { minLength: 1, maxLength: 3 }),
    )
    const numbers = some({
      minimum: small,
      maximum: small,
      exclusiveMinimum: small,
      multipleOf: fc.constantFrom(1, 2, 4, 0.5),
    })
    const texts = some({ minLength: small, maxLength: small, pattern: fc.constantFrom('^a', 'b$') })
    const arrays = some({
      items: fc.oneof(inner, fc.array(inner, { minLength: 1, maxLength: 2 })),
      additionalItems: inner,
      contains: inner,
      minItems: small,
      maxItems: small,
      uniqueItems: fc.boolean(),
    })
    const objects = fc
      .tuple(
        fc.record({ a: inner, b: inner }, { noNullPrototype: true }),
        some({
          required: names,
          additionalProperties: fc.oneof(fc.boolean(), inner),
          patternProperties: fc.dictionary(fc.constantFrom('^a', '^c'), inner, {
            maxKeys: 2,
            noNullPrototype: true,
          }),
          propertyNames: some({ maxLength: small }),
          minProperties: small,
          maxProperties: small,
          dependencies: some({ a: fc.oneof(names, inner), c: names }),
        }),
      )
      .map(([properties, rest]): JsonObject => ({ properties, ...rest }))
    const plain = fc
      .tuple(
        some({ type }),
        numbers,
        texts,
        fc.oneof(arrays, fc.constant({})),
        fc.oneof(objects, fc.constant({})),
      )
      .map((parts): JsonObject => Object.assign({}, ...parts))
    const single = fc.constantFrom<JsonValue>(
      { type: 'string', maxLength: 2 },
      { type: 'null' },
      { type: 'integer', minimum: 1 },
    )
    const combined = some({
      allOf: list,
      anyOf: list,
      oneOf: fc.uniqueArray(single, { minLength: 1, maxLength: 3 }),
      not: inner,
      if: inner,
      else: inner,
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: inner,
    })
    const listed = some({ enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }), const: scalar, type })
    const reference = fc.constantFrom<JsonValue>(
      { $ref: '#/components/schemas/A' },
      { $ref: '#/components/schemas/B' },
    )
    const schema = fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      { weight: 1, arbitrary: fc.boolean() },
      {
        weight: 3,
        arbitrary: fc.constantFrom<JsonValue>(
          { type: 'string' },
          { type: ['string', 'null'] },
          { type: 'integer' },
        ),
      },
      { weight: 2, arbitrary: listed },
      { weight: 4, arbitrary: plain },
      { weight: 3, arbitrary: combined },
      { weight: 1, arbitrary: fc.tuple(plain, combined).map(([a, b]) => ({ ...a, ...b })) },
    )
    return { schema, inner: fc.oneof({ weight: 4, arbitrary: schema }, { weight: 1, arbitrary: reference }) }
  },
).inner

/** Components for those schemas. None refers to itself without a member or an item in between. */
export const componentsArbitrary: fc.Arbitrary<Components> = fc
  .record({ A: schemaArbitrary, B: schemaArbitrary }, { noNullPrototype: true })
  .filter((components) => !refusesToRead(asResult(true, components)))

function refusesToRead(parts: Parts): boolean {
  try {
    readContract(singleDocument(documentOf(parts)))
    return false
  } catch (error) {
    if (error instanceof ContractError) return true
    throw error
  }
}

/** A slightly changed copy of a schema, so that most of their meaning is equal. */
export const pairArbitrary: fc.Arbitrary<readonly [JsonValue, JsonValue]> = fc.oneof(
  fc.tuple(schemaArbitrary, schemaArbitrary),
  fc
    .tuple(schemaArbitrary, fc.nat(), schemaArbitrary)
    .map(([schema, at, other]) => [schema, changedAt(schema, at, other)] as const),
)

/** A schema in which one nested schema is replaced, or one alternative or condition is added. */
function changedAt(schema: JsonValue, at: number, other: JsonValue): JsonValue {
  const places = schemaPlaces(schema)
  const place = places[at % places.length] ?? []
  return changed(schema, place, (found) => {
    if (typeof found !== 'object' || found === null) return other
    const lists = Object.entries(found).filter(([name]) => name === 'anyOf' || name === 'allOf')
    const [name, list] = lists[at % (lists.length + 1)] ?? []
    return name === undefined ? other : { ...found, [name]: [...(list as readonly JsonValue[]), other] }
  })
}

function schemaPlaces(schema: JsonValue, place: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof schema !== 'object' || schema === null) return [place]
  const inner = Object.entries(schema).flatMap(([name, value]) => {
    if (['allOf', 'anyOf', 'properties', 'patternProperties'].includes(name)) {
      return Object.keys(value as object).flatMap((key) =>
        schemaPlaces((value as JsonObject)[key] as JsonValue, [...place, name, key]),
      )
    }
    const holds = ['not', 'if', 'then', 'else', 'additionalProperties', 'contains', 'additionalItems']
    return holds.includes(name) ? schemaPlaces(value as JsonValue, [...place, name]) : []
  })
  return [place, ...inner]
}

function changed(
  value: JsonValue,
  [first, ...rest]: readonly string[],
  change: (found: JsonValue) => JsonValue,
): JsonValue {
  if (first === undefined) return change(value)
  const copy = structuredClone(value) as Record<string, JsonValue>
  copy[first] = changed(copy[first] as JsonValue, rest, change)
  return copy
}
