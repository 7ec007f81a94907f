import { ContractError, type ContractProblem } from '../contract-error.js'
import { isArray, isObject, type JsonValue, member, stringMember } from '../json.js'
import { joinPointer } from '../json-pointer.js'
import { pointerOf } from '../load/documents.js'
import type { Contract } from '../model/contract.js'
import { type Dialect, dialectOf } from '../model/dialect.js'
import { facets } from '../model/facets.js'
import { reachableSchemas } from '../model/reachable-schemas.js'
import {
  isSchema,
  type LocatedSchema,
  referenceOf,
  schemaMap,
  schemaMember,
  subschemas,
} from '../model/schema.js'
import { type KeywordForm, keywordRows } from '../model/schema-keywords.js'
import { isPattern } from '../patterns.js'
import { endlessSchemas } from './endless-schemas.js'

/**
 * Finds schema constructs that generated types and validators cannot support.
 * @param contract the contract to check
 * @returns the problems, each with the pointer of its schema
 */
export function checkSchemas(contract: Contract): readonly ContractProblem[] {
  const problems: ContractProblem[] = []
  const dangling = ({ problems: found }: ContractError) =>
    void problems.push(...found.map((problem) => ({ ...problem, rule: 'dangling-reference' })))
  const all = reachableSchemas(contract, dangling)
  const { endless, surplus } = endlessSchemas(all, contract)
  const seen = new Set<Dialect>()
  for (const located of all) {
    problems.push(...keywordFormProblems(located), ...patternProblems(located), ...overlapProblems(located))
    problems.push(...dialectProblems(located, contract, seen))
    if (surplus.has(located.pointer)) {
      const message =
        'leads back to the union that it is an alternative of, and adds no value: remove this alternative'
      problems.push({ pointer: located.pointer, message, rule: 'endless-reference' })
    } else if (endless.has(located.pointer)) {
      const message = 'refers to itself without a member or an item in between'
      problems.push({ pointer: located.pointer, message, rule: 'endless-reference' })
    }
  }
  return problems
}

function patternProblems({ schema, pointer }: LocatedSchema): readonly ContractProblem[] {
  if (!isObject(schema)) return []
  const patterns = [
    stringMember(schema, 'pattern'),
    ...schemaMap({ schema, pointer }, 'patternProperties').map(([pattern]) => pattern),
  ]
  return patterns.flatMap((pattern) => {
    if (pattern === undefined || isPattern(pattern)) return []
    const message = `${JSON.stringify(pattern)} is not a valid regular expression`
    return { pointer, message, rule: 'invalid-pattern' }
  })
}

/** Keywords that 2020-12 replaced or that refer dynamically, and what to write. Ignoring them would change the meaning. */
const notIn2020: Readonly<Record<string, string>> = {
  additionalItems: 'write the schema of further items as "items"',
  dependencies: 'use "dependentRequired" or "dependentSchemas"',
  $dynamicRef: 'use "$ref"',
  $recursiveRef: 'use "$ref"',
}

/**
 * Finds dialects other than draft-07 and 2020-12, and keywords without support.
 * @param seen the dialects that were reported
 */
function dialectProblems(
  located: LocatedSchema,
  contract: Contract,
  seen: Set<Dialect>,
): readonly ContractProblem[] {
  const { schema, pointer } = located
  if (!isObject(schema)) return []
  const dialect = dialectOf(schema)
  const problem = (keyword: string, message: string) => ({
    pointer: member(schema, keyword) === undefined ? pointer : joinPointer(pointer, keyword),
    message,
    rule: 'dialect',
  })
  const isContained = () => sameValue(contract, located).some((facet) => schemaMember(facet, 'contains'))
  // The dialects differ in whether an item that matches "contains" is evaluated (2020-12 core, section 11.2), and ajv
  // counts all items.
  const evaluated =
    member(schema, 'unevaluatedItems') !== undefined && isContained()
      ? [problem('unevaluatedItems', '"unevaluatedItems" is not supported beside "contains": use "items"')]
      : []
  if (dialect === undefined) return evaluated
  if (dialect.name === 'other') {
    if (seen.has(dialect)) return []
    seen.add(dialect)
    const message = `the dialect "${dialect.uri}" is not supported: use "http://json-schema.org/draft-07/schema#" or "https://json-schema.org/draft/2020-12/schema"`
    return [problem('$schema', message)]
  }
  const replaced = Object.entries(notIn2020).flatMap(([keyword, advice]) =>
    member(schema, keyword) === undefined
      ? []
      : [problem(keyword, `"${keyword}" is not supported in 2020-12: ${advice}`)],
  )
  const [items, prefix] = [member(schema, 'items'), member(schema, 'prefixItems')]
  return [
    ...replaced,
    ...(isArray(items)
      ? [problem('items', '"items" is one schema in 2020-12: write the list as "prefixItems"')]
      : []),
    ...(prefix === undefined || schemas[1](prefix)
      ? []
      : [problem('prefixItems', `"prefixItems" must be ${schemas[0]}`)]),
    ...evaluated,
  ]
}

