import {
  allowedTypes,
  type Contract,
  compilePattern,
  followed,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type LocatedSchema,
  member,
  type SchemaChecker,
  schemaList,
  schemaMap,
  schemaMember,
} from '../../contract/index.js'
import { isBare, literals, needsIndexSignature, stringList, typesOf } from './own-types.js'
import { typeOf } from './schema-type.js'
import { anyJson, type TypeWriter } from './type-writer.js'

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
  const types = typeof type === 'string' ? [type] : stringList(type)
  const allowed = allowedTypes(contract, values)
  if (!allowed) return 'some'
  const named = [...allowed].map((name) => {
    if (types.includes(name)) return 'all'
    return name === 'number' && types.includes('integer') ? 'some' : 'none'
  })
  return anyOf(named, true)
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
  const allowed = allowedTypes(contract, located)
  const type = value === null ? 'null' : isArray(value) ? 'array' : typeof value
  if (allowed && !allowed.has(type)) return false
  const pattern = member(schema, 'pattern')
  if (typeof value !== 'string' || typeof pattern !== 'string') return true
  try {
    return compilePattern(pattern, 'u').test(value)
  } catch {
    return true
  }
}

/** Returns true for keywords that restrict no value. */
export function isAnnotation(keyword: string): boolean {
  const names = [
    'title',
    'description',
    'default',
    'examples',
    'deprecated',
    'readOnly',
    'writeOnly',
    '$comment',
  ]
  return (
    names.includes(keyword) || keyword === 'definitions' || keyword === '$defs' || keyword.startsWith('x-')
  )
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

/**
 * How a valid value relates to the TypeScript type of its schema. `open` is a type that accepts anything.
 * `weak` is an object type with only optional members, none of which the value has: TypeScript rejects that.
 */
type Fit = 'open' | 'fits' | 'weak' | 'misfits'

type Properties = ReadonlyMap<string, LocatedSchema>

/**
 * Creates a check whether TypeScript accepts a valid value for the type of its schema. It returns false for:
 * - a value that is no object, if the schema declares members but no `type`;
 * - a non-empty object with none of the declared members, if all of them are optional;
 * - an object without an optional member whose name every object inherits, such as `constructor`;
 * - any value for which the answer is uncertain.
 */
export function createTypeFitter(
  writer: TypeWriter,
  check: SchemaChecker,
): (located: LocatedSchema, value: JsonValue) => boolean {
  const open = new Map<string, boolean>()

  function isOpen(located: LocatedSchema): boolean {
    const known = open.get(located.pointer) ?? typeOf(writer, located).text === anyJson.text
    open.set(located.pointer, known)
    return known
  }

  function fitOf(located: LocatedSchema, value: JsonValue, enclosing: Properties): Fit {
    const { schema } = located
    if (!isObject(schema) || isOpen(located)) return 'open'
    if (value === null && member(schema, 'nullable') === true) return 'fits'
    const properties = new Map([...enclosing, ...schemaMap(located, 'properties')])
    const target = followed(located, writer.contract)
    const alternatives = ['anyOf', 'oneOf'].map((keyword) => schemaList(located, keyword))
    const composed = [
      ...(target ? [fitOf(target, value, new Map())] : []),
      ...schemaList(located, 'allOf').map((part) => fitOf(part, value, properties)),
      ...alternatives
        .filter((branches) => branches.length > 0)
        .map((branches) => fitOfOne(branches, value, properties)),
    ]
    const says = composed.some((fit) => fit !== 'open')
    return fitOfAll(
      says && isBare(schema) ? composed : [ownFit(located, schema, value, enclosing), ...composed],
    )
  }

  function fitOfOne(branches: readonly LocatedSchema[], value: JsonValue, enclosing: Properties): Fit {
    if (branches.some(isOpen)) return 'open'
    // The value is valid, so at least one branch matches. Only ambiguous branches need validation.
    const possible = branches.filter((branch) => mayAccept(branch, value))
    const taking =
      possible.length === 1 ? possible : possible.filter((branch) => check(branch, value).length === 0)
    return taking.some((branch) => fitOf(branch, value, enclosing) === 'fits') ? 'fits' : 'misfits'
  }

  /** Returns false if the types that the schema or its reference names exclude the value. */
  function mayAccept(located: LocatedSchema, value: JsonValue): boolean {
    const { schema } = located
    if (!isObject(schema)) return schema
    if (value === null && member(schema, 'nullable') === true) return true
    const named = member(schema, 'type') === undefined ? undefined : typesOf(schema)
    if (named) return isOfTypes(named, value)
    const target = followed(located, writer.contract)
    return !target || mayAccept(target, value)
  }

  function ownFit(located: LocatedSchema, schema: JsonObject, value: JsonValue, enclosing: Properties): Fit {
    const types = typesOf(schema)
    if (literals(schema, types)) return 'fits'
    if (!types) return 'open'
    if (!isOfTypes(types, value)) return 'misfits'
    if (isArray(value))
      return value.every((item, at) => isFit(itemSchema(located, at), item)) ? 'fits' : 'misfits'
    return isObject(value) ? membersFit(located, schema, value, enclosing) : 'fits'
  }

  function membersFit(
    located: LocatedSchema,
    schema: JsonObject,
    value: JsonObject,
    enclosing: Properties,
  ): Fit {
    const properties = new Map(schemaMap(located, 'properties'))
    const required = stringList(member(schema, 'required'))
    const names = Object.keys(value)
    const hasIndex = needsIndexSignature(located, properties.size + required.length > 0, isOpen)
    const isDeclared = (name: string) => properties.has(name) || required.includes(name)
    const fits = names.every((name) => {
      const declared = properties.get(name)
      const known = declared ?? (required.includes(name) ? enclosing.get(name) : undefined)
      const others = !known && (hasIndex || isDeclared(name)) ? undeclaredSchemas(located, name) : []
      return (known ? [known] : others).every((inner) => isFit(inner, value[name] ?? null))
    })
    const isMistaken = [...properties.keys()].some((name) => name in {} && !Object.hasOwn(value, name))
    if (!fits || isMistaken) return 'misfits'
    const isWeak = properties.size > 0 && required.length === 0 && !hasIndex
    return isWeak && names.length > 0 && !names.some(isDeclared) ? 'weak' : 'fits'
  }

  function isFit(located: LocatedSchema | undefined, value: JsonValue): boolean {
    const fit = located ? fitOf(located, value, new Map()) : 'open'
    return fit === 'open' || fit === 'fits'
  }

  return isFit
}

/**
 * Combines the results of intersected types. `open` has no effect, and `weak` is harmless beside a type that
 * fits.
 */
function fitOfAll(fits: readonly Fit[]): Fit {
  if (fits.includes('misfits')) return 'misfits'
  if (fits.includes('fits')) return 'fits'
  return fits.includes('weak') ? 'weak' : 'open'
}

function itemSchema(located: LocatedSchema, at: number): LocatedSchema | undefined {
  const list = schemaList(located, 'items')
  return schemaMember(located, 'items') ?? list[at] ?? schemaMember(located, 'additionalItems')
}

/**
 * Returns the schemas of an undeclared member: those of matching patterns, otherwise that of additional
 * members.
 */
function undeclaredSchemas(located: LocatedSchema, name: string): readonly LocatedSchema[] {
  const patterns = schemaMap(located, 'patternProperties')
    .filter(([pattern]) => compilePattern(pattern, 'u').test(name))
    .map(([, schema]) => schema)
  const additional = schemaMember(located, 'additionalProperties')
  return patterns.length > 0 || !additional ? patterns : [additional]
}

function isOfTypes(types: readonly string[], value: JsonValue): boolean {
  return types.some((type) => (type === 'integer' ? 'number' : type) === typeOfValue(value))
}

function typeOfValue(value: JsonValue): string {
  if (value === null) return 'null'
  return isArray(value) ? 'array' : typeof value
}
