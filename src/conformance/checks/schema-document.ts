import {
  type Contract,
  declaredSchemas,
  followed,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  type LocatedSchema,
  member,
  schemaKeywords,
} from '../../contract/index.js'

/**
 * The contract's schemas in one document, each under its place. Schemas that others refer to have places of their own
 * there, wherever they stand in the contract: inside another schema, an extension or an example.
 * @param others schemas that stand where OpenRPC has none, such as in extensions
 */
export function schemaDocument(contract: Contract, others: readonly LocatedSchema[]): JsonObject {
  const schemas = new Map<string, JsonValue>()
  const waiting = [...declaredSchemas(contract), ...others]
  const reference = (target: LocatedSchema): string => {
    waiting.push(target)
    return schemaReference(target.pointer)
  }
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const key = schemaKey(next.pointer)
    if (!schemas.has(key)) schemas.set(key, plainSchema(next, contract, reference))
  }
  return Object.fromEntries(schemas)
}

/** The member of the document that holds the schema of a place; JSON text, because a URI has no half surrogate pairs. */
export function schemaKey(place: string): string {
  return JSON.stringify(place)
}

/** The document's name, which references have: so each schema in it can be compiled by itself. */
export const documentId = 'document'

/** The reference to the schema of a place. */
export function schemaReference(place: string): string {
  return `${documentId}#/${encodeURIComponent(schemaKey(place).replaceAll('~', '~0').replaceAll('/', '~1'))}`
}

/** The place of the schema that a reference leads to. */
export function placeOfReference(reference: string): string {
  const fragment = reference.slice(documentId.length + '#/'.length)
  return JSON.parse(decodeURIComponent(fragment).replaceAll('~1', '/').replaceAll('~0', '~'))
}

/**
 * A schema in which nothing means something else to ajv than in JSON Schema: an `$id` would move the references
 * beneath it, `nullable` needs no `type`, and a member may be called `__proto__`. Words that assert nothing are left
 * out, with whatever looks like a schema in them.
 */
function plainSchema(
  located: LocatedSchema,
  contract: Contract,
  reference: (target: LocatedSchema) => string,
): JsonValue {
  const { schema, pointer } = located
  if (!isObject(schema)) return schema
  const inner = (value: JsonValue, ...tokens: readonly (string | number)[]): JsonValue =>
    isObject(value)
      ? plainSchema({ schema: value, pointer: joinPointer(pointer, ...tokens) }, contract, reference)
      : value
  const target = followed(located, contract)
  const plain = withContainsApart(
    withPlainNames({ ...eachKeyword(schema, inner), ...(target && { $ref: reference(target) }) }),
  )
  if (member(schema, 'nullable') !== true) return plain
  const type = member(plain, 'type')
  if (type === undefined || refusesWithoutType.some((keyword) => member(plain, keyword) !== undefined)) {
    return { anyOf: [{ type: 'null' }, plain] }
  }
  return { ...plain, type: withNull(type) }
}

/** Keywords that say of null, too, whether it is taken. */
const refusesWithoutType = ['enum', 'const', '$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if']

function withNull(type: JsonValue): JsonValue {
  const types = isArray(type) ? type : [type]
  return types.includes('null') ? types : [...types, 'null']
}

/** ajv passes over `contains` beside a tuple that a short list does not fill; in a schema of its own it is heard. */
function withContainsApart(schema: JsonObject): JsonObject {
  const { contains, minContains, maxContains, items, allOf } = schema
  if (contains === undefined || !isArray(items)) return schema
  const apart = Object.entries({ contains, minContains, maxContains }).filter(
    ([, value]) => value !== undefined,
  )
  return { ...schema, allOf: [...(isArray(allOf) ? allOf : []), Object.fromEntries(apart)] }
}

const plainKeywords: ReadonlySet<string> = new Set(schemaKeywords.plain)
const mapKeywords: ReadonlySet<string> = new Set(schemaKeywords.map)
const holderKeywords: ReadonlySet<string> = new Set(['items', ...schemaKeywords.one, ...schemaKeywords.list])

/** The keywords that assert something; those that hold schemas, with each of these as `inner` makes it. */
function eachKeyword(
  schema: JsonObject,
  inner: (value: JsonValue, ...tokens: readonly (string | number)[]) => JsonValue,
): JsonObject {
  const entries = Object.entries(schema).flatMap(([keyword, value = null]): [string, JsonValue][] => {
    if (plainKeywords.has(keyword)) return [[keyword, value]]
    if (mapKeywords.has(keyword) && isObject(value)) {
      const named = Object.entries(value).map(([name, one]) => [name, inner(one ?? null, keyword, name)])
      return [[keyword, Object.fromEntries(named)]]
    }
    if (!holderKeywords.has(keyword)) return []
    return [
      [keyword, isArray(value) ? value.map((item, at) => inner(item, keyword, at)) : inner(value, keyword)],
    ]
  })
  return Object.fromEntries(entries)
}

/** ajv passes over a property called `__proto__`; a pattern for the same name is heard. */
function withPlainNames(schema: JsonObject): JsonObject {
  const properties = member(schema, 'properties')
  const hidden = isObject(properties) ? member(properties, '__proto__') : undefined
  if (hidden === undefined) return schema
  const patterns = member(schema, 'patternProperties')
  return { ...schema, patternProperties: { ...(isObject(patterns) ? patterns : {}), '^__proto__$': hidden } }
}
