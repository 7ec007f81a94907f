import { canonicalText } from '../canonical.js'
import { arrayMember, isArray, isObject, type JsonObject, type JsonValue, member } from '../json.js'
import type { Contract } from '../model/contract.js'
import { dialectOf } from '../model/dialect.js'
import { followed } from '../model/reachable-schemas.js'
import { type LocatedSchema, schemaList, schemaMap, schemaMember, takesAnything } from '../model/schema.js'
import { isAnnotation } from '../model/schema-keywords.js'
import { allTypes, commonTypes, declaredTypes, listedValues, type TypeSet } from './type-atoms.js'

/** Schemas that one value must fit. */
export type Together = readonly LocatedSchema[]

/** The schema of `additionalProperties`, and the names and patterns of the same schema, which it does not apply to. */
interface Additional {
  readonly names: readonly string[]
  readonly patterns: readonly string[]
  readonly schema: LocatedSchema
}

/** The constraints of a schema without alternatives, as in draft-07. A value must fulfil all of them. */
export interface Conjunction {
  readonly types: TypeSet
  /** Lists of values. A value must be in each list. */
  readonly values: readonly (readonly JsonValue[])[]
  /** Keywords without schemas, each with all its values. */
  readonly plain: ReadonlyMap<string, readonly JsonValue[]>
  readonly properties: ReadonlyMap<string, Together>
  readonly patterns: ReadonlyMap<string, Together>
  readonly additional: readonly Additional[]
  /** The schemas of the first items, and of all further items. */
  readonly items: { readonly tuple: readonly Together[]; readonly rest: Together }
  /** Schemas of `propertyNames`. */
  readonly names: Together
  /** Names and schemas that are required if a member is present. */
  readonly dependencies: ReadonlyMap<
    string,
    { readonly names: readonly string[]; readonly schemas: Together }
  >
  readonly contains: readonly {
    readonly schema: LocatedSchema
    readonly least: number
    readonly most: number
  }[]
  readonly not: Together
  /** Lists of schemas. A value must fit exactly one schema of each list. */
  readonly exactly: readonly Together[]
  /** Lists of schemas with too many combinations to expand. A value must fit at least one schema of each list. */
  readonly some: readonly Together[]
  /** Schemas with keywords that depend on what other keywords evaluate. */
  readonly whole: Together
}

/** The constraints of a schema without keywords, which accepts every value. */
export const nothingSaid: Conjunction = {
  types: allTypes,
  values: [],
  plain: new Map(),
  properties: new Map(),
  patterns: new Map(),
  additional: [],
  items: { tuple: [], rest: [] },
  names: [],
  dependencies: new Map(),
  contains: [],
  not: [],
  exactly: [],
  some: [],
  whole: [],
}

/** Returns true for a schema with `unevaluatedItems` or `unevaluatedProperties`, which depend on adjacent keywords. */
export function isWhole({ schema }: LocatedSchema): boolean {
  return isObject(schema) && ['unevaluatedItems', 'unevaluatedProperties'].some((name) => name in schema)
}

/** Returns the target of a schema's reference and the parts of its `allOf`. */
export function partsOf(contract: Contract, located: LocatedSchema): Together {
  const target = followed(located, contract, () => undefined)
  return [...(target ? [target] : []), ...schemaList(located, 'allOf')]
}

/** Adds the constraints of a schema, without those of its reference, compositions and conditions. */
export function withOwn(known: Conjunction, located: LocatedSchema, schema: JsonObject): Conjunction {
  const declared = declaredTypes(member(schema, 'type'))
  const values = listedValues(schema)
  const constant = member(schema, 'const')
  const listed = member(schema, 'enum')
  const isBoth = constant !== undefined && isArray(listed)
  const not = schemaMember(located, 'not')
  return {
    ...known,
    types: commonTypes(known.types, declared),
    values: [...known.values, ...(values ? [values] : []), ...(isBoth ? [listed] : [])],
    plain: withPlain(known.plain, schema),
    properties: withMap(known.properties, schemaMap(located, 'properties')),
    patterns: withMap(known.patterns, schemaMap(located, 'patternProperties')),
    additional: [...known.additional, ...additionalOf(located)],
    items: withItems(known.items, itemsOf(located)),
    names: together(known.names, schemaMember(located, 'propertyNames')),
    dependencies: withDependencies(known, located, schema),
    contains: [...known.contains, ...containsOf(located, schema)],
    not: not ? [...known.not, not] : known.not,
  }
}

function together(known: Together, added: LocatedSchema | undefined): Together {
  const isNew =
    added && !takesAnything(added) && !known.some(({ schema }) => schema === added.schema && schema !== false)
  return isNew ? [...known, added] : known
}

