// Keywords for any type of value: `type`, `enum` and `const` (JSON Schema validation, section 6.1 of draft-07 and 2020-12).

import {
  type Contract,
  coveredTypes,
  declaredTypes,
  impliedType,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type LocatedSchema,
  member,
  type TypeAtom,
} from '../../../contract/index.js'
import type { Keyword } from '../note-text.js'

/**
 * Returns the types that a schema names or that its keywords imply, or undefined if it leaves the type open.
 */
export function typesOf(schema: JsonObject): readonly string[] | undefined {
  const type = member(schema, 'type')
  if (typeof type === 'string') return [type]
  if (isArray(type)) return stringList(type)
  const implied = impliedType(schema)
  return implied && [implied]
}

/** Returns true if a schema has only types and compositions, and no keywords for values, members or items. */
export function statesTypesOnly(schema: JsonObject): boolean {
  const isListed = member(schema, 'enum') !== undefined || member(schema, 'const') !== undefined
  return !isListed && impliedType(schema) === undefined
}

/**
 * Returns the types that the `type` of a schema excludes, although its reference or composition covers them. Integers
 * and fractions have one type in TypeScript.
 */
export function refusedTypes(contract: Contract, { pointer, schema }: LocatedSchema): ReadonlySet<TypeAtom> {
  if (!isObject(schema) || member(schema, 'type') === undefined) return new Set()
  const composed = Object.entries(schema).filter(([keyword]) => compositions.has(keyword))
  if (composed.length === 0) return new Set()
  const own = declaredTypes(member(schema, 'type'))
  const isRefused = (atom: TypeAtom) => !own.has(atom) && !(atom === 'fraction' && own.has('integer'))
  const covered = coveredTypes(contract, { pointer, schema: Object.fromEntries(composed) })
  const refused = [...covered].filter(isRefused)
  // In TypeScript, lists are objects.
  return new Set([
    ...refused,
    ...(refused.includes('object') && isRefused('array') ? (['array'] as const) : []),
  ])
}

const compositions: ReadonlySet<string> = new Set(['$ref', 'allOf', 'anyOf', 'oneOf'])

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
