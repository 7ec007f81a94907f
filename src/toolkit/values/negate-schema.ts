import {
  arrayMember,
  type Contract,
  followed,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type LocatedSchema,
  member,
  objectMember,
  schemaKeywords,
  schemaList,
  schemaMap,
  schemaMember,
  tupleKeywords,
} from '../contract/index.js'
import type { Constraints, KeywordSchema, TypeName } from './constraints.js'
import { matches, patternSample } from './texts/pattern-texts.js'

const { one, list, map, plain } = schemaKeywords
/** Keywords that only describe, or only modify another keyword. */
const describing = 'title description definitions $defs minContains maxContains then else'.split(' ')
const asserting = new Set(['$ref', 'items', ...one, ...list, ...map, ...plain])
for (const keyword of describing) asserting.delete(keyword)

/** Keywords of a schema that a value can violate. */
export function assertions(schema: JsonObject): readonly string[] {
  return Object.keys(schema).filter((keyword) => {
    if (!asserting.has(keyword) && keyword !== tupleKeywords(schema)?.first) return false
    const inner = keyword === 'properties' || keyword === 'patternProperties' ? schema[keyword] : undefined
    return !isObject(inner) || Object.values(inner).some((each) => each !== true)
  })
}

/** Complementary bound for each bound. */
const opposites: Readonly<Record<string, readonly [TypeName, (bound: number) => JsonObject]>> = {
  minimum: ['number', (bound) => ({ exclusiveMaximum: bound })],
  maximum: ['number', (bound) => ({ exclusiveMinimum: bound })],
  exclusiveMinimum: ['number', (bound) => ({ maximum: bound })],
  exclusiveMaximum: ['number', (bound) => ({ minimum: bound })],
  minLength: ['string', (bound) => ({ maxLength: bound - 1 })],
  maxLength: ['string', (bound) => ({ minLength: bound + 1 })],
  minItems: ['array', (bound) => ({ maxItems: bound - 1 })],
  maxItems: ['array', (bound) => ({ minItems: bound + 1 })],
  minProperties: ['object', (bound) => ({ maxProperties: bound - 1 })],
  maxProperties: ['object', (bound) => ({ minProperties: bound + 1 })],
}

/** Type to which a keyword applies, for keywords whose violation cannot be constructed directly. */
const typeOfKeyword: Readonly<Record<string, TypeName>> = {
  pattern: 'string',
  format: 'string',
  multipleOf: 'number',
}

/** Member names that rules on names may reject. */
const unusualNames = ['', 'noSuchName', 'NO', '0', 'a b', 'x'.repeat(100)]

/**
 * Lists the constraints of values that violate a keyword. They are necessary but not always sufficient, so
 * the caller checks the value.
 * @returns an empty list if no value violates it
 */
export function negate(located: KeywordSchema, keyword: string, contract: Contract): readonly Constraints[] {
  const { schema, pointer } = located
  const fits = (words: JsonObject, at: number | string = ''): Constraints => ({
    all: [{ pointer: `${pointer}~not ${keyword}${at}`, schema: words }],
    none: [],
  })
  const value = member(schema, keyword)
  const opposite = opposites[keyword]
  if (opposite && typeof value === 'number') return [fits({ type: opposite[0], ...opposite[1](value) })]
  const type = typeOfKeyword[keyword]
  if (type !== undefined) return [fits({ type })]
  const inner = schemaMember(located, keyword)
  switch (keyword) {
    case 'type':
      return [{ all: [], none: [{ pointer: `${pointer}~only type`, schema: { type: value ?? [] } }] }]
    case '$ref': {
      const target = followed(located, contract)
      return target ? [{ all: [], none: [target] }] : []
    }
    case 'allOf':
      return schemaList(located, keyword).map((each) => ({ all: [], none: [each] }))
    case 'anyOf':
      return [{ all: [], none: schemaList(located, keyword) }]
    case 'oneOf': {
      const forms = schemaList(located, keyword)
      const pairs = forms.flatMap((form, at) => forms.slice(at + 1).map((other) => [form, other]))
      return [{ all: [], none: forms }, ...pairs.map((all) => ({ all, none: [] }))]
    }
    case 'not':
      return inner ? [{ all: [inner], none: [] }] : []
    case 'if':
      return negateCondition(located)
    case 'required':
      return names(value).map((name, at) => fits(withMember(name, false, []), at))
    case 'uniqueItems':
      return value === true ? [fits({ type: 'array', minItems: 2 })] : []
    case 'contains':
      return [fits({ type: 'array', items: { not: value ?? true } })]
    case 'items':
    case 'additionalItems':
    case 'prefixItems':
    case 'unevaluatedItems':
      return negateItems(located, keyword).map(fits)
    case 'dependencies':
    case 'dependentRequired':
    case 'dependentSchemas':
      return negateDependencies(located, keyword, fits)
    case 'properties':
    case 'patternProperties':
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'propertyNames':
      return negateMembers(located, keyword).map(fits)
    default:
      return [{ all: [], none: [] }]
  }
}

