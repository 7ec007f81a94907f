// Keywords for any type of value: `type`, `enum` and `const` (JSON Schema validation, section 6.1 of draft-07 and 2020-12).

import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  tupleKeywords,
} from '../../../contract/index.js'
import type { Keyword } from '../note-text.js'

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

/** Returns the values of `const` or `enum` that `type` allows; undefined without either keyword. */
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

/** Returns sentences about `type` that TypeScript cannot express. */
export function typeNotes(value: Keyword): readonly string[] {
  const types = value('type')
  const isInteger = types === 'integer' || (isArray(types) && types.includes('integer'))
  const isListed = value('enum') !== undefined || value('const') !== undefined
  return [isInteger && !isListed ? 'A whole number.' : '']
}
