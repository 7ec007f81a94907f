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
import type { Contract } from './contract.js'
import { followed } from './reachable-schemas.js'
import { type LocatedSchema, schemaKeywords, schemaList, schemaMap, schemaMember } from './schema.js'
import { areDisjoint } from './schema-types.js'

/** Schemas for a validator: one resource in which references stay references. */
export interface SchemaSet {
  /** To be given to ajv as it is. */
  readonly resource: JsonObject
  /** References into the resource, one for each schema asked for. */
  readonly roots: readonly string[]
}

/** The resource's name within its own ajv instance. */
const resourceId = 'contract'

/**
 * The schemas that the given ones reach, each once, under names of their own.
 * Words that assert nothing are left out, so that ajv can be strict with the rest.
 */
export function schemaSet(contract: Contract, roots: readonly LocatedSchema[]): SchemaSet {
  const names = new Map<string, string>()
  const definitions: Record<string, JsonValue> = {}
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
    definitions[names.get(next.pointer) ?? ''] = copy(next, contract, reference)
  }
  return { resource: { $id: resourceId, definitions }, roots: references }
}

/** A schema as ajv is to see it. */
function copy(
  located: LocatedSchema,
  contract: Contract,
  reference: (target: LocatedSchema) => string,
): JsonValue {
  const { schema } = located
  if (!isObject(schema)) return schema
  const again = (inner: LocatedSchema) => copy(inner, contract, reference)
  const target = followed(located, contract)
  const result: Readonly<Record<string, JsonValue>> = {
    ...(target ? { $ref: reference(target) } : {}),
    ...plain(schema),
    ...Object.fromEntries(held(located).map(([keyword, inner]) => [keyword, again(inner)])),
    ...withConditions(lists(located, contract, again), located, again),
    ...maps(located, again),
  }
  const apart = containsApart(result)
  return member(schema, 'nullable') === true ? { anyOf: [{ type: 'null' }, apart] } : apart
}

/** Behind a tuple that a short list does not fill ajv looks no further: `contains` goes into a schema of its own. */
function containsApart(schema: JsonObject): JsonObject {
  const { contains, minContains, maxContains, ...rest } = schema
  if (contains === undefined || !isArray(rest['items'])) return schema
  const counts = Object.entries({ minContains, maxContains }).filter(([, count]) => count !== undefined)
  return {
    ...rest,
    allOf: [...arrayMember(rest, 'allOf'), { contains, ...Object.fromEntries(counts) }],
  }
}

function plain(schema: JsonObject): Readonly<Record<string, JsonValue>> {
  const present = schemaKeywords.plain.flatMap((keyword) => {
    const value = member(schema, keyword)
    const asserts = keyword !== 'format' || isValidatedFormat(value)
    return value === undefined || !asserts ? [] : [[keyword, value] as const]
  })
  const { enum: listed, ...rest } = Object.fromEntries<JsonValue>(
    present.map(([keyword, value]) => [keyword, keyword === 'required' ? inOrder(schema, value) : value]),
  )
  if (listed === undefined) return rest
  return isArray(listed) && listed.length === 0 ? { ...rest, not: {} } : { ...rest, enum: listed }
}

/** Required members are a set: those with a schema in the order of the schemas, the others by name. */
function inOrder(schema: JsonObject, required: JsonValue): JsonValue {
  if (!isArray(required)) return required
  const declared = Object.keys(objectMember(schema, 'properties'))
  const others = required.filter((name) => !declared.includes(String(name)))
  return [...declared.filter((name) => required.includes(name)), ...others.sort()]
}

/** Single schemas; `then` without `if`, or `additionalItems` without a tuple, asserts nothing. */
function held(located: LocatedSchema): readonly (readonly [string, LocatedSchema])[] {
  const isTuple = isObject(located.schema) && isArray(member(located.schema, 'items'))
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

/** Lists of schemas; a `oneOf` whose forms exclude each other becomes an `anyOf` where there is none. */
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

/** True for a name that ajv passes over, or that it cannot write: half a surrogate pair has no form in a URI. */
function isTrouble(name: string): boolean {
  return name === '__proto__' || loneSurrogate.test(name)
}

const loneSurrogate = /[\ud800-\udfff]/u

/** Dependencies of members with troublesome names become conditions. */
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

/** A pattern that a name, and no other, matches. */
function exactly(name: string): string {
  return `^(?:${name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')})$`
}

/** A pattern with half surrogate pairs written as escapes. */
function writable(pattern: string): string {
  return pattern.replaceAll(
    new RegExp(loneSurrogate.source, 'gu'),
    (half) => `\\u${half.charCodeAt(0).toString(16)}`,
  )
}

/** Schemas by name. Properties with troublesome names go where names are patterns. */
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

/** True where a schema uses words of the draft after draft-07. */
export function usesNextDraft(schema: JsonValue): boolean {
  if (isArray(schema)) return schema.some(usesNextDraft)
  if (!isObject(schema)) return false
  return Object.entries(schema).some(([name, value]) => nextDraft.has(name) || usesNextDraft(value ?? null))
}

const nextDraft = new Set(
  `dependentRequired dependentSchemas minContains maxContains unevaluatedItems unevaluatedProperties`.split(
    ' ',
  ),
)

/** True where a schema speaks of members that every JavaScript object seems to have, such as `constructor`. */
export function namesInheritedMembers(schema: JsonValue): boolean {
  if (isArray(schema))
    return schema.some((item) => (typeof item === 'string' ? item in {} : namesInheritedMembers(item)))
  if (!isObject(schema)) return false
  return Object.entries(schema).some(([name, value]) => name in {} || namesInheritedMembers(value ?? null))
}
