import { isArray, isObject, type JsonObject, type JsonValue, member, stringMember } from '../json.js'

/** A dialect of JSON Schema, as `$schema` names it (JSON Schema 2020-12 core, section 8.1.1). */
export interface Dialect {
  readonly name: 'draft-07' | '2020-12' | 'other'
  readonly uri: string
}

const names: Readonly<Record<string, Dialect['name']>> = {
  'http://json-schema.org/draft-07/schema': 'draft-07',
  'https://json-schema.org/draft-07/schema': 'draft-07',
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
  'https://meta.json-schema.tools': 'draft-07',
}

/** The dialects of the objects and lists of documents, where it is not draft-07. */
const dialects = new WeakMap<object, Dialect>()

/**
 * Records the dialect of the schemas in a file: that of the nearest `$schema` around them. Without one it is draft-07
 * (OpenRPC 1.3, schema object). The `$schema` of an OpenRPC document is about the document.
 */
export function recordDialects(file: JsonValue): void {
  const isDocument = isObject(file) && member(file, 'openrpc') !== undefined
  if (isDocument) for (const inner of Object.values(file)) record(inner ?? null, undefined)
  else record(file, undefined)
}

function record(value: JsonValue, outer: Dialect | undefined): void {
  if (typeof value !== 'object' || value === null) return
  const dialect = isObject(value) ? (statedBy(value) ?? outer) : outer
  if (dialect !== undefined && dialect.name !== 'draft-07') dialects.set(value, dialect)
  for (const inner of Object.values(value)) record(inner ?? null, dialect)
}

function statedBy(schema: JsonObject): Dialect | undefined {
  const uri = stringMember(schema, '$schema')
  return uri === undefined ? undefined : { name: names[uri.replace(/[#/]+$/, '')] ?? 'other', uri }
}

/** Returns the dialect of a schema as a document has it; undefined for draft-07. */
export function dialectOf(schema: object): Dialect | undefined {
  return dialects.get(schema)
}

/**
 * Returns the keywords of a schema for the first items of a list and for all others. Draft-07 has a list in `items` and
 * `additionalItems` (validation, section 6.4), 2020-12 has `prefixItems` and `items` (core, section 10.3.1). It works for
 * copies of a schema, too, because the list tells the dialect.
 */
export function tupleKeywords(
  schema: JsonObject,
): { readonly first: string; readonly others: string } | undefined {
  const prefix = member(schema, 'prefixItems')
  if (isArray(prefix) && dialects.get(prefix)?.name === '2020-12')
    return { first: 'prefixItems', others: 'items' }
  return isArray(member(schema, 'items')) ? { first: 'items', others: 'additionalItems' } : undefined
}
