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

/** What is known about the schemas of a contract, by the objects of its documents. */
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

/**
 * Returns the types that values of a schema can have at most: those of `type`, `enum` and `const`, of references and of
 * compositions, which all hold together.
 */
export function possibleTypes(
  contract: Contract,
  located: LocatedSchema,
  seen: ReadonlySet<unknown> = new Set(),
): TypeSet {
  const { schema } = located
  if (!isObject(schema)) return schema ? allTypes : new Set()
  const { possible } = knownOf(contract)
  const known = possible.get(schema)
  if (known || seen.has(schema)) return known ?? allTypes
  const inner = (part: LocatedSchema) => possibleTypes(contract, part, new Set([...seen, schema]))
  const types = [ownTypes(schema), ...composedTypes(contract, located, inner)].reduce(commonTypes)
  const all = withNull(schema, types)
  if (seen.size === 0) possible.set(schema, all)
  return all
}

/** The types of a schema's `type`, `enum` and `const`. */
function ownTypes(schema: JsonObject): TypeSet {
  const values = listedValues(schema)
  const declared = declaredTypes(member(schema, 'type'))
  return values ? commonTypes(new Set(values.map(typeOfValue)), declared) : declared
}

/** The types of a schema's reference, of each part of `allOf`, and of `anyOf` and `oneOf`. */
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
 * Returns the types that a schema is about. Where nothing states them, the keywords do: `required` is about objects,
 * though it accepts every other value, too.
 */
export function coveredTypes(
  contract: Contract,
  located: LocatedSchema,
  seen: ReadonlySet<unknown> = new Set(),
): TypeSet {
  const { schema } = located
  if (!isObject(schema)) return schema ? allTypes : new Set()
  const { covered } = knownOf(contract)
  const known = covered.get(schema)
  if (known || seen.has(schema)) return known ?? allTypes
  const inner = (part: LocatedSchema) => coveredTypes(contract, part, new Set([...seen, schema]))
  const own = new Set([...withoutNullable(contract, located)])
  const implied = member(schema, 'type') === undefined && !listedValues(schema) && impliedType(schema)
  const isStated = own.size < allTypes.size
  const told = implied && !isStated ? commonTypes(own, declaredTypes(implied)) : own
  const types = [told, ...composedTypes(contract, located, inner)].reduce(commonTypes)
  const all = withNull(schema, types)
  if (seen.size === 0) covered.set(schema, all)
  return all
}

/** The possible types of a schema, apart from those of its `nullable`. */
function withoutNullable(contract: Contract, { pointer, schema }: LocatedSchema): TypeSet {
  if (!isObject(schema) || member(schema, 'nullable') !== true)
    return possibleTypes(contract, { pointer, schema })
  const { nullable: _nullable, ...rest } = schema
  return possibleTypes(contract, { pointer, schema: rest })
}

/**
 * Returns a schema whose parts can be read one by one. Keywords without a type accept every value of another type, so
 * `required` in an alternative of a schema of objects and null accepts null: such parts get the types of the schema
 * around them, and a schema whose parts alone state its types gets these. References stay, unless the schema that they
 * name says nothing about types.
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

/** Returns the schema with its reference as a part of `allOf`, if the types around it change what the target means. */
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

/** Returns a part without those of its own types that the schema around it refuses. */
function narrowed(schema: JsonObject, types: TypeSet): JsonObject {
  const { type, nullable, ...rest } = schema
  const own = declaredTypes(type)
  const kept = commonTypes(own, types)
  if (type === undefined || kept.size === own.size) return schema
  return { ...rest, type: typeKeyword(kept), ...(nullable === true && types.has('null') && { nullable }) }
}

/**
 * Returns a part of a schema of the given types, with these types where it accepts more of them than it is about. A part
 * that accepts none of them becomes `false`.
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
