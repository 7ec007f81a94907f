import { isObject, type JsonObject, type JsonValue, member } from '../../json.js'
import { joinPointer } from '../../json-pointer.js'
import { type LocatedSchema, referenceOf, schemaList, schemaMember } from '../../model/schema.js'

/** Keywords that describe and do not decide, and those that only hold schemas for references. */
const describing: ReadonlySet<string> = new Set([
  ...['title', 'description', 'examples', 'default', 'readOnly', 'writeOnly', 'deprecated'],
  ...['$comment', '$id', '$schema', 'definitions', '$defs'],
])

/** True for a keyword that leaves a schema's values as they are. */
export function isDescribing(keyword: string): boolean {
  return describing.has(keyword) || keyword.startsWith('x-')
}

/** A schema's keywords; the schemas `true` and `false` have none. */
export function keywordsOf({ schema }: LocatedSchema): JsonObject {
  return isObject(schema) ? schema : {}
}

/** The value of one keyword. */
export function keyword(located: LocatedSchema, name: string): JsonValue | undefined {
  return member(keywordsOf(located), name)
}

/** The keywords that decide which values a schema takes. */
function decidingKeywords(located: LocatedSchema): readonly string[] {
  return Object.keys(keywordsOf(located)).filter((name) => !isDescribing(name))
}

/** True for a schema that takes every value. */
export function takesAnything(located: LocatedSchema): boolean {
  return located.schema !== false && decidingKeywords(located).length === 0
}

/** True for a reference with nothing beside it that decides. */
export function isPureReference(located: LocatedSchema): boolean {
  return referenceOf(located.schema) !== undefined && decidingKeywords(located).length === 1
}

/** The one schema of a list of one: `allOf`, `anyOf` and `oneOf` with one item mean the item. */
export function onlyItem(located: LocatedSchema): LocatedSchema | undefined {
  const [name = '', ...others] = decidingKeywords(located)
  if (others.length > 0 || !['allOf', 'anyOf', 'oneOf'].includes(name)) return undefined
  const [item, ...more] = schemaList(located, name)
  return more.length === 0 ? item : undefined
}

/** A union and nothing beside it. */
export interface Union {
  readonly keyword: 'anyOf' | 'oneOf'
  readonly alternatives: readonly LocatedSchema[]
}

/** The union that a schema is; undefined where it is something else or more. */
export function unionOf(located: LocatedSchema): Union | undefined {
  const [name, ...others] = decidingKeywords(located)
  if (others.length > 0 || (name !== 'anyOf' && name !== 'oneOf')) return undefined
  return { keyword: name, alternatives: schemaList(located, name) }
}

/** A schema as the conditions of its own and the schemas that hold beside them: `$ref` and `allOf`. */
export interface Conjunction {
  readonly own: LocatedSchema
  readonly others: readonly LocatedSchema[]
}

/** Draft-07 lets a reference hide what stands beside it; documents mean both, and so do the validators here. */
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

/** A schema under a keyword; where the keyword is absent everything is taken, and the place is where it would stand. */
export function schemaOrAnything(located: LocatedSchema, name: string): LocatedSchema {
  return schemaMember(located, name) ?? { pointer: joinPointer(located.pointer, name), schema: true }
}
