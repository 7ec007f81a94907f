import { createRequire } from 'node:module'
import t from 'tap'
import {
  documentsFrom,
  type JsonObject,
  type JsonValue,
  objectMember,
  readModel,
} from '../../../../../src/toolkit/contract/index.js'
import { schemaRules } from '../../../../../src/toolkit/lint/rules/schema-rules.js'
import { documentOf, methodOf } from '../../codegen/fixtures.js'

const newest = 'https://json-schema.org/draft/2020-12/schema'

/** The problems that the rules about schemas find in a result, one line each: the rule, the place, the message. */
async function problems(schema: JsonObject, info: JsonObject = {}): Promise<readonly string[]> {
  const text = JSON.stringify(
    documentOf({ info: { title: 'T', version: '1', ...info }, methods: [methodOf([], schema)] }),
  )
  const documents = await documentsFrom({ path: 'openrpc.json', text })
  const document = documents.root
  const subject = { ...readModel(documents), documents, document, info: objectMember(document, 'info') }
  const place = '#/methods/0/result/schema'
  return schemaRules.flatMap(({ name, check }) =>
    (check?.(subject) ?? []).map(
      ({ pointer, message }) => `${name} ${pointer.replace(place, '')}: ${message}`,
    ),
  )
}

/** Known keywords, by a value that each of them can have. */
const known: readonly (readonly [value: JsonValue, keywords: string])[] = [
  ['a', '$id $anchor $comment title description pattern format contentMediaType contentEncoding'],
  ['http://json-schema.org/draft-07/schema#', '$schema'],
  ['#/methods/0/result/schema/not', '$ref'],
  ['string', 'type'],
  [true, 'readOnly writeOnly uniqueItems deprecated nullable'],
  [1, 'multipleOf maximum exclusiveMaximum minimum exclusiveMinimum const default example'],
  [1, 'maxLength minLength maxItems minItems maxProperties minProperties maxContains minContains'],
  [['a'], 'required enum examples'],
  [[{}], 'allOf anyOf oneOf'],
  [{}, 'items additionalItems contains propertyNames additionalProperties if then else not'],
  [{}, 'unevaluatedItems unevaluatedProperties definitions $defs properties patternProperties'],
  [{}, 'dependencies dependentSchemas dependentRequired discriminator externalDocs'],
]

t.test('keywords of draft-07, supported later ones and those of OpenAPI are known', async (t) => {
  const all = known.flatMap(([value, keywords]) => keywords.split(' ').map((name) => [name, value] as const))
  const schema: JsonObject = Object.fromEntries(all)
  const meta = createRequire(import.meta.url)('ajv/dist/refs/json-schema-draft-07.json') as {
    readonly properties: object
  }
  t.strictSame(
    Object.keys(meta.properties).filter((name) => !Object.hasOwn(schema, name)),
    [],
    'all of the meta-schema',
  )
  t.strictSame(await problems({ ...schema, 'x-mine': 1, 'x-': 1 }), [])
})

t.test('unknown keywords are reported, with what to write instead', async (t) => {
  const unknown = (name: string) =>
    `unknown-keyword /${name}: "${name}" is not a JSON Schema keyword and has no effect`
  for (const name of ['minContain', 'mincontains', 'Type', 'xml', 'x', 'X-mine', 'toString', 'constructor'])
    t.strictSame(await problems({ [name]: 1 }), [unknown(name)], name)
  const later = (name: string) =>
    `unknown-keyword /${name}: "${name}" has no effect, because JSON Schema draft-07 does not know it: use "$ref"`
  t.strictSame(await problems({ $dynamicRef: '#a', $recursiveRef: '#' }), [
    later('$dynamicRef'),
    later('$recursiveRef'),
  ])
  const inner = { properties: { a: { items: { minLenght: 1 } } } }
  t.strictSame(await problems(inner), [
    'unknown-keyword /properties/a/items/minLenght: "minLenght" is not a JSON Schema keyword and has no effect',
  ])
})

t.test(
  'in 2020-12, later keywords are left to the rule about dialects, and misspelt ones are not',
  async (t) => {
    t.strictSame(await problems({ $schema: newest, $dynamicRef: '#a', $recursiveRef: '#' }), [])
    t.strictSame(await problems({ $schema: newest, minLenght: 1 }), [
      'unknown-keyword /minLenght: "minLenght" is not a JSON Schema keyword and has no effect',
    ])
  },
)

t.test('a tuple of 2020-12 is reported once, unless its dialect has it', async (t) => {
  const prefixItems = [{ type: 'string' }]
  const ignored = `ignored-tuple /prefixItems: "prefixItems" has no effect in draft-07, so "items" applies to every item: add "$schema": "${newest}", or write the tuple under "items" and the other items under "additionalItems"`
  const unknown = `unknown-keyword /prefixItems: "prefixItems" has no effect, because JSON Schema draft-07 does not know it: write the tuple as a list under "items", or add "$schema": "${newest}"`
  const rows: readonly [JsonObject, readonly string[]][] = [
    [{ prefixItems }, [unknown]],
    [{ prefixItems, items: { type: 'integer' } }, [ignored]],
    [{ prefixItems, items: false }, [ignored]],
    [{ items: { type: 'integer' } }, []],
    [{ prefixItems, items: [{}] }, []],
    [{ $schema: newest, prefixItems }, []],
    [{ $schema: newest, prefixItems, items: false }, []],
  ]
  for (const [schema, want] of rows) t.strictSame(await problems(schema), want, JSON.stringify(schema))
})

t.test('slow patterns of values, of names and of ids are reported where they are', async (t) => {
  const slow = '^(a+)+$'
  const inSchema = (pointer: string) =>
    `unsafe-pattern ${pointer}: "${slow}" is very slow for some values with RegExp and similar engines, which generated validators do not use for it but other programs do: bound its repetitions or make them disjoint`
  t.strictSame(await problems({ pattern: slow }), [inSchema('/pattern')])
  t.strictSame(await problems({ patternProperties: { '^b$': {}, [slow]: {} } }), [
    inSchema(`/patternProperties/${slow}`),
  ])
  t.strictSame(await problems({ pattern: slow, patternProperties: { [slow]: {} } }), [
    inSchema('/pattern'),
    inSchema(`/patternProperties/${slow}`),
  ])
  t.strictSame(await problems({ pattern: '^a+$', patternProperties: { '^b$': {} } }), [])
  const ids = (idPattern: string) => problems({}, { 'x-envelope': { idPattern } })
  t.strictSame(await ids('^[0-9]+$'), [])
  t.strictSame(await ids(slow), [
    `unsafe-pattern #/info/x-envelope/idPattern: "${slow}" is very slow for some ids, so that one request can occupy a server for minutes: bound its repetitions or make them disjoint`,
  ])
  const both = await problems({ pattern: slow }, { 'x-envelope': { idPattern: slow } })
  t.equal(both.length, 2)
})
