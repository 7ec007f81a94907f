import { isArray, isObject, type JsonObject, type JsonValue, member } from '../json.js'
import { joinPointer } from '../json-pointer.js'

/** A JSON Schema (draft-07): an object of keywords, true (any value) or false (no value). */
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

/**
 * Keywords by the form of their value (draft-07 validation, section 6), including common keywords of the next
 * draft. `items` holds one schema or a list. `plain` keywords hold no schema.
 */
export const schemaKeywords = {
  one: [
    ...['additionalItems', 'additionalProperties', 'contains', 'propertyNames', 'if', 'then', 'else', 'not'],
    ...['unevaluatedItems', 'unevaluatedProperties'],
  ],
  list: ['allOf', 'anyOf', 'oneOf'],
  map: ['properties', 'patternProperties', 'definitions', '$defs', 'dependencies', 'dependentSchemas'],
  plain: [
    ...['title', 'description', 'type', 'enum', 'const', 'pattern', 'format', 'minLength', 'maxLength'],
    ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minItems', 'maxItems'],
    ...['uniqueItems', 'minProperties', 'maxProperties', 'required', 'dependentRequired'],
    ...['minContains', 'maxContains'],
  ],
} as const

/** Returns true for a value that can be a schema. */
export function isSchema(value: JsonValue | undefined): value is Schema {
  return typeof value === 'boolean' || isObject(value)
}

/** Returns a member that is a schema, or undefined if it is absent or something else. */
export function schemaMember({ schema, pointer }: LocatedSchema, name: string): LocatedSchema | undefined {
  const value = isObject(schema) ? member(schema, name) : undefined
  return isSchema(value) ? { pointer: joinPointer(pointer, name), schema: value } : undefined
}

/** Returns the schemas of a keyword that holds a list, such as `allOf`. */
export function schemaList({ schema, pointer }: LocatedSchema, name: string): readonly LocatedSchema[] {
  const value = isObject(schema) ? member(schema, name) : undefined
  if (!isArray(value)) return []
  return value.flatMap((item, at) =>
    isSchema(item) ? [{ pointer: joinPointer(pointer, name, at), schema: item }] : [],
  )
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
