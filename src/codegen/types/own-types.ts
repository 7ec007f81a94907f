import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type LocatedSchema,
  member,
  schemaMap,
  schemaMember,
} from '../../contract/index.js'

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
  return speaksOf('items') ? ['array'] : undefined
}

/**
 * Returns true if an object type needs an index signature for undeclared members. An interface with declared
 * members needs none if additional members can have any type.
 * @param isOpen returns true if the type of a schema is that of any value
 */
export function needsIndexSignature(
  located: LocatedSchema,
  hasMembers: boolean,
  isOpen: (schema: LocatedSchema) => boolean,
): boolean {
  const patterns = schemaMap(located, 'patternProperties').map(([, schema]) => schema)
  const additional = schemaMember(located, 'additionalProperties')
  if (patterns.length === 0 && (!additional || typeof additional.schema === 'boolean')) return false
  return !hasMembers || !(additional === undefined || [additional, ...patterns].some(isOpen))
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
  return !isArray(member(schema, 'type')) && detail.every((keyword) => member(schema, keyword) === undefined)
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
