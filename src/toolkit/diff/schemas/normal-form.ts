import { canonicalText, isArray, isObject, type JsonObject, type JsonValue } from '../../contract/index.js'
import { typeOfValue } from './type-set.js'

/** Keywords that say something about a value beside its own type and parts. */
const composing = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else']

/** Keywords whose meaning depends on others of the same schema, so that they cannot be moved to another one. */
const bound = [
  ...composing,
  'additionalProperties',
  'unevaluatedProperties',
  'additionalItems',
  'unevaluatedItems',
]

/**
 * Returns the normal form of a schema whose parts are in normal form: schemas that say the same in different words have
 * the same form. It knows `nullable` and lists of types, `const` and `enum`, `integer` and `multipleOf`, tuples, values
 * and types in several alternatives, and parts of `allOf` that one schema can state.
 * @param schema its keywords that decide values
 */
export function normalForm(schema: JsonObject): JsonObject {
  return alternativesAsOne(withoutParts(ownForm(withNull(withoutRepeatedItems(schema)))))
}

/** Writes `nullable` as a type. */
function withNull(schema: JsonObject): JsonObject {
  const { nullable, ...rest } = schema
  if (nullable !== true) return rest
  const { type, enum: _enum, const: _constant, ...others } = rest
  if (type === undefined || composing.some((name) => name in others))
    return { anyOf: sorted([nothingElse, ownForm(rest)]) }
  const values = valuesOf(rest)
  return {
    ...others,
    type: [...[type].flat(), 'null'] as readonly JsonValue[],
    ...(values && { enum: [...values, null] }),
  }
}

/** The schema of null alone. */
const nothingElse: JsonObject = { enum: [null] }

/** Writes the keywords of one schema in one way. */
function ownForm(schema: JsonObject): JsonObject {
  const { type, multipleOf, const: _constant, enum: _enum, ...rest } = schema
  const types = type === undefined ? undefined : [type].flat()
  const listed = valuesOf(schema)
  if (listed !== undefined) {
    const kept = types ? listed.filter((value) => types.some((one) => isOfType(value, one))) : listed
    return { ...rest, ...(multipleOf !== undefined && { multipleOf }), enum: sorted(kept) }
  }
  if (types?.length === 1 && types[0] === 'null') return { ...rest, ...nothingElse }
  const isWhole = multipleOf === 1 && types !== undefined
  const named = isWhole ? types.map((one) => (one === 'number' ? 'integer' : one)) : types
  return {
    ...rest,
    ...(multipleOf !== undefined && !isWhole && { multipleOf }),
    ...(named && { type: sorted([...new Set(named)]) }),
  }
}

/** The values of `enum` and `const`; undefined if the schema has neither. */
function valuesOf({ const: constant, enum: listed }: JsonObject): readonly JsonValue[] | undefined {
  if (constant === undefined) return isArray(listed) ? listed : undefined
  const text = canonicalText(constant)
  return isArray(listed) ? listed.filter((value) => canonicalText(value) === text) : [constant]
}

/** A value of `enum` that `type` allows. */
function isOfType(value: JsonValue, type: JsonValue): boolean {
  const own = typeOfValue(value)
  return own === type || (type === 'number' && (own === 'integer' || own === 'fraction'))
}

/** Joins the parts of `allOf` and the keywords beside it. */
function withoutParts(schema: JsonObject): JsonObject {
  const { allOf, ...own } = schema
  if (!isArray(allOf) || !allOf.every(isObject)) return schema
  const [first, ...others] = [own, ...allOf]
  let joined: JsonObject | undefined = first
  for (const other of others) joined = joined && joinedWith(joined, other)
  return joined ?? schema
}

