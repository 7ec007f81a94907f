import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type LocatedSchema,
  member,
  schemaMap,
  schemaMember,
} from '../contract/index.js'

/** The types that the schema names, or the one that its keywords speak of; undefined where it leaves the type open. */
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
 * True where an object's type tells of members that are not declared. Where those may be anything, an interface with
 * some says enough.
 * @param isOpen says of a schema whether its type is that of any value
 */
export function tellsOfOthers(
  located: LocatedSchema,
  hasMembers: boolean,
  isOpen: (schema: LocatedSchema) => boolean,
): boolean {
  const patterns = schemaMap(located, 'patternProperties').map(([, schema]) => schema)
  const additional = schemaMember(located, 'additionalProperties')
  if (patterns.length === 0 && (!additional || typeof additional.schema === 'boolean')) return false
  return !hasMembers || !(additional === undefined || [additional, ...patterns].some(isOpen))
}

/** True where a schema says of itself no more than one type, which what it is composed of says better. */
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

/** The values of `const` or `enum` that the schema's types allow; undefined where neither is there. */
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

/** The strings of a list. */
export function stringList(value: JsonValue | undefined): readonly string[] {
  return isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}
