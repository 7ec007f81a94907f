import { isValidatedFormat } from '../formats.js'
import {
  arrayMember,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  objectMember,
} from '../json.js'
import { literalPattern } from '../message-pattern.js'
import type { Contract } from '../model/contract.js'
import { tupleKeywords } from '../model/dialect.js'
import { endOfReferences, followed } from '../model/reachable-schemas.js'
import { type LocatedSchema, type Schema, schemaList, schemaMap, schemaMember } from '../model/schema.js'
import { schemaKeywords } from '../model/schema-keywords.js'
import { areDisjoint } from '../normal-form/are-disjoint.js'

/** Schemas for a validator: one resource that keeps references. */
export interface SchemaSet {
  /** The resource for ajv. */
  readonly resource: JsonObject
  /** References into the resource, one for each requested schema. */
  readonly roots: readonly string[]
  /** The schemas of the resource with the places that they were copied from, by the text of references to them. */
  readonly definitions: ReadonlyMap<string, LocatedSchema>
  /** Copies another schema, with references into the resource. Returns undefined if the resource lacks a target. */
  readonly copyOf: (located: LocatedSchema) => Schema | undefined
}

/** The name of the resource within its ajv instance. */
const resourceId = 'contract'

/**
 * Copies the given schemas and all schemas that they refer to into one resource, each once. Keywords without
 * effect are removed, so that ajv can run in strict mode.
 * @param contract the contract that resolves references
 * @param roots the requested schemas
 */
export function schemaSet(contract: Contract, roots: readonly LocatedSchema[]): SchemaSet {
  const set = copiedSet(contract, roots, false)
  return usesUnevaluated(set.resource) ? copiedSet(contract, roots, true) : set
}

/** @param isTracking whether ajv records what keywords evaluate */
function copiedSet(contract: Contract, roots: readonly LocatedSchema[], isTracking: boolean): SchemaSet {
  const names = new Map<string, string>()
  const definitions: Record<string, JsonValue> = {}
  const copies = new Map<string, LocatedSchema>()
  const waiting: LocatedSchema[] = []

  function reference(located: LocatedSchema): string {
    const known = names.get(located.pointer)
    const name = known ?? `d${names.size}`
    if (known === undefined) {
      names.set(located.pointer, name)
      waiting.push(located)
    }
    return `${resourceId}#/definitions/${name}`
  }

  const references = roots.map(reference)
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const schema = copy(next, contract, reference, isTracking) as Schema
    definitions[names.get(next.pointer) ?? ''] = schema
    copies.set(reference(next), { pointer: next.pointer, schema })
  }
  const copyOf = (located: LocatedSchema) => {
    const schema = copy(located, contract, reference, isTracking) as Schema
    const isWhole = waiting.length === 0 && (isTracking || !usesUnevaluated(schema))
    for (const { pointer } of waiting.splice(0)) names.delete(pointer)
    return isWhole ? schema : undefined
  }
  return { resource: { $id: resourceId, definitions }, roots: references, definitions: copies, copyOf }
}

/** Returns a copy of a schema for ajv. */
function copy(
  located: LocatedSchema,
  contract: Contract,
  reference: (target: LocatedSchema) => string,
  isTracking: boolean,
): JsonValue {
  const { schema } = located
  if (!isObject(schema)) return schema
  const again = (inner: LocatedSchema) => copy(inner, contract, reference, isTracking)
  const target = followed(located, contract)
  const result: Readonly<Record<string, JsonValue>> = {
    // ajv resolves each suffix of a reference chain again, so chains are shortened first.
    ...(target ? { $ref: reference(endOfReferences(target, contract)) } : {}),
    ...plain(schema),
    ...Object.fromEntries(held(located).map(([keyword, inner]) => [keyword, again(inner)])),
    ...withConditions(lists(located, contract, again), located, again),
    ...maps(located, again),
  }
  const apart = isTracking ? patternsApart(containsApart(result)) : containsApart(result)
  return member(schema, 'nullable') === true ? { anyOf: [{ type: 'null' }, apart] } : apart
}

