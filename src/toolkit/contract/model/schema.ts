import { isArray, isObject, type JsonObject, type JsonValue, member } from '../json.js'
import { joinPointer } from '../json-pointer.js'
import { tupleKeywords } from './dialect.js'
import { isAnnotation, schemaKeywords } from './schema-keywords.js'

/** A JSON Schema (draft-07 or 2020-12): an object of keywords, true (any value) or false (no value). */
export type Schema = JsonObject | boolean

/** A schema and its place. */
export interface LocatedSchema {
  readonly pointer: string
  readonly schema: Schema
}

/** A schema inside another schema: the keyword that holds it, and the key if the keyword holds a map. */
export interface Subschema extends LocatedSchema {
  readonly keyword: string
  readonly key?: string
}

/** Returns true for a schema that accepts every value. */
export function takesAnything({ schema }: LocatedSchema): boolean {
  return schema === true || (isObject(schema) && Object.keys(schema).every(isAnnotation))
}

/** Returns true for a value that can be a schema. */
export function isSchema(value: JsonValue | undefined): value is Schema {
  return typeof value === 'boolean' || isObject(value)
}

/**
 * Returns a member that is a schema, or undefined if it is absent or something else. The names are those of draft-07:
 * `additionalItems` is the schema of the items after a tuple.
 */
export function schemaMember({ schema, pointer }: LocatedSchema, name: string): LocatedSchema | undefined {
  if (!isObject(schema)) return undefined
  const keyword = keywordFor(schema, name)
  const value = member(schema, keyword)
  return isSchema(value) ? { pointer: joinPointer(pointer, keyword), schema: value } : undefined
}

/**
 * Returns the schemas of a keyword that holds a list, such as `allOf`. The names are those of draft-07: `items` are the
 * schemas of a tuple.
 */
export function schemaList({ schema, pointer }: LocatedSchema, name: string): readonly LocatedSchema[] {
  if (!isObject(schema)) return []
  const keyword = keywordFor(schema, name)
  const value = member(schema, keyword)
  if (!isArray(value)) return []
  return value.flatMap((item, at) =>
    isSchema(item) ? [{ pointer: joinPointer(pointer, keyword, at), schema: item }] : [],
  )
}

/** Returns the keyword that a schema has for one of draft-07. */
function keywordFor(schema: JsonObject, name: string): string {
  if (name !== 'items' && name !== 'additionalItems') return name
  const tuple = tupleKeywords(schema)
  if (name === 'items') return tuple?.first ?? 'items'
  return tuple?.others ?? name
}

/** Returns the schemas of a keyword that holds a map, such as `properties`, in the document's order. */
export function schemaMap(
  located: LocatedSchema,
  name: string,
): readonly (readonly [string, LocatedSchema])[] {
  const value = isObject(located.schema) ? member(located.schema, name) : undefined
  if (!isObject(value)) return []
  const pointer = joinPointer(located.pointer, name)
  return Object.entries(value).flatMap(([key, item]) =>
    isSchema(item) ? [[key, { pointer: joinPointer(pointer, key), schema: item }] as const] : [],
  )
}

/** Lists the schemas directly inside a schema, without following references. */
export function subschemas(located: LocatedSchema): readonly Subschema[] {
  return [
    ...['items', ...schemaKeywords.one].flatMap((keyword) => {
      const found = schemaMember(located, keyword)
      return found ? [{ ...found, keyword }] : []
    }),
    ...['items', ...schemaKeywords.list].flatMap((keyword) =>
      schemaList(located, keyword).map((found) => ({ ...found, keyword })),
    ),
    ...schemaKeywords.map.flatMap((keyword) =>
      schemaMap(located, keyword).map(([key, found]) => ({ ...found, keyword, key })),
    ),
  ]
}

/** Returns the text of a schema's `$ref`, or undefined if it has none. */
export function referenceOf(schema: Schema): string | undefined {
  const reference = isObject(schema) ? member(schema, '$ref') : undefined
  return typeof reference === 'string' ? reference : undefined
}
