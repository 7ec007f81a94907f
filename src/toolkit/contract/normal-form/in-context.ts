import { arrayMember, isObject, type JsonObject, member } from '../json.js'
import { documentOf } from '../load/documents.js'
import type { Contract } from '../model/contract.js'
import { endOfReferences, followed } from '../model/reachable-schemas.js'
import { type LocatedSchema, referenceOf, type Schema, schemaList } from '../model/schema.js'
import { isAnnotation } from '../model/schema-keywords.js'
import {
  allTypes,
  commonTypes,
  declaredTypes,
  holdsTypes,
  impliedType,
  listedValues,
  type TypeSet,
  typeKeyword,
  typeOfValue,
  unitedTypes,
} from './type-atoms.js'

const lists = ['allOf', 'anyOf', 'oneOf'] as const

/** Cached results for the schemas of a contract, by schema object. */
interface Known {
  readonly possible: WeakMap<object, TypeSet>
  readonly covered: WeakMap<object, TypeSet>
  readonly forms: WeakMap<object, JsonObject>
}

const knownByContract = new WeakMap<Contract, Known>()

function knownOf(contract: Contract): Known {
  const known = knownByContract.get(contract) ?? {
    possible: new WeakMap(),
    covered: new WeakMap(),
    forms: new WeakMap(),
  }
  knownByContract.set(contract, known)
  return known
}

/** A walk through references and compositions: the schemas on its way, and whether it came back to one of them. */
interface Walk {
  readonly entered: Set<object>
  isCircular: boolean
}

const newWalk = (): Walk => ({ entered: new Set(), isCircular: false })

/**
 * Returns cached types, or finds them. A schema that leads back to itself has all types there. Types found inside such a
 * circle depend on where the walk began, so only those of its first schema are cached.
 */
function cachedTypes(
  cache: WeakMap<object, TypeSet>,
  { schema }: LocatedSchema,
  walk: Walk,
  find: (schema: JsonObject) => TypeSet,
): TypeSet {
  if (!isObject(schema)) return schema ? allTypes : new Set()
  const known = cache.get(schema)
  if (known) return known
  if (walk.entered.has(schema)) {
    walk.isCircular = true
    return allTypes
  }
  walk.entered.add(schema)
  const types = find(schema)
  walk.entered.delete(schema)
  if (!walk.isCircular || walk.entered.size === 0) cache.set(schema, types)
  return types
}

/**
 * Returns the types that values of a schema can have: the intersection of the types of `type`, `enum`, `const`,
 * references and compositions.
 */
export function possibleTypes(contract: Contract, located: LocatedSchema, walk = newWalk()): TypeSet {
  return cachedTypes(knownOf(contract).possible, located, walk, (schema) => {
    const inner = (part: LocatedSchema) => possibleTypes(contract, part, walk)
    const types = [ownTypes(schema), ...composedTypes(contract, located, inner)].reduce(commonTypes)
    return withNull(schema, types)
  })
}

/** Returns the types of a schema's `type`, `enum` and `const`. */
function ownTypes(schema: JsonObject): TypeSet {
  const values = listedValues(schema)
  const declared = declaredTypes(member(schema, 'type'))
  return values ? commonTypes(new Set(values.map(typeOfValue)), declared) : declared
}

/** Returns the types of a schema's reference, of each part of `allOf`, and of `anyOf` and `oneOf`. */
function composedTypes(
  contract: Contract,
  located: LocatedSchema,
  typesOf: (part: LocatedSchema) => TypeSet,
): readonly TypeSet[] {
  const target = followed(located, contract, () => undefined)
  const unions = ['anyOf', 'oneOf'].map((keyword) => schemaList(located, keyword).map(typesOf))
  return [
    ...(target ? [typesOf(target)] : []),
    ...schemaList(located, 'allOf').map(typesOf),
    ...unions.filter((sets) => sets.length > 0).map(unitedTypes),
  ]
}

function withNull(schema: JsonObject, types: TypeSet): TypeSet {
  return member(schema, 'nullable') === true ? new Set([...types, 'null' as const]) : types
}

/**
 * Returns the types that a schema is about. Without stated types, its keywords decide: `required` is about objects,
 * although it accepts values of all other types.
 */
export function coveredTypes(contract: Contract, located: LocatedSchema, walk = newWalk()): TypeSet {
  return cachedTypes(knownOf(contract).covered, located, walk, (schema) => {
    const inner = (part: LocatedSchema) => coveredTypes(contract, part, walk)
    const own = new Set([...withoutNullable(contract, located)])
    const implied = member(schema, 'type') === undefined && !listedValues(schema) && impliedType(schema)
    const isStated = own.size < allTypes.size
    const told = implied && !isStated ? commonTypes(own, declaredTypes(implied)) : own
    const types = [told, ...composedTypes(contract, located, inner)].reduce(commonTypes)
    return withNull(schema, types)
  })
}

