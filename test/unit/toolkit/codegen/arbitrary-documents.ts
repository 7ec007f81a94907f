import fc from 'fast-check'
import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'
import {
  hostileTexts,
  isSupported,
  type SchemaChoices,
  schemas,
  sharedSchemas,
  values,
} from './arbitrary-schemas.js'
import { documentOf } from './fixtures.js'

/** Texts that try to escape from their context, or to be mistaken for something else. */
const descriptions = [
  ...hostileTexts,
  '@ts-expect-error',
  '@ts-ignore',
  '@ts-nocheck',
  '@deprecated since long',
  '*/ globalThis.hacked = true /*',
  '`); globalThis.hacked = true; (`',
  '${globalThis.hacked = true}',
  "'; globalThis.hacked = true; '",
  '// @ts-nocheck\nglobalThis.hacked = true',
  '/** a *//** b */',
  'a\u2028globalThis.hacked = true\u2029b',
  '```\ncode\n``` and | a | table |',
  '{@link x} {@inheritDoc}',
  '<script>globalThis.hacked = true</script>',
] as const

const name = fc.constantFrom(...hostileTexts.filter((each) => each !== ''))
const text = fc.constantFrom(...descriptions)
type Schemas = fc.Arbitrary<JsonValue>

const documented = fc
  .record({ summary: fc.option(text, { nil: undefined }), description: fc.option(text, { nil: undefined }) })
  .map((parts) => JSON.parse(JSON.stringify(parts)) as JsonObject)

/** Method names with one part, or with several parts between dots. */
const methodName = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'))

const param = (key: string, schema: Schemas) =>
  fc.tuple(documented, schema, fc.boolean()).map(
    ([words, inner, required]): JsonObject => ({
      name: key,
      required,
      schema: withoutDefault(inner),
      ...words,
    }),
  )

const method = (key: string, others: readonly string[], schema: Schemas) =>
  fc
    .record({
      words: documented,
      params: fc
        .uniqueArray(name, { maxLength: 3 })
        .chain((names) => fc.tuple(...names.map((each) => param(each, schema)))),
      result: fc.option(schema, { freq: 5, nil: undefined }),
      structure: fc.constantFrom('by-name', 'by-position', 'either', undefined),
      codes: fc.uniqueArray(fc.integer({ min: -32099, max: 5 }), { maxLength: 2 }),
      examples: fc.array(
        fc.tuple(
          text.filter((each) => each !== ''),
          fc.array(values(), { maxLength: 3 }),
          values(),
        ),
        { maxLength: 3 },
      ),
      links: fc.array(
        fc.tuple(fc.option(name, { nil: undefined }), fc.constantFrom(key, ...others), name, linkValue),
        { maxLength: 2 },
      ),
      deprecated: fc.boolean(),
    })
    .map(({ words, params, result, structure, codes, examples, links, deprecated }) => ({
      name: key,
      ...words,
      params: params as JsonObject[],
      ...(structure === undefined ? {} : { paramStructure: structure }),
      ...(result === undefined ? {} : { result: { name: 'r', schema: withoutDefault(result) } }),
      errors: codes.map((code) => ({ code, message: words['summary'] ?? 'No' })),
      examples: examples.map(([called, given, answered]) => ({
        name: called,
        params: given.map((value, at) => ({ name: `p${at}`, value })),
        result: { name: 'r', value: answered },
      })),
      links: links.map(([called, target, parameter, value]) => ({
        ...(called === undefined ? {} : { name: called }),
        method: target,
        params: Object.fromEntries([[parameter, value]]),
      })),
      deprecated,
    }))

const linkValue = fc.oneof(
  values(),
  fc.constantFrom<JsonValue>(
    '${result}',
    '${result.a}',
    "${result['it\\'s']}",
    '$params.a',
    'x${params.b}y',
    { a: ['${result.b}'] },
    '${evil()}',
  ),
)

/** Keys of component schemas. Their generated names differ from each other and from those of shared schemas. */
const componentKeys = [
  'A',
  'a',
  'Promise',
  'JsonValue',
  'createClient',
  'links',
  'Params',
  'class',
  '9',
  '日本',
  'x y',
  'Context',
  'Example',
]

/**
 * Random documents that the meta-schema accepts, with hostile names and texts everywhere.
 * @param dialect the dialect of their schemas
 */
export function documents(dialect: SchemaChoices['dialect'] = 'draft-07'): fc.Arbitrary<JsonObject> {
  const schema = schemas({ names: hostileTexts, texts: descriptions, dialect }).filter(isSupported)
  return fc
    .record({
      title: text,
      words: text,
      names: fc.uniqueArray(methodName, { minLength: 1, maxLength: 4 }),
      components: fc.dictionary(fc.constantFrom(...componentKeys), schema, { maxKeys: 3 }),
    })
    .chain(({ title, words, names, components }) =>
      fc.tuple(...names.map((key) => method(key, names, schema))).map((methods) =>
        documentOf({
          info: { title: title === '' ? 'T' : title, version: '1.0.0', description: words },
          methods: methods as JsonValue,
          components: {
            schemas: {
              ...sharedSchemas,
              ...Object.fromEntries(Object.entries(components).map(([key, inner]) => [key, inner])),
            },
          },
        }),
      ),
    )
    .map((document) => JSON.parse(JSON.stringify(document)) as JsonObject)
}

/** A default that violates its schema is refused; another test covers that. */
function withoutDefault(value: JsonValue): JsonValue {
  return JSON.parse(
    JSON.stringify(value, (key, inner) => (key === 'default' ? undefined : inner)),
  ) as JsonValue
}
