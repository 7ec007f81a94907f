import { isArray, isObject, type JsonObject, type JsonValue, member } from '../../json.js'
import { canonicalText } from '../canonical.js'
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
 * the same form. It knows `nullable` and lists of types, `const` and `enum`, `integer` and `multipleOf`, values listed in
 * several alternatives, and parts of `allOf` that one schema can state.
 * @param schema its keywords that decide values
 */
export function normalForm(schema: JsonObject): JsonObject {
  return alternativesAsOne(withoutParts(ownForm(withNull(schema))))
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

/** Joins alternatives that list values, and null beside another type. */
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
  const others = alternatives.filter((one) => canonicalText(one) !== canonicalText(nothingElse))
  const [only] = others
  const types = only && member(only, 'type')
  if (others.length !== 1 || alternatives.length !== 2 || !only || !isArray(types)) return schema
  const isPlain = !composing.some((keyword) => keyword in only) && !types.includes('null')
  return isPlain ? { ...only, type: sorted([...types, 'null']) } : schema
}

/** Sorts values by their texts. */
export function sorted(values: readonly JsonValue[]): readonly JsonValue[] {
  const texts = values.map((value) => ({ value, text: canonicalText(value) }))
  return texts.sort((a, b) => (a.text < b.text ? -1 : 1)).map(({ value }) => value)
}