function negateCondition(located: LocatedSchema): readonly Constraints[] {
  const [condition, met, unmet] = ['if', 'then', 'else'].map((keyword) => schemaMember(located, keyword))
  if (!condition) return []
  return [
    ...(met ? [{ all: [condition], none: [met] }] : []),
    ...(unmet ? [{ all: [], none: [condition, unmet] }] : []),
  ]
}

function negateItems({ schema }: KeywordSchema, keyword: string): readonly JsonObject[] {
  const value = member(schema, keyword)
  const tuple = tupleKeywords(schema)
  if (keyword === 'items' && tuple === undefined) {
    return [{ type: 'array', minItems: 1, contains: { not: value ?? true } }]
  }
  const first = tuple === undefined ? [] : arrayMember(schema, tuple.first)
  const broken =
    keyword === tuple?.first ? first.map((each, at) => [at, each] as const) : [[first.length, value] as const]
  return broken.map(([at, each]) => ({
    type: 'array',
    minItems: at + 1,
    items: [...Array.from({ length: at }, () => true), { not: each ?? true }],
  }))
}

function negateMembers(located: KeywordSchema, keyword: string): readonly JsonObject[] {
  const { schema } = located
  if (keyword === 'propertyNames') return unusualNames.map((name) => ({ type: 'object', required: [name] }))
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    const patterns = Object.keys(objectMember(schema, 'patternProperties'))
    const isKnown = (name: string) =>
      Object.hasOwn(objectMember(schema, 'properties'), name) ||
      patterns.some((pattern) => matches(pattern, name))
    const name = [...unusualNames, 'other', '~', 'é'].find((each) => each !== '' && !isKnown(each))
    return name === undefined ? [] : [withMember(name, { not: member(schema, keyword) ?? true })]
  }
  return schemaMap(located, keyword).flatMap(([key, inner]) => {
    const name = keyword === 'patternProperties' ? patternSample(key) : key
    return name === undefined ? [] : [withMember(name, { not: inner.schema })]
  })
}

function negateDependencies(
  located: KeywordSchema,
  keyword: string,
  fits: (words: JsonObject, at: string) => Constraints,
): readonly Constraints[] {
  const listed = Object.entries(objectMember(located.schema, keyword)).flatMap(([name, value]) =>
    names(value).map((other) => fits(withMember(other, false, [name]), `${name} ${other}`)),
  )
  const inner = schemaMap(located, keyword).map(([name, dependent]) => ({
    all: fits({ type: 'object', required: [name] }, name).all,
    none: [dependent],
  }))
  return [...listed, ...inner]
}

function withMember(name: string, schema: JsonValue, required: readonly string[] = [name]): JsonObject {
  return { type: 'object', required, properties: Object.fromEntries([[name, schema]]) }
}

function names(value: JsonValue | undefined): readonly string[] {
  return isArray(value) ? value.map(String) : []
}
