import fc from 'fast-check'
import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'

/** Names and texts that generated code must preserve. */
export const hostileTexts = [
  'a',
  'b',
  'c',
  'x-1',
  'a b',
  'class',
  'then',
  '1',
  '',
  ' ',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  "it's",
  '"',
  '`${a}`',
  '*/',
  '/*',
  '//',
  '\\',
  '\n',
  '\r\n',
  '\u2028',
  '\u0000',
  '</script>',
  '${result}',
  'é',
  '𝒳',
  '\ud800',
] as const

/** Schemas of every random document, as targets of references: one scalar and two recursive ones. */
export const sharedSchemas: JsonObject = {
  Leaf: { type: 'string', pattern: '^[ab]', description: 'A leaf.' },
  Tree: {
    type: 'object',
    properties: { next: { $ref: '#/components/schemas/Tree' }, a: { $ref: '#/components/schemas/Leaf' } },
    additionalProperties: false,
  },
  Nested: { type: ['array', 'integer'], items: { $ref: '#/components/schemas/Nested' } },
}

const scalars = fc.constantFrom<JsonValue>(
  null,
  true,
  false,
  0,
  1,
  2,
  -1,
  0.5,
  1.5,
  10,
  1e21,
  '',
  'a',
  'ab',
  'b',
  'bad',
  '𝒳',
  ...hostileTexts,
)

/** Names of members. ajv cannot compare objects with a member `toString`. */
const memberNames = ['next', ...hostileTexts.filter((text) => text !== 'toString')]

/** Values that match schemas of {@link schemas} more often than arbitrary JSON does. */
export function values(): fc.Arbitrary<JsonValue> {
  return fc
    .letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
        scalars,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom(...memberNames), tie('value'), { maxKeys: 4 }),
      ),
    }))
    .value.map((value) => JSON.parse(JSON.stringify(value)) as JsonValue)
}

/** Under its own name, the linter takes the object for a promise. */
const consequence = 'then'

const small = fc.integer({ min: 0, max: 3 })
const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object')

/** Sources of names and texts in a random schema. */
export interface SchemaChoices {
  /** Names of members. */
  readonly names: readonly string[]
  /** Descriptions, titles and other texts. */
  readonly texts: readonly string[]
  /** The dialect of the schemas. Those of 2020-12 state it in `$schema`. */
  readonly dialect?: 'draft-07' | '2020-12'
}

/** The URI of 2020-12. */
const newestDialect = 'https://json-schema.org/draft/2020-12/schema'

/** Refused by name: only 2020-12 counts items that match `contains` as evaluated. */
export function isSupported(schema: JsonValue): boolean {
  const text = JSON.stringify(schema)
  return !(text.includes('"unevaluatedItems"') && text.includes('"contains"'))
}

/** Random schemas with every keyword of their dialect. Their references lead to {@link sharedSchemas}. */
export function schemas({ names, texts, dialect = 'draft-07' }: SchemaChoices): fc.Arbitrary<JsonValue> {
  const name = fc.constantFrom(...names)
  const text = fc.constantFrom(...texts)
  const some = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
  const parts = (members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> =>
    fc
      .record(Object.fromEntries(Object.entries(members).map(([key, inner]) => [key, some(inner)])))
      .map(plain)
  const { schema } = fc.letrec<{ schema: JsonValue }>((tie) => {
    const inner = tie('schema')
    const list = fc.array(inner, { minLength: 1, maxLength: 3 })
    const byName = fc.dictionary(name, inner, { maxKeys: 3 })
    const forNumbers = parts({
      minimum: small,
      maximum: small,
      exclusiveMinimum: small,
      exclusiveMaximum: small,
      multipleOf: fc.constantFrom(1, 2, 0.5),
    })
    const forStrings = parts({
      minLength: small,
      maxLength: small,
      pattern: fc.constantFrom('^a', 'b$', '^[^/]*$', '\\d', '^$'),
    })
    const forAnyArrays = { contains: inner, uniqueItems: fc.boolean(), minItems: small, maxItems: small }
    const tuple = fc.array(inner, { minLength: 1, maxLength: 3 })
    const forArrays =
      dialect === 'draft-07'
        ? parts({ items: fc.oneof(inner, tuple), additionalItems: inner, ...forAnyArrays })
        : fc.oneof(
            parts({
              prefixItems: tuple,
              items: inner,
              minContains: small,
              maxContains: small,
              ...forAnyArrays,
            }),
            parts({ prefixItems: tuple, unevaluatedItems: inner, minItems: small }),
          )
    const together = fc.uniqueArray(name, { maxLength: 2 })
    const dependent =
      dialect === 'draft-07'
        ? { dependencies: fc.dictionary(name, fc.oneof(inner, together), { maxKeys: 2 }) }
        : {
            dependentRequired: fc.dictionary(name, together, { maxKeys: 2 }),
            dependentSchemas: fc.dictionary(name, inner, { maxKeys: 2 }),
            unevaluatedProperties: inner,
          }
    const forObjects = parts({
      properties: byName,
      required: fc.uniqueArray(name, { maxLength: 2 }),
      additionalProperties: inner,
      patternProperties: fc.dictionary(fc.constantFrom('^a', '^x-', '.'), inner, { maxKeys: 2 }),
      propertyNames: inner,
      ...dependent,
      minProperties: small,
      maxProperties: small,
    })
    const composed = parts({
      allOf: list,
      anyOf: list,
      oneOf: list,
      not: inner,
      if: inner,
      [consequence]: inner,
      else: inner,
    })
    const listed = parts({
      enum: fc.uniqueArray(values(), {
        minLength: 1,
        maxLength: 4,
        selector: (value) => JSON.stringify(value),
      }),
      const: values(),
    })
    const told = parts({
      title: text,
      description: text,
      $comment: text,
      default: values(),
      examples: fc.array(values(), { maxLength: 2 }),
      readOnly: fc.boolean(),
      contentEncoding: text,
    })
    const typed = parts({ type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })) })
    const reference = fc
      .constantFrom('Leaf', 'Tree', 'Nested')
      .map((key): JsonObject => ({ $ref: `#/components/schemas/${key}` }))
    const words = fc.oneof(forNumbers, forStrings, forArrays, forObjects, composed, listed, reference)
    const object = fc
      .tuple(typed, fc.array(words, { minLength: 1, maxLength: 2 }), fc.option(told, { nil: {}, freq: 2 }))
      .map(([one, many, three]) => Object.assign({}, one, ...many, three) as JsonObject)
    return { schema: fc.oneof({ maxDepth: 3, depthSize: 'small' }, fc.oneof(typed, fc.boolean()), object) }
  })
  return dialect === 'draft-07'
    ? schema
    : schema.map((value) =>
        isDictionary(value) ? ({ $schema: newestDialect, ...value } as JsonObject) : value,
      )
}

/** A copy without undefined members, in which members of any name are own members. */
function plain(value: object): JsonObject {
  const text = JSON.stringify(value, (_, inner) =>
    isDictionary(inner) ? Object.fromEntries(Object.entries(inner)) : inner,
  )
  return JSON.parse(text) as JsonObject
}

function isDictionary(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