/**
 * Moves `contains` into a schema of its own: ajv skips it if a list is shorter than its tuple. Where any number of items
 * may match, it has no effect, and ajv refuses it (JSON Schema 2019-09 validation, section 6.4.5).
 */
function containsApart(schema: JsonObject): JsonObject {
  const { contains, minContains, maxContains, ...rest } = schema
  if (contains === undefined || (minContains === 0 && maxContains === undefined)) return rest
  // No list fits, and ajv refuses the keywords.
  if (Number(minContains ?? 1) > Number(maxContains ?? Number.POSITIVE_INFINITY)) {
    return { ...rest, allOf: [...arrayMember(rest, 'allOf'), { not: { type: 'array' } }] }
  }
  if (!isArray(rest['items'])) return schema
  const counts = Object.entries({ minContains, maxContains }).filter(([, count]) => count !== undefined)
  return {
    ...rest,
    allOf: [...arrayMember(rest, 'allOf'), { contains, ...Object.fromEntries(counts) }],
  }
}

/**
 * Moves patterns of member names, with the keywords that belong to them, into a schema of their own. Beside compositions
 * and conditions, ajv writes to a record of evaluated members that it has not created.
 */
export function patternsApart(schema: JsonObject): JsonObject {
  const { properties, patternProperties, additionalProperties, ...rest } = schema
  if (patternProperties === undefined || !compositions.some((keyword) => keyword in rest)) return schema
  const members = Object.entries({ properties, patternProperties, additionalProperties })
  const own = Object.fromEntries(members.filter(([, value]) => value !== undefined))
  return { ...rest, allOf: [...arrayMember(rest, 'allOf'), own] }
}

const compositions = '$ref allOf anyOf oneOf not if dependencies dependentSchemas'.split(' ')

function plain(schema: JsonObject): Readonly<Record<string, JsonValue>> {
  const present = schemaKeywords.plain.flatMap((keyword) => {
    const value = member(schema, keyword)
    const asserts = keyword !== 'format' || isValidatedFormat(value)
    return value === undefined || !asserts ? [] : [[keyword, value] as const]
  })
  const { enum: listed, ...rest } = Object.fromEntries<JsonValue>(
    present.map(([keyword, value]) => [
      keyword,
      keyword === 'required' ? sortRequired(schema, value) : value,
    ]),
  )
  if (listed === undefined) return rest
  return isArray(listed) && listed.length === 0 ? { ...rest, not: {} } : { ...rest, enum: listed }
}

/** Sorts required members: declared members in their order, then the others by name. */
function sortRequired(schema: JsonObject, required: JsonValue): JsonValue {
  if (!isArray(required)) return required
  const declared = Object.keys(objectMember(schema, 'properties'))
  const others = required.filter((name) => !declared.includes(String(name)))
  return [...declared.filter((name) => required.includes(name)), ...others.sort()]
}

/** Lists single subschemas. `then` without `if`, and `additionalItems` without a tuple, have no effect. */
function held(located: LocatedSchema): readonly (readonly [string, LocatedSchema])[] {
  const isTuple = isObject(located.schema) && tupleKeywords(located.schema) !== undefined
  const condition = schemaMember(located, 'if')
  const branches = ['then', 'else'].some((keyword) => schemaMember(located, keyword))
  return ['items', ...schemaKeywords.one].flatMap((keyword) => {
    const inner = schemaMember(located, keyword)
    if (!inner || (keyword === 'additionalItems' && !isTuple)) return []
    if (keyword === 'if' && !branches) return []
    if ((keyword === 'then' || keyword === 'else') && !condition) return []
    return [[keyword, inner] as const]
  })
}

/** Lists subschemas. A `oneOf` with disjoint alternatives becomes an `anyOf`, which is cheaper to check. */
function lists(
  located: LocatedSchema,
  contract: Contract,
  again: (inner: LocatedSchema) => JsonValue,
): JsonObject {
  const hasAny = schemaList(located, 'anyOf').length > 0
  return Object.fromEntries(
    ['items', ...schemaKeywords.list].flatMap((keyword) => {
      const inner = schemaList(located, keyword)
      if (inner.length === 0) return []
      const isAny = keyword === 'oneOf' && !hasAny && areDisjoint(contract, inner)
      return [[isAny ? 'anyOf' : keyword, inner.map(again)] as const]
    }),
  )
}