/** Returns the schemas that apply to the same value. Another problem reports dangling references. */
function sameValue(contract: Contract, located: LocatedSchema): readonly LocatedSchema[] {
  try {
    return facets(contract, [located])
  } catch (error) {
    if (error instanceof ContractError) return [located]
    throw error
  }
}

/** Below the root of a file, `$id` changes the base of the references inside it. */
function overlapProblems({ schema, pointer }: LocatedSchema): readonly ContractProblem[] {
  if (!isObject(schema) || stringMember(schema, '$id') === undefined || pointerOf(pointer) === '#') return []
  const inner = subschemas({ schema, pointer }).some(holdsReference)
  const message = '"$id" changes the base of the references inside this schema: remove it'
  return inner ? [{ pointer, message, rule: 'ambiguous-id' }] : []
}

function holdsReference(located: LocatedSchema): boolean {
  return referenceOf(located.schema) !== undefined || subschemas(located).some(holdsReference)
}

/** The form of a keyword's value: its description for messages, and a check. */
type Form = readonly [words: string, isForm: (value: JsonValue) => boolean]

const types = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']

const isText = (value: JsonValue | undefined) => typeof value === 'string'
const isType = (value: JsonValue) => isText(value) && types.includes(String(value))
const isTexts = (value: JsonValue | undefined) => isArray(value) && value.every(isText)
const isMap = (isForm: (value: JsonValue | undefined) => boolean) => (value: JsonValue) =>
  isObject(value) && Object.values(value).every(isForm)

const schema: Form = ['a schema', isSchema]
const schemas: Form = [
  'a list of at least one schema',
  (value) => isArray(value) && value.length > 0 && value.every(isSchema),
]

/** A description and a check of each form of keyword values. */
const forms: Readonly<Record<KeywordForm, Form>> = {
  any: ['a value', () => true],
  text: ['a string', isText],
  number: ['a number', (value) => typeof value === 'number'],
  positive: ['a number greater than 0', (value) => typeof value === 'number' && value > 0],
  count: ['a non-negative integer', (value) => Number.isInteger(value) && Number(value) >= 0],
  flag: ['true or false', (value) => typeof value === 'boolean'],
  type: [
    `${types.map((type) => `"${type}"`).join(', ')}, or a list of these`,
    (value) => isType(value) || (isArray(value) && value.length > 0 && value.every(isType)),
  ],
  values: ['a list of values', isArray],
  names: ['a list of names', isTexts],
  schema,
  schemas,
  items: ['a schema or a list of schemas', (value) => schema[1](value) || schemas[1](value)],
  'named schemas': ['an object of schemas', isMap(isSchema)],
  'named names': ['an object of lists of names', isMap(isTexts)],
  dependencies: [
    'an object of schemas and lists of names',
    isMap((value) => isSchema(value) || isTexts(value)),
  ],
}

/**
 * Finds keywords with invalid values. The meta-schema finds them in the main document. In other files only
 * this check does.
 * @param located the schema to check
 * @returns one problem for each invalid keyword
 */
function keywordFormProblems({ schema: value, pointer }: LocatedSchema): readonly ContractProblem[] {
  if (!isObject(value)) return []
  return Object.keys(value).flatMap((keyword) => {
    const [words, isForm] = forms[keywordRows.get(keyword)?.form ?? 'any']
    if (isForm(member(value, keyword) ?? null)) return []
    const message = `"${keyword}" must be ${words}`
    return [{ pointer: joinPointer(pointer, keyword), message, rule: 'meta-schema' }]
  })
}
