import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type LocatedSchema,
  member,
  schemaMap,
  schemaMember,
  tupleKeywords,
} from '../../contract/index.js'
import { fixedPrefix, prefixedType } from './pattern-type.js'

/**
 * Returns the types that a schema names or that its keywords imply, or undefined if it leaves the type open.
 */
export function typesOf(schema: JsonObject): readonly string[] | undefined {
  const type = member(schema, 'type')
  if (typeof type === 'string') return [type]
  if (isArray(type)) return stringList(type)
  const speaksOf = (...keywords: string[]) =>
    keywords.some((keyword) => member(schema, keyword) !== undefined)
  if (speaksOf('properties', 'required', 'additionalProperties', 'patternProperties')) return ['object']
  return speaksOf('items') || tupleKeywords(schema) ? ['array'] : undefined
}

/** An index signature of an object type: the members whose names it covers, and the schemas that one of them may have. */
export interface IndexSignature {
  /** The type of the names: `string`, or a template such as `x-${string}`. */
  readonly key: string
  readonly covers: (name: string) => boolean
  readonly schemas: readonly LocatedSchema[]
  /** True if a member may have any type. */
  readonly isOpen: boolean
}

/**
 * Returns the index signatures of an object type (JSON Schema draft-07 validation, sections 6.5.5 and 6.5.6). A pattern
 * that fixes how a name begins gives a signature of its own. An interface with declared members needs none for additional
 * members that can have any type.
 * @param declared names of the declared members
 * @param isOpen returns true if the type of a schema is that of any value
 */
export function indexSignatures(
  located: LocatedSchema,
  declared: readonly string[],
  isOpen: (schema: LocatedSchema) => boolean,
): readonly IndexSignature[] {
  const patterns = schemaMap(located, 'patternProperties')
  const additional = schemaMember(located, 'additionalProperties')
  const prefixed = prefixSignatures(patterns, declared, additional?.schema, isOpen)
  if (prefixed !== undefined) return prefixed
  const schemas = patterns.map(([, schema]) => schema)
  if (schemas.length === 0 && (!additional || typeof additional.schema === 'boolean')) return []
  if (declared.length > 0 && (additional === undefined || [additional, ...schemas].some(isOpen))) return []
  const all = additional === undefined ? schemas : [...schemas, additional]
  return [{ key: 'string', covers: () => true, schemas: all, isOpen: additional === undefined }]
}

/**
 * Returns a signature for each beginning of a name, or undefined where one signature for all names is needed: for a
 * pattern without such a beginning, and where names of other members can begin in the same way.
 */
function prefixSignatures(
  patterns: readonly (readonly [string, LocatedSchema])[],
  declared: readonly string[],
  additional: LocatedSchema['schema'] | undefined,
  isOpen: (schema: LocatedSchema) => boolean,
): readonly IndexSignature[] | undefined {
  const isClosed = additional === false
  const mayBeAny = declared.length > 0 && (additional === undefined || additional === true)
  if (patterns.length === 0 || !(isClosed || mayBeAny)) return undefined
  const byPrefix = new Map<string, LocatedSchema[]>()
  for (const [pattern, schema] of patterns) {
    const { prefix, rest } = fixedPrefix(pattern)
    if (prefix === '' || rest === '$' || !(isClosed || rest === '' || rest === '.*')) return undefined
    byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), schema])
  }
  const prefixes = [...byPrefix.keys()]
  if (prefixes.some((one) => prefixes.some((other) => other !== one && other.startsWith(one))))
    return undefined
  const signatures = [...byPrefix].map(([prefix, schemas]) => ({
    key: prefixedType(prefix),
    covers: (name: string) => name.startsWith(prefix),
    schemas,
    isOpen: false,
  }))
  // The type of any JSON value has no place for members with types of their own.
  return signatures.filter(({ covers, schemas }) => !(declared.some(covers) && schemas.some(isOpen)))
}

/** Returns true if a schema only states a type, which its composition states more precisely. */
export function isBare(schema: JsonObject): boolean {
  const detail = [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'items',
    'enum',
    'const',
  ]
  if (isArray(member(schema, 'type')) || tupleKeywords(schema)) return false
  return detail.every((keyword) => member(schema, keyword) === undefined)
}

/** Returns the values of `const` or `enum` that the schema's types allow, or undefined if it has neither. */
export function literals(
  schema: JsonObject,
  types: readonly string[] | undefined,
): readonly JsonValue[] | undefined {
  const constant = member(schema, 'const')
  const listed = member(schema, 'enum')
  const values = constant !== undefined ? [constant] : isArray(listed) ? listed : undefined
  if (!values || member(schema, 'type') === undefined) return values
  return values.filter((value) => types?.some((type) => isOfType(value, type)))
}

function isOfType(value: JsonValue, type: string): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return isArray(value)
  if (type === 'object') return isObject(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

/** Returns the strings in a list. */
export function stringList(value: JsonValue | undefined): readonly string[] {
  return isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}