/** Returns true for names that ajv ignores or cannot write. A lone surrogate cannot be part of a URI. */
function isTrouble(name: string): boolean {
  return name === '__proto__' || loneSurrogate.test(name)
}

const loneSurrogate = /[\ud800-\udfff]/u

/** Expresses dependencies of names that ajv does not support as conditions. */
function withConditions(
  lists: JsonObject,
  located: LocatedSchema,
  again: (inner: LocatedSchema) => JsonValue,
): JsonObject {
  const conditions = [
    ...['dependencies', 'dependentSchemas'].flatMap((keyword) =>
      schemaMap(located, keyword).map(([name, inner]) => [name, again(inner)] as const),
    ),
    ...requiredTogether(located).map(([name, names]) => [name, { required: names }] as const),
  ].flatMap(([name, wanted]) =>
    isTrouble(name)
      ? [Object.fromEntries([['if', { required: [name] }] as const, ['then', wanted] as const])]
      : [],
  )
  return conditions.length === 0
    ? lists
    : { ...lists, allOf: [...arrayMember(lists, 'allOf'), ...conditions] }
}

/** Returns a pattern that matches only the given name. */
function exactly(name: string): string {
  return `^(?:${literalPattern(name)})$`
}

/** Writes lone surrogates in a pattern as escapes. */
function writable(pattern: string): string {
  return pattern.replaceAll(
    new RegExp(loneSurrogate.source, 'gu'),
    (half) => `\\u${half.charCodeAt(0).toString(16)}`,
  )
}

/** Copies maps of schemas. Properties whose names ajv does not support become patterns. */
function maps(located: LocatedSchema, again: (inner: LocatedSchema) => JsonValue): JsonObject {
  const entries = (keyword: string) =>
    schemaMap(located, keyword).map(([name, inner]) => [name, again(inner)] as const)
  const properties = entries('properties')
  const patterns = [
    ...entries('patternProperties'),
    ...properties.filter(([name]) => isTrouble(name)).map(([name, inner]) => [exactly(name), inner] as const),
  ].map(([pattern, inner]) => [writable(pattern), inner] as const)
  const dependencies = [...entries('dependencies'), ...requiredTogether(located)]
  return {
    ...named(
      'properties',
      properties.filter(([name]) => !isTrouble(name)),
    ),
    ...named('patternProperties', patterns),
    ...named(
      'dependencies',
      dependencies.filter(([name]) => !isTrouble(name)),
    ),
    ...named(
      'dependentSchemas',
      entries('dependentSchemas').filter(([name]) => !isTrouble(name)),
    ),
  }
}

function requiredTogether({ schema }: LocatedSchema): readonly (readonly [string, JsonValue])[] {
  const dependencies = isObject(schema) ? member(schema, 'dependencies') : undefined
  if (!isObject(dependencies)) return []
  return Object.entries(dependencies).flatMap(([name, wanted]) =>
    isArray(wanted) ? [[name, wanted] as const] : [],
  )
}

function named(keyword: string, entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  return entries.length > 0 ? { [keyword]: Object.fromEntries(entries) } : {}
}

/** Returns true if a schema uses `unevaluatedItems` or `unevaluatedProperties`. */
export function usesUnevaluated(schema: JsonValue): boolean {
  if (isArray(schema)) return schema.some(usesUnevaluated)
  if (!isObject(schema)) return false
  return Object.entries(schema).some(
    ([name, value]) =>
      name === 'unevaluatedItems' || name === 'unevaluatedProperties' || usesUnevaluated(value ?? null),
  )
}

/** Returns true if a schema names members that every JavaScript object inherits, such as `constructor`. */
export function namesInheritedMembers(schema: JsonValue): boolean {
  if (isArray(schema))
    return schema.some((item) => (typeof item === 'string' ? item in {} : namesInheritedMembers(item)))
  if (!isObject(schema)) return false
  return Object.entries(schema).some(([name, value]) => name in {} || namesInheritedMembers(value ?? null))
}
