import {
  type Contract,
  declaredTypes,
  followed,
  isAnnotation,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type LocatedSchema,
  matchesPattern,
  member,
  possibleTypes,
  schemaList,
  schemaMember,
  typeOfValue,
} from '../../contract/index.js'
import { literals, typesOf } from './keywords/any-type.js'

/** How many of a schema's values match a condition. `some` is also the answer if it is uncertain. */
export type Relation = 'all' | 'some' | 'none'

/** Nesting of references and alternatives beyond which the answer is uncertain. */
const mostNesting = 16

/**
 * Returns how many values of a schema match another schema, from both schemas' types, constants and
 * compositions.
 */
export function relation(
  contract: Contract,
  values: LocatedSchema,
  condition: LocatedSchema,
  depth = 0,
): Relation {
  if (depth > mostNesting) return 'some'
  const parts = alternatives(contract, values)
  if (parts.length > 0)
    return anyOf(
      parts.map((part) => relation(contract, part, condition, depth + 1)),
      true,
    )
  const { schema } = condition
  if (!isObject(schema)) return schema ? 'all' : 'none'
  return allOf(
    Object.keys(schema).map((keyword) => keywordRelation(contract, values, condition, keyword, depth + 1)),
  )
}

/**
 * Splits a schema whose values are a union: a reference, `anyOf`, `oneOf`, a list of types or of constants.
 * @returns an empty list for any other schema
 */
export function alternatives(contract: Contract, located: LocatedSchema): readonly LocatedSchema[] {
  const { schema } = located
  if (!isObject(schema)) return []
  if (member(schema, 'nullable') === true) {
    return [{ ...located, schema: { ...schema, nullable: false } }, nullAt(located)]
  }
  const keywords = Object.keys(schema).filter((keyword) => !isAnnotation(keyword))
  const [keyword] = keywords
  if (keywords.length === 1 && keyword === '$ref')
    return followed(located, contract) ? [target(contract, located)] : []
  if (keywords.length === 1 && (keyword === 'anyOf' || keyword === 'oneOf'))
    return schemaList(located, keyword)
  const values = literals(schema, typesOf(schema))
  if (values) {
    return values.length < 2 ? [] : values.map((value) => ({ ...located, schema: { const: value } }))
  }
  const types = member(schema, 'type')
  if (!isArray(types) || types.length < 2) return []
  return types.map((type) => ({ ...located, schema: { ...schema, type } }))
}

function target(contract: Contract, located: LocatedSchema): LocatedSchema {
  return followed(located, contract) ?? located
}

function nullAt({ pointer }: LocatedSchema): LocatedSchema {
  return { pointer, schema: { type: 'null' } }
}

function keywordRelation(
  contract: Contract,
  values: LocatedSchema,
  condition: LocatedSchema,
  keyword: string,
  depth: number,
): Relation {
  const related = (other: LocatedSchema) => relation(contract, values, other, depth)
  const listed = () => schemaList(condition, keyword).map(related)
  if (isAnnotation(keyword)) return 'all'
  const value = isObject(condition.schema) ? member(condition.schema, keyword) : undefined
  switch (keyword) {
    case '$ref':
      return related(target(contract, condition))
    case 'type':
      return typeRelation(contract, values, value)
    case 'const':
      return valueRelation(contract, values, value === undefined ? [] : [value])
    case 'enum':
      return valueRelation(contract, values, isArray(value) ? value : [])
    case 'allOf':
      return allOf(listed())
    case 'anyOf':
      return anyOf(listed(), false)
    case 'not':
      return negated(related(schemaMember(condition, 'not') ?? condition))
    default:
      return 'some'
  }
}

function typeRelation(contract: Contract, values: LocatedSchema, type: JsonValue | undefined): Relation {
  const types = declaredTypes(type)
  const relations = [...possibleTypes(contract, values)].map((one) => (types.has(one) ? 'all' : 'none'))
  return anyOf(relations, true)
}

/** Returns how many values are among the given constants. */
function valueRelation(contract: Contract, values: LocatedSchema, constants: readonly JsonValue[]): Relation {
  const { schema } = values
  if (!isObject(schema)) return 'some'
  const own = literals(schema, typesOf(schema))
  const texts = constants.map((value) => JSON.stringify(value))
  if (own)
    return anyOf(
      own.map((value) => (texts.includes(JSON.stringify(value)) ? 'all' : 'none')),
      true,
    )
  return constants.some((value) => mayAllow(contract, values, schema, value)) ? 'some' : 'none'
}

/** Returns false if the type or the pattern of a schema excludes a value. */
function mayAllow(contract: Contract, located: LocatedSchema, schema: JsonObject, value: JsonValue): boolean {
  if (!possibleTypes(contract, located).has(typeOfValue(value))) return false
  const pattern = member(schema, 'pattern')
  if (typeof value !== 'string' || typeof pattern !== 'string') return true
  return matchesPattern(pattern, value) !== false
}

function allOf(relations: readonly Relation[]): Relation {
  if (relations.includes('none')) return 'none'
  return relations.every((one) => one === 'all') ? 'all' : 'some'
}

/**
 * Combines alternatives.
 * @param isPartition true if the values are split among the alternatives, false if each sees all values
 */
function anyOf(relations: readonly Relation[], isPartition: boolean): Relation {
  if (relations.every((one) => one === 'none')) return 'none'
  const isAll = isPartition ? relations.every((one) => one === 'all') : relations.includes('all')
  return isAll ? 'all' : 'some'
}

function negated(one: Relation): Relation {
  if (one === 'some') return 'some'
  return one === 'all' ? 'none' : 'all'
}
