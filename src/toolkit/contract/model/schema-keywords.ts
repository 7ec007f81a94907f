/** The form of a keyword's value. `check-schemas.ts` has a description and a check of each form. */
export type KeywordForm =
  | ('text' | 'number' | 'positive' | 'count' | 'flag' | 'type' | 'values' | 'names' | 'any')
  | ('schema' | 'schemas' | 'items' | 'named schemas' | 'named names' | 'dependencies')

/** A JSON type that a keyword applies to. */
export type KeywordType = 'number' | 'string' | 'array' | 'object'

/** The properties of a keyword that all readers of schemas share. */
export interface SchemaKeyword {
  /** `asserts` restricts values, `modifies` changes what another keyword means, and `describes` does neither. */
  readonly role: 'asserts' | 'modifies' | 'describes'
  readonly form: KeywordForm
  /** The type that the keyword applies to. Default: all types. */
  readonly type?: KeywordType
  /** Section of draft-07 validation, or of 2020-12 for newer keywords. `core` means the core specification. */
  readonly section: string
}

function row<Role extends SchemaKeyword['role']>(
  role: Role,
  form: KeywordForm,
  section: string,
  type?: KeywordType,
): SchemaKeyword & { readonly role: Role } {
  return { role, form, section, ...(type && { type }) }
}

/**
 * All known keywords: those of draft-07, newer keywords with a single meaning, and tolerated keywords of OpenAPI.
 * `test/unit/toolkit/contract/model/schema-keywords.test.ts` tests that each reader honours each keyword that restricts
 * values.
 */
export const keywordTable = {
  additionalItems: row('asserts', 'schema', '6.4.2', 'array'),
  additionalProperties: row('asserts', 'schema', '6.5.6', 'object'),
  contains: row('asserts', 'schema', '6.4.6', 'array'),
  propertyNames: row('asserts', 'schema', '6.5.8', 'object'),
  if: row('asserts', 'schema', '6.6.1'),
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: row('modifies', 'schema', '6.6.2'),
  else: row('modifies', 'schema', '6.6.3'),
  not: row('asserts', 'schema', '6.7.4'),
  unevaluatedItems: row('asserts', 'schema', '2020-12 core 11.2', 'array'),
  unevaluatedProperties: row('asserts', 'schema', '2020-12 core 11.3', 'object'),

  allOf: row('asserts', 'schemas', '6.7.1'),
  anyOf: row('asserts', 'schemas', '6.7.2'),
  oneOf: row('asserts', 'schemas', '6.7.3'),

  properties: row('asserts', 'named schemas', '6.5.4', 'object'),
  patternProperties: row('asserts', 'named schemas', '6.5.5', 'object'),
  definitions: row('describes', 'named schemas', '9'),
  $defs: row('describes', 'named schemas', '2020-12 core 8.2.4'),
  dependencies: row('asserts', 'dependencies', '6.5.7', 'object'),
  dependentSchemas: row('asserts', 'named schemas', '2020-12 core 10.2.2.4', 'object'),

  title: row('describes', 'text', '10.1'),
  description: row('describes', 'text', '10.1'),
  type: row('asserts', 'type', '6.1.1'),
  enum: row('asserts', 'values', '6.1.2'),
  const: row('asserts', 'any', '6.1.3'),
  pattern: row('asserts', 'text', '6.3.3', 'string'),
  format: row('asserts', 'text', '7'),
  minLength: row('asserts', 'count', '6.3.2', 'string'),
  maxLength: row('asserts', 'count', '6.3.1', 'string'),
  minimum: row('asserts', 'number', '6.2.4', 'number'),
  maximum: row('asserts', 'number', '6.2.2', 'number'),
  exclusiveMinimum: row('asserts', 'number', '6.2.5', 'number'),
  exclusiveMaximum: row('asserts', 'number', '6.2.3', 'number'),
  multipleOf: row('asserts', 'positive', '6.2.1', 'number'),
  minItems: row('asserts', 'count', '6.4.4', 'array'),
  maxItems: row('asserts', 'count', '6.4.3', 'array'),
  uniqueItems: row('asserts', 'flag', '6.4.5', 'array'),
  minProperties: row('asserts', 'count', '6.5.2', 'object'),
  maxProperties: row('asserts', 'count', '6.5.1', 'object'),
  required: row('asserts', 'names', '6.5.3', 'object'),
  dependentRequired: row('asserts', 'named names', '2020-12 6.5.4', 'object'),
  minContains: row('modifies', 'count', '2020-12 6.4.5', 'array'),
  maxContains: row('modifies', 'count', '2020-12 6.4.4', 'array'),

  items: row('asserts', 'items', '6.4.1', 'array'),
  $ref: row('asserts', 'text', 'core 8.3'),
  nullable: row('modifies', 'flag', 'OpenAPI 3.0, schema object'),
  contentEncoding: row('describes', 'text', '8.3', 'string'),
  contentMediaType: row('describes', 'text', '8.4', 'string'),
  default: row('describes', 'any', '10.2'),
  readOnly: row('describes', 'flag', '10.3'),
  writeOnly: row('describes', 'flag', '10.3'),
  examples: row('describes', 'any', '10.4'),
  deprecated: row('describes', 'flag', '2020-12 9.3'),
  $id: row('describes', 'text', 'core 8.2'),
  $schema: row('describes', 'any', 'core 7'),
  $comment: row('describes', 'text', 'core 9'),
  $anchor: row('describes', 'any', '2020-12 core 8.2.2'),
  $dynamicAnchor: row('describes', 'any', '2020-12 core 8.2.2'),
  $vocabulary: row('describes', 'any', '2020-12 core 8.1.2'),
  example: row('describes', 'any', 'OpenAPI 3.0, schema object'),
  discriminator: row('describes', 'any', 'OpenAPI 3.0, schema object'),
  externalDocs: row('describes', 'any', 'OpenAPI 3.0, schema object'),
} as const satisfies Readonly<Record<string, SchemaKeyword>>