/** Returns one schema for two that both hold, or undefined if there is none. */
function joinedWith(one: JsonObject, other: JsonObject): JsonObject | undefined {
  if ([one, other].some((schema) => bound.some((name) => name in schema))) return undefined
  const joined: Record<string, JsonValue | undefined> = { ...one }
  for (const [name, value] of Object.entries(other)) {
    const before = one[name]
    if (before === undefined || canonicalText(before) === canonicalText(value ?? null)) joined[name] = value
    else if (name === 'required' && isArray(before) && isArray(value))
      joined[name] = sorted([...new Set([...before, ...value])])
    else if (name === 'properties' && isObject(before) && isObject(value)) {
      const isTwice = (key: string) =>
        key in before && canonicalText(before[key] ?? null) !== canonicalText(value[key] ?? null)
      if (Object.keys(value).some(isTwice)) return undefined
      joined[name] = { ...before, ...value }
    } else return undefined
  }
  return joined as JsonObject
}

/** The keywords that concern values of one type only. Integers are numbers. */
const ofType: Readonly<Record<string, readonly string[]>> = {
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  string: ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType'],
  array: ['items', 'additionalItems', 'contains', 'minItems', 'maxItems', 'uniqueItems'],
  object: [
    ...['properties', 'patternProperties', 'additionalProperties', 'propertyNames', 'required'],
    ...['minProperties', 'maxProperties', 'dependencies'],
  ],
}

/** Joins alternatives that list values, and alternatives of different types. */
function alternativesAsOne(schema: JsonObject): JsonObject {
  const [name = '', ...more] = Object.keys(schema)
  const alternatives = schema[name]
  if (more.length > 0 || !['anyOf', 'oneOf'].includes(name)) return schema
  if (!isArray(alternatives) || !alternatives.every(isObject)) return schema
  const lists = alternatives.map((one) => (Object.keys(one).join() === 'enum' ? one['enum'] : undefined))
  if (lists.every(isArray)) {
    const values = lists.flat()
    const unique = [...new Map(values.map((value) => [canonicalText(value), value])).values()]
    return unique.length < values.length && name === 'oneOf' ? schema : { enum: sorted(unique) }
  }
  const types = alternatives.map(onlyTypes)
  const all = types.flatMap((some) => [
    ...new Set(some?.map((type) => (type === 'integer' ? 'number' : type))),
  ])
  if (types.includes(undefined) || new Set(all).size < all.length) return schema
  const { enum: _null, ...joined } = Object.assign({}, ...alternatives) as JsonObject
  return { ...joined, type: sorted(types.flatMap((some) => some ?? [])) }
}

/** The types of a schema whose keywords concern only these; undefined for any other schema. */
function onlyTypes(schema: JsonObject): readonly string[] | undefined {
  if (canonicalText(schema) === canonicalText(nothingElse)) return ['null']
  const { type, ...rest } = schema
  if (!isArray(type)) return undefined
  const types = type.map(String)
  const known = types.flatMap((one) => ofType[one === 'integer' ? 'number' : one] ?? [])
  return Object.keys(rest).every((name) => known.includes(name)) ? types : undefined
}

/** Writes the last items of a tuple that the schema of all further items repeats as these. */
function withoutRepeatedItems(schema: JsonObject): JsonObject {
  const { items, additionalItems = {}, ...rest } = schema
  if ('unevaluatedItems' in schema || (items !== undefined && !isArray(items) && !isObject(items)))
    return schema
  if (!isArray(items)) return { ...rest, ...(items !== undefined && { items }) }
  const text = canonicalText(additionalItems)
  const kept = items.slice(0, items.findLastIndex((item) => canonicalText(item) !== text) + 1)
  return {
    ...rest,
    items: kept.length > 0 ? kept : additionalItems,
    ...(kept.length > 0 && { additionalItems }),
  }
}

/** Sorts values by their texts. */
export function sorted(values: readonly JsonValue[]): readonly JsonValue[] {
  const texts = values.map((value) => ({ value, text: canonicalText(value) }))
  return texts.sort((a, b) => (a.text < b.text ? -1 : 1)).map(({ value }) => value)
}
