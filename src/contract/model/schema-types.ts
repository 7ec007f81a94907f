import { isArray, isObject, type JsonValue, member } from '../json.js'
import type { Contract } from './contract.js'
import { followed } from './reachable-schemas.js'
import { type LocatedSchema, schemaList } from './schema.js'

/** JSON Schema types. "integer" counts as "number", because every integer is a number. */
type TypeSet = ReadonlySet<string>

/**
 * Returns true if the types of the schemas are disjoint. Then "oneOf" means "anyOf", which is cheaper to
 * check.
 * @param contract the contract that resolves references
 * @param schemas the alternatives of a `oneOf`
 */
export function areDisjoint(contract: Contract, schemas: readonly LocatedSchema[]): boolean {
  const sets = schemas.map((schema) => allowedTypes(contract, schema))
  const all = sets.flatMap((set) => [...(set ?? [])])
  return !sets.includes(undefined) && new Set(all).size === all.length
}

/**
 * Returns the types that a schema allows at most, or undefined if they cannot be determined. An integer is a
 * number.
 */
export function allowedTypes(contract: Contract, located: LocatedSchema): TypeSet | undefined {
  const { schema } = located
  if (!isObject(schema) || member(schema, 'nullable') === true) return undefined
  const own = declaredTypes(member(schema, 'type')) ?? valueTypes(schema)
  if (own) return own
  const target = followed(located, contract)
  if (target) return allowedTypes(contract, target)
  const branches = [...schemaList(located, 'anyOf'), ...schemaList(located, 'oneOf')]
  const sets = branches.map((branch) => allowedTypes(contract, branch))
  return sets.length === 0 || sets.includes(undefined)
    ? undefined
    : new Set(sets.flatMap((set) => [...(set ?? [])]))
}

function declaredTypes(type: JsonValue | undefined): TypeSet | undefined {
  if (typeof type === 'string') return new Set([counted(type)])
  return isArray(type) ? new Set(type.map((item) => counted(String(item)))) : undefined
}

function counted(type: string): string {
  return type === 'integer' ? 'number' : type
}

function valueTypes(schema: { readonly [name: string]: JsonValue | undefined }): TypeSet | undefined {
  const constant = member(schema, 'const')
  const listed = member(schema, 'enum')
  const values = constant !== undefined ? [constant] : isArray(listed) ? listed : undefined
  return values && new Set(values.map(typeOfValue))
}

function typeOfValue(value: JsonValue): string {
  if (value === null) return 'null'
  return isArray(value) ? 'array' : typeof value
}