/** A keyword of the table. */
export type KeywordName = keyof typeof keywordTable

/** A keyword that restricts values. */
export type AssertingKeyword = {
  [Name in KeywordName]: (typeof keywordTable)[Name]['role'] extends 'asserts' ? Name : never
}[KeywordName]

/** The rows of the table by name. */
export const keywordRows: ReadonlyMap<string, SchemaKeyword> = new Map(Object.entries(keywordTable))

function namesOf(...forms: readonly KeywordForm[]): readonly KeywordName[] {
  const names = Object.keys(keywordTable) as KeywordName[]
  return names.filter((name) => forms.includes(keywordTable[name].form))
}

/** Keywords that a copy for a validator does not need, or handles separately. */
const notCopied: readonly string[] = [
  ...['$ref', 'nullable', 'contentEncoding', 'contentMediaType', 'default', 'readOnly', 'writeOnly'],
  ...['examples', 'deprecated', '$id', '$schema', '$comment', '$anchor', '$dynamicAnchor', '$vocabulary'],
  ...['example', 'discriminator', 'externalDocs'],
]

/** Keywords by the form of their value. `items` holds one schema or a list. `plain` keywords hold no schema. */
export const schemaKeywords = {
  one: namesOf('schema'),
  list: namesOf('schemas'),
  map: namesOf('named schemas', 'dependencies'),
  plain: namesOf(
    'text',
    'type',
    'values',
    'any',
    'count',
    'number',
    'positive',
    'flag',
    'names',
    'named names',
  ).filter((name) => !notCopied.includes(name)),
} as const

/** Keywords of content. They are not validated, but a change of them changes what a string means. */
const content: readonly string[] = ['contentEncoding', 'contentMediaType']

/** Returns true for keywords that do not restrict values, including those that only hold schemas for references. */
export function isAnnotation(keyword: string): boolean {
  if (keyword.startsWith('x-')) return true
  return keywordRows.get(keyword)?.role === 'describes' && !content.includes(keyword)
}
