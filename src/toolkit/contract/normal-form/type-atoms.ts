import { isArray, isObject, type JsonObject, type JsonValue, member } from '../json.js'
import { tupleKeywords } from '../model/dialect.js'

/** A JSON Schema type. `number` is split into `integer` and `fraction`. */
export type TypeAtom = 'null' | 'boolean' | 'object' | 'array' | 'string' | 'integer' | 'fraction'

/** A set of types. */
export type TypeSet = ReadonlySet<TypeAtom>

const atoms: Readonly<Record<string, readonly TypeAtom[]>> = {
  null: ['null'],
  boolean: ['boolean'],
  object: ['object'],
  array: ['array'],
  string: ['string'],
  integer: ['integer'],
  number: ['integer', 'fraction'],
}

export const allTypes: TypeSet = new Set(Object.values(atoms).flat())

/** Returns the types that `type` names (JSON Schema draft-07 validation, section 6.1.1); all types without it. */
export function declaredTypes(type: JsonValue | undefined): TypeSet {
  if (type === undefined) return allTypes
  return new Set([type].flat().flatMap((name) => atoms[String(name)] ?? []))
}

/** Returns the value of the keyword `type` for types: a name, or a list of names in the order of the types. */
export function typeKeyword(types: TypeSet): JsonValue {
  const names = [...types].flatMap((type) => {
    if (type === 'fraction') return ['number']
    return type === 'integer' && types.has('fraction') ? [] : [type]
  })
  return names.length === 1 ? (names[0] ?? []) : names
}

/** Returns the type of a value. */
export function typeOfValue(value: JsonValue): TypeAtom {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction'
  return isObject(value) ? 'object' : 'array'
}

/**
 * Returns the type that the keywords of a schema without `type` are about: authors of `properties` mean an object.
 * Undefined if the keywords name no members and no items.
 */
export function impliedType(schema: JsonObject): 'object' | 'array' | undefined {
  const has = (name: string) => member(schema, name) !== undefined
  if (['properties', 'required', 'additionalProperties', 'patternProperties'].some(has)) return 'object'
  return has('items') || tupleKeywords(schema) ? 'array' : undefined
}

/** Returns the types that two sets have in common. */
export function commonTypes(one: TypeSet, other: TypeSet): TypeSet {
  return new Set([...one].filter((type) => other.has(type)))
}

/** Returns the union of several sets of types. */
export function unitedTypes(sets: readonly TypeSet[]): TypeSet {
  return new Set(sets.flatMap((set) => [...set]))
}

/** Returns true if a set holds every type of another one. */
export function holdsTypes(set: TypeSet, others: TypeSet): boolean {
  return [...others].every((type) => set.has(type))
}

/** Returns the values of `const` or `enum`; undefined without either keyword. */
export function listedValues(schema: JsonObject): readonly JsonValue[] | undefined {
  const constant = member(schema, 'const')
  if (constant !== undefined) return [constant]
  const listed = member(schema, 'enum')
  return isArray(listed) ? listed : undefined
}
