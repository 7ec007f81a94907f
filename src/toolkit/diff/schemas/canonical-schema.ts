import {
  canonicalText,
  isAnnotation,
  isArray,
  isObject,
  type JsonValue,
  type LocatedSchema,
  referenceOf,
  schemaKeywords,
  tupleKeywords,
} from '../../contract/index.js'
import type { SchemaSource } from './schema-source.js'

const listKeywords: ReadonlySet<string> = new Set(schemaKeywords.list)
const mapKeywords: ReadonlySet<string> = new Set(schemaKeywords.map)
const schemaHolders: ReadonlySet<string> = new Set([...schemaKeywords.one, 'items'])
const sets: ReadonlySet<string> = new Set(['required', 'enum', 'type'])

/**
 * Returns a canonical text of the keywords that restrict a schema's values, without descriptions, with sorted sets and
 * named references. It is used to match alternatives; classes of schemas decide which schemas are equal.
 */
export function canonicalSchema({ schema, pointer }: LocatedSchema, source: SchemaSource): string {
  const simplify = (value: JsonValue): JsonValue => {
    if (isArray(value)) return value.map(simplify)
    if (!isObject(value)) return value === true ? {} : value
    const reference = referenceOf(value)
    const target = reference && source.target({ pointer, schema: { $ref: reference } })
    const tuple = tupleKeywords(value)
    const draft07 = (name: string) =>
      name === tuple?.first ? 'items' : name === tuple?.others ? 'additionalItems' : name
    const renamed = Object.entries(value).map(([name, item]) => [draft07(name), item] as const)
    const kept = renamed.filter(([name, item]) => item !== undefined && !isAnnotation(name))
    const members = kept.map(([name, item]) => [
      name,
      name === '$ref' && target
        ? source.named(target.pointer)
        : simplifyKeyword(name, item ?? null, simplify),
    ])
    return Object.fromEntries(members)
  }
  return canonicalText(simplify(schema))
}

function simplifyKeyword(
  name: string,
  value: JsonValue,
  simplify: (schema: JsonValue) => JsonValue,
): JsonValue {
  if (sets.has(name) && isArray(value)) return sorted(value)
  if (listKeywords.has(name) && isArray(value)) return sorted(value.map(simplify))
  if (schemaHolders.has(name)) return simplify(value)
  if (!mapKeywords.has(name) || !isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, simplify(item ?? null)]))
}

/** Sorts values by their canonical texts. */
function sorted(values: readonly JsonValue[]): readonly JsonValue[] {
  const texts = values.map((value) => ({ value, text: canonicalText(value) }))
  return texts.sort((a, b) => (a.text < b.text ? -1 : 1)).map(({ value }) => value)
}
