import fc from 'fast-check'
import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'

const numbers = fc.constantFrom(
  ...[0, -0, 1, -1, 0.1, 1e-7, 5e-324, 2.2e-308, 1e21, 1e300, Number.MAX_VALUE, -Number.MAX_VALUE],
  ...[2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 2 ** 53 + 2, -(2 ** 53) + 1, -(2 ** 53), 1 / 3],
)
const steps = fc.constantFrom(1, 2, 0.01, 1e-7, 5e-324, 1e21, 2 ** 53, 1e300, Number.MAX_VALUE, 1 / 3)
const lengths = fc.constantFrom(
  0,
  1,
  2,
  1_000,
  100_001,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  1e300,
)
const patterns = fc.constantFrom(
  '^a{1000}$',
  '^(a|b){50,}$',
  '^.{65536}$',
  '^(?:(?:x+)+)+$',
  '[^\\s\\S]',
  '^\\p{L}+$',
)

/** Schemas with extremes of numbers, lengths and depths. */
export const extremes: fc.Arbitrary<JsonValue> = fc
  .letrec<{ schema: JsonObject }>((tie) => {
    const some = (type: string, model: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
      fc
        .record(model, { requiredKeys: [] })
        .map((words) => ({ type, ...(words as JsonObject) }) as JsonObject)
    const inner = tie('schema')
    const bounds = {
      minimum: numbers,
      maximum: numbers,
      exclusiveMinimum: numbers,
      exclusiveMaximum: numbers,
    }
    const leaf = fc.oneof(
      some('number', { ...bounds, multipleOf: steps }),
      some('integer', { ...bounds, multipleOf: steps }),
      some('number', { minimum: numbers, maximum: numbers }),
      some('string', { minLength: lengths, maxLength: lengths, pattern: patterns }),
      numbers.map((value): JsonObject => ({ const: value })),
    )
    const deep = fc
      .tuple(inner, fc.constantFrom(5, 30), fc.boolean())
      .map(([schema, depth, isList]) => nested(schema, depth, isList))
    const list = some('array', {
      items: inner,
      minItems: lengths,
      maxItems: lengths,
      uniqueItems: fc.boolean(),
    })
    const object = some('object', {
      properties: fc.dictionary(fc.constantFrom('a', 'b'), inner, { maxKeys: 2 }),
      additionalProperties: inner,
      required: fc.constant(['a']),
      minProperties: lengths,
      maxProperties: lengths,
    })
    return { schema: fc.oneof({ maxDepth: 2 }, { weight: 6, arbitrary: leaf }, list, object, deep) }
  })
  .schema.map((schema) => JSON.parse(JSON.stringify(schema)) as JsonValue)

/** A schema inside many others. */
function nested(schema: JsonObject, depth: number, isList: boolean): JsonObject {
  let all = schema
  for (let level = 0; level < depth; level++) {
    all = isList
      ? { type: 'array', items: all, minItems: 1 }
      : { type: 'object', properties: { a: all }, required: ['a'] }
  }
  return all
}
