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
  patternsApart,
  schemaKeywords,
  tupleKeywords,
  usesUnevaluated,
} from '../../toolkit/contract/index.js'

/**
 * Collects the contract's schemas in one document, keyed by place. Every target of a reference gets its own
 * entry, even if it is inside another schema, an extension or an example.
 * @param others schemas outside of OpenRPC's own places, such as those in extensions
 */
export function schemaDocument(contract: Contract, others: readonly LocatedSchema[]): JsonObject {
  const document = rewritten(contract, others, false)
  return usesUnevaluated(document) ? rewritten(contract, others, true) : document
}

/** @param isTracking whether ajv records what keywords evaluate */
function rewritten(contract: Contract, others: readonly LocatedSchema[], isTracking: boolean): JsonObject {
  const schemas = new Map<string, JsonValue>()
  const waiting = [...declaredSchemas(contract), ...others]
  const reference = (target: LocatedSchema): string => {
    waiting.push(target)
    return schemaReference(target.pointer)
  }
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const key = schemaKey(next.pointer)
    if (!schemas.has(key)) schemas.set(key, plainSchema(next, contract, reference, isTracking))
  }
  return Object.fromEntries(schemas)
}

/**
 * Returns the member name of a place's schema. It is JSON text, because URIs cannot contain unpaired
 * surrogates.
 */
export function schemaKey(place: string): string {
  return JSON.stringify(place)
}

/** The `$id` of the document. References contain it, so that each schema can be compiled separately. */
export const documentId = 'document'

/** Returns the reference to the schema at a place. */
export function schemaReference(place: string): string {
  return `${documentId}#/${encodeURIComponent(schemaKey(place).replaceAll('~', '~0').replaceAll('/', '~1'))}`
}

/** Returns the place that a reference leads to. */
export function placeOfReference(reference: string): string {
  const fragment = reference.slice(documentId.length + '#/'.length)
  return JSON.parse(decodeURIComponent(fragment).replaceAll('~1', '/').replaceAll('~0', '~'))
}

/**
 * Rewrites keywords that ajv treats differently from JSON Schema: `$id` would change the base of references,
 * `nullable` requires a `type`, and a member can be named `__proto__`. Annotations are removed, because their
 * values can look like schemas.
 */
function plainSchema(
  located: LocatedSchema,
  contract: Contract,
  reference: (target: LocatedSchema) => string,
  isTracking: boolean,
): JsonValue {
  const plain = plainForm(located, contract, reference, isTracking)
  if (isObject(plain)) places.set(plain, located)
  return plain
}

/** The place in its contract of each rewritten schema. */
const places = new WeakMap<object, LocatedSchema>()

/** Returns the place in its contract of a keyword in a schema of {@link schemaDocument}. */
export function placeOfKeyword(rewritten: object, keyword: string): string | undefined {
  const { pointer, schema } = places.get(rewritten) ?? {}
  if (pointer === undefined) return undefined
  const tuple = isObject(schema) ? tupleKeywords(schema) : undefined
  return joinPointer(pointer, keyword === 'additionalItems' && tuple ? tuple.others : keyword)
}

function plainForm(
  located: LocatedSchema,
  contract: Contract,
  reference: (target: LocatedSchema) => string,
  isTracking: boolean,
): JsonValue {
  const { schema, pointer } = located
  if (!isObject(schema)) return schema
  const inner = (value: JsonValue, ...tokens: readonly (string | number)[]): JsonValue =>
    isObject(value)
      ? plainSchema(
          { schema: value, pointer: joinPointer(pointer, ...tokens) },
          contract,
          reference,
          isTracking,
        )
      : value
  const target = followed(located, contract)
  const whole = withContainsApart(
    withPlainNames({ ...eachKeyword(schema, inner), ...(target && { $ref: reference(target) }) }),
  )
  const plain = isTracking ? patternsApart(whole) : whole
  if (member(schema, 'nullable') !== true) return plain
  const type = member(plain, 'type')
  if (type === undefined || refusesWithoutType.some((keyword) => member(plain, keyword) !== undefined)) {
    return { anyOf: [{ type: 'null' }, plain] }
  }
  return { ...plain, type: withNull(type) }
}

/** Keywords that can reject null even without `type`. */
const refusesWithoutType = ['enum', 'const', '$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if']

function withNull(type: JsonValue): JsonValue {
  const types = isArray(type) ? type : [type]
  return types.includes('null') ? types : [...types, 'null']
}

/** Moves `contains` to a separate schema. ajv ignores it beside a tuple that the list does not fill. */
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

/** Returns the asserting keywords, with tuples as in draft-07. Nested schemas are rewritten by `inner`. */
function eachKeyword(
  schema: JsonObject,
  inner: (value: JsonValue, ...tokens: readonly (string | number)[]) => JsonValue,
): JsonObject {
  const tuple = tupleKeywords(schema)
  const entries = Object.entries(schema).flatMap(([keyword, value = null]): [string, JsonValue][] => {
    if (plainKeywords.has(keyword)) return [[keyword, value]]
    if (keyword === tuple?.first && isArray(value)) {
      return [['items', value.map((item, at) => inner(item, keyword, at))]]
    }
    if (keyword === tuple?.others) return [['additionalItems', inner(value, keyword)]]
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

/** Rewrites a property `__proto__` as a pattern, because ajv ignores the property. */
function withPlainNames(schema: JsonObject): JsonObject {
  const properties = member(schema, 'properties')
  const hidden = isObject(properties) ? member(properties, '__proto__') : undefined
  if (hidden === undefined) return schema
  const patterns = member(schema, 'patternProperties')
  return { ...schema, patternProperties: { ...(isObject(patterns) ? patterns : {}), '^__proto__$': hidden } }
}