/** Returns the possible types of a schema without its `nullable`. */
function withoutNullable(contract: Contract, { pointer, schema }: LocatedSchema): TypeSet {
  if (!isObject(schema) || member(schema, 'nullable') !== true)
    return possibleTypes(contract, { pointer, schema })
  const { nullable: _nullable, ...rest } = schema
  return possibleTypes(contract, { pointer, schema: rest })
}

/**
 * Returns a schema whose parts can be read separately. Keywords without a type accept all values of other types: in a
 * schema of objects and null, an alternative with only `required` accepts null. Such parts get the types of the
 * enclosing schema, and a schema without types gets those of its parts. References stay, unless their target states no
 * types.
 */
export function inContext(contract: Contract, located: LocatedSchema): LocatedSchema {
  const { schema, pointer } = located
  if (!isObject(schema)) return located
  const { forms } = knownOf(contract)
  const form = forms.get(schema) ?? formOf(contract, located, schema)
  forms.set(schema, form)
  return form === schema ? located : { pointer, schema: form }
}

function formOf(contract: Contract, located: LocatedSchema, schema: JsonObject): JsonObject {
  const types = withoutNullable(contract, located)
  if (types.size === allTypes.size) return schema
  const parts = lists.flatMap((keyword) => {
    const before = schemaList(located, keyword)
    const after = before.map((part) => inTypes(contract, part, types))
    return after.some((part, at) => part !== before[at]?.schema) ? [[keyword, after] as const] : []
  })
  const implied = impliedType(schema)
  const isTyped = member(schema, 'type') !== undefined || listedValues(schema) !== undefined
  const isOther = !isTyped && implied !== undefined && !holdsTypes(declaredTypes(implied), types)
  const form = { ...schema, ...Object.fromEntries(parts), ...(isOther && { type: typeKeyword(types) }) }
  return (
    withReference(contract, located.pointer, form, types) ?? (parts.length > 0 || isOther ? form : schema)
  )
}

/** Moves the reference of a schema to `allOf`, if the enclosing types change the meaning of the target. */
function withReference(
  contract: Contract,
  pointer: string,
  schema: JsonObject,
  types: TypeSet,
): JsonObject | undefined {
  const { $ref: reference, ...rest } = schema
  if (reference === undefined || Object.keys(rest).every(isAnnotation)) return undefined
  const part: JsonObject = { $ref: reference }
  const found = inTypes(contract, { pointer, schema: part }, types)
  return found === part ? undefined : { ...rest, allOf: [found, ...arrayMember(rest, 'allOf')] }
}

/** Removes the types of a part that the enclosing schema excludes. */
function narrowed(schema: JsonObject, types: TypeSet): JsonObject {
  const { type, nullable, ...rest } = schema
  const own = declaredTypes(type)
  const kept = commonTypes(own, types)
  if (type === undefined || kept.size === own.size) return schema
  return { ...rest, type: typeKeyword(kept), ...(nullable === true && types.has('null') && { nullable }) }
}

/**
 * Returns a part of a schema of the given types. The part states its types if it accepts more of them than it is about.
 * A part that accepts none of the types becomes `false`.
 */
function inTypes(contract: Contract, part: LocatedSchema, types: TypeSet): Schema {
  const { schema, pointer } = part
  if (!isObject(schema)) return schema
  const wanted = commonTypes(possibleTypes(contract, part), types)
  if (wanted.size === 0) return false
  const covered = coveredTypes(contract, part)
  if (holdsTypes(covered, wanted)) return narrowed(schema, types)
  if (referenceOf(schema) === undefined) return { ...schema, type: typeKeyword(wanted) }
  if (!Object.keys(schema).every((keyword) => keyword === '$ref' || isAnnotation(keyword)))
    return { ...schema, type: typeKeyword(wanted) }
  const { schema: target, pointer: place } = endOfReferences(part, contract)
  if (!isObject(target) || documentOf(place) !== documentOf(pointer)) return schema
  const others = new Set([...wanted].filter((type) => !covered.has(type)))
  const { title: _title, description: _description, ...words } = target
  const uncovered: JsonObject = { ...words, type: typeKeyword(others) }
  return commonTypes(covered, wanted).size === 0 ? uncovered : { anyOf: [schema, uncovered] }
}
