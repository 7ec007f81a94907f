import {
  isAnnotation,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  type LocatedSchema,
  member,
  referenceOf,
  schemaList,
  schemaMember,
} from '../../contract/index.js'

/** Returns the keywords of a schema. The schemas `true` and `false` have none. */
export function keywordsOf({ schema }: LocatedSchema): JsonObject {
  return isObject(schema) ? schema : {}
}

/** Returns the value of a keyword. */
export function keyword(located: LocatedSchema, name: string): JsonValue | undefined {
  return member(keywordsOf(located), name)
}

/** Returns the keywords that decide the allowed values. */
function decidingKeywords(located: LocatedSchema): readonly string[] {
  return Object.keys(keywordsOf(located)).filter((name) => !isAnnotation(name))
}

/** Returns true for a reference without other deciding keywords. */
export function isPureReference(located: LocatedSchema): boolean {
  return referenceOf(located.schema) !== undefined && decidingKeywords(located).length === 1
}

/**
 * Returns the only schema of a list: `allOf`, `anyOf` and `oneOf` with one item are equivalent to the item.
 */
export function onlyItem(located: LocatedSchema): LocatedSchema | undefined {
  const [name = '', ...others] = decidingKeywords(located)
  if (others.length > 0 || !['allOf', 'anyOf', 'oneOf'].includes(name)) return undefined
  const [item, ...more] = schemaList(located, name)
  return more.length === 0 ? item : undefined
}

/** A schema that consists only of a union. */
export interface Union {
  readonly keyword: 'anyOf' | 'oneOf'
  readonly alternatives: readonly LocatedSchema[]
}

/** Returns the union that a schema consists of, or undefined for any other schema. */
export function unionOf(located: LocatedSchema): Union | undefined {
  const [name, ...others] = decidingKeywords(located)
  if (others.length > 0 || (name !== 'anyOf' && name !== 'oneOf')) return undefined
  return { keyword: name, alternatives: schemaList(located, name) }
}

/** A schema split into its own keywords and the schemas of `$ref` and `allOf`. */
export interface Conjunction {
  readonly own: LocatedSchema
  readonly others: readonly LocatedSchema[]
}

/**
 * Splits a schema. In draft-07 a reference hides its siblings, but authors mean both, and validators here
 * apply both.
 */
export function conjunctionOf(located: LocatedSchema): Conjunction {
  const { schema, pointer } = located
  if (!isObject(schema)) return { own: located, others: [] }
  const reference = referenceOf(schema)
  if (reference !== undefined && isPureReference(located)) {
    return { own: { pointer, schema: {} }, others: [located] }
  }
  const { $ref: _reference, allOf: _conditions, ...own } = schema
  const target =
    reference === undefined ? [] : [{ pointer: joinPointer(pointer, '$ref'), schema: { $ref: reference } }]
  return { own: { pointer, schema: own }, others: [...target, ...schemaList(located, 'allOf')] }
}

/** Returns the schema of a keyword. If the keyword is absent, returns `true` at its place. */
export function schemaOrAnything(located: LocatedSchema, name: string): LocatedSchema {
  return schemaMember(located, name) ?? { pointer: joinPointer(located.pointer, name), schema: true }
}
