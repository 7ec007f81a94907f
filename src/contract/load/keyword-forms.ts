import type { ContractProblem } from '../contract-error.js'
import { isArray, isObject, type JsonValue, member } from '../json.js'
import { joinPointer } from '../json-pointer.js'
import { isSchema, type LocatedSchema, schemaKeywords } from '../model/schema.js'

/** The form of a keyword's value: its description for messages, and a check. */
type Form = readonly [words: string, isForm: (value: JsonValue) => boolean]

const types = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']

const isText = (value: JsonValue | undefined) => typeof value === 'string'
const isType = (value: JsonValue) => isText(value) && types.includes(String(value))
const isTexts = (value: JsonValue | undefined) => isArray(value) && value.every(isText)
const isMap = (isForm: (value: JsonValue | undefined) => boolean) => (value: JsonValue) =>
  isObject(value) && Object.values(value).every(isForm)

const text: Form = ['a string', isText]
const number: Form = ['a number', (value) => typeof value === 'number']
const count: Form = ['a non-negative integer', (value) => Number.isInteger(value) && Number(value) >= 0]
const flag: Form = ['true or false', (value) => typeof value === 'boolean']
const schema: Form = ['a schema', isSchema]
const schemas: Form = [
  'a list of at least one schema',
  (value) => isArray(value) && value.length > 0 && value.every(isSchema),
]
const byName: Form = ['an object of schemas', isMap(isSchema)]

/** Keywords and the forms of their values (JSON Schema draft-07 and OpenAPI's `nullable`). */
const forms: ReadonlyMap<string, Form> = new Map([
  ...fill(['$id', '$ref', '$comment', 'title', 'description', 'pattern', 'format'], text),
  ...fill(['contentEncoding', 'contentMediaType'], text),
  ...fill(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'], number),
  ...fill(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'], count),
  ...fill(['minContains', 'maxContains'], count),
  ...fill(['uniqueItems', 'nullable', 'readOnly', 'writeOnly', 'deprecated'], flag),
  ...fill(schemaKeywords.one, schema),
  ...fill(schemaKeywords.list, schemas),
  ...fill(schemaKeywords.map, byName),
  ['multipleOf', ['a number greater than 0', (value) => typeof value === 'number' && value > 0]],
  ['items', ['a schema or a list of schemas', (value) => schema[1](value) || schemas[1](value)]],
  ['required', ['a list of names', isTexts]],
  ['enum', ['a list of values', isArray]],
  [
    'type',
    [
      `${types.map((type) => `"${type}"`).join(', ')}, or a list of these`,
      (value) => isType(value) || (isArray(value) && value.length > 0 && value.every(isType)),
    ],
  ],
  [
    'dependencies',
    ['an object of schemas and lists of names', isMap((value) => isSchema(value) || isTexts(value))],
  ],
  ['dependentRequired', ['an object of lists of names', isMap(isTexts)]],
])

function fill(keywords: readonly string[], form: Form): readonly (readonly [string, Form])[] {
  return keywords.map((keyword) => [keyword, form] as const)
}

/**
 * Finds keywords with invalid values. The meta-schema finds them in the main document. In other files only
 * this check does.
 * @param located the schema to check
 * @returns one problem for each invalid keyword
 */
export function keywordFormProblems({ schema: value, pointer }: LocatedSchema): readonly ContractProblem[] {
  if (!isObject(value)) return []
  return Object.keys(value).flatMap((keyword) => {
    const [words, isForm] = forms.get(keyword) ?? []
    if (!isForm || isForm(member(value, keyword) ?? null)) return []
    const message = `"${keyword}" must be ${words}`
    return [{ pointer: joinPointer(pointer, keyword), message, rule: 'meta-schema' }]
  })
}