function withMap(
  known: ReadonlyMap<string, Together>,
  added: readonly (readonly [string, LocatedSchema])[],
): ReadonlyMap<string, Together> {
  if (added.length === 0) return known
  const all = new Map(known)
  for (const [name, schema] of added) all.set(name, together(all.get(name) ?? [], schema))
  return all
}

/** Keywords that hold schemas, or that are in other members of a conjunction. */
const elsewhere: ReadonlySet<string> = new Set([
  ...['$ref', 'type', 'enum', 'const', 'nullable', 'not', 'if', 'then', 'else', 'allOf', 'anyOf', 'oneOf'],
  ...['properties', 'patternProperties', 'additionalProperties', 'propertyNames', 'items', 'prefixItems'],
  ...['additionalItems', 'contains', 'minContains', 'maxContains', 'dependencies', 'dependentRequired'],
  ...['dependentSchemas'],
])

function withPlain(known: Conjunction['plain'], schema: JsonObject): Conjunction['plain'] {
  const added = Object.entries(schema).filter(([name]) => !elsewhere.has(name) && !isAnnotation(name))
  if (added.length === 0) return known
  const all = new Map(known)
  for (const [name, value] of added) all.set(name, [...(all.get(name) ?? []), value ?? null])
  return all
}

function additionalOf(located: LocatedSchema): readonly Additional[] {
  const schema = schemaMember(located, 'additionalProperties')
  if (!schema || takesAnything(schema)) return []
  const keys = (keyword: string) => schemaMap(located, keyword).map(([name]) => name)
  return [{ names: keys('properties').sort(), patterns: keys('patternProperties').sort(), schema }]
}

function itemsOf(located: LocatedSchema): Conjunction['items'] {
  const tuple = schemaList(located, 'items')
  const rest = tuple.length > 0 ? schemaMember(located, 'additionalItems') : schemaMember(located, 'items')
  return { tuple: tuple.map((item) => together([], item)), rest: together([], rest) }
}

function withItems(one: Conjunction['items'], other: Conjunction['items']): Conjunction['items'] {
  const length = Math.max(one.tuple.length, other.tuple.length)
  const at = ({ tuple, rest }: Conjunction['items'], index: number) => tuple[index] ?? rest
  const both = (a: Together, b: Together) => b.reduce(together, a)
  return {
    tuple: Array.from({ length }, (_, index) => both(at(one, index), at(other, index))),
    rest: both(one.rest, other.rest),
  }
}

function withDependencies(
  { dependencies }: Conjunction,
  located: LocatedSchema,
  schema: JsonObject,
): Conjunction['dependencies'] {
  const all = new Map(dependencies)
  const entry = (name: string) => all.get(name) ?? { names: [], schemas: [] }
  for (const keyword of ['dependencies', 'dependentRequired']) {
    const listed = member(schema, keyword)
    for (const [name, wanted] of Object.entries(isObject(listed) ? listed : {})) {
      if (!isArray(wanted)) continue
      const { names, schemas } = entry(name)
      all.set(name, { names: [...names, ...wanted.map(String)], schemas })
    }
  }
  for (const keyword of ['dependencies', 'dependentSchemas'])
    for (const [name, inner] of schemaMap(located, keyword)) {
      const { names, schemas } = entry(name)
      all.set(name, { names, schemas: together(schemas, inner) })
    }
  return all
}

function containsOf(located: LocatedSchema, schema: JsonObject): Conjunction['contains'] {
  const inner = schemaMember(located, 'contains')
  if (!inner) return []
  const isCounted =
    dialectOf(schema) !== undefined || ['minContains', 'maxContains'].some((name) => name in schema)
  const least = isCounted ? Number(member(schema, 'minContains') ?? 1) : 1
  const most = isCounted
    ? Number(member(schema, 'maxContains') ?? Number.POSITIVE_INFINITY)
    : Number.POSITIVE_INFINITY
  return least === 0 && most === Number.POSITIVE_INFINITY ? [] : [{ schema: inner, least, most }]
}

/** Returns the values that are in all lists; undefined without a list. */
export function commonValues(lists: readonly (readonly JsonValue[])[]): readonly JsonValue[] | undefined {
  const [first, ...others] = lists
  const texts = others.map((list) => new Set(list.map(canonicalText)))
  return first?.filter((value) => texts.every((known) => known.has(canonicalText(value))))
}

/** Returns the names that every object of a conjunction has. */
export function requiredNames({ plain }: Conjunction): readonly string[] {
  const names = (plain.get('required') ?? []).flatMap((list) => arrayMember({ list }, 'list').map(String))
  return [...new Set(names)].sort()
}
