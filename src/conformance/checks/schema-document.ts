import {
  type Contract,
  documentOf,
  followed,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  type LocatedSchema,
  member,
  pointerOf,
  pointerTokens,
  reachableSchemas,
} from '../../contract/index.js'
import { fragmentOf } from './fragment-of.js'

/**
 * The contract with nothing in it but its schemas, each at its own place, so that its references lead where their
 * author meant them to, and no example is taken for a schema.
 * @param others schemas that stand where OpenRPC has none, such as in extensions
 */
export function schemaDocument(contract: Contract, others: readonly LocatedSchema[]): JsonObject {
  const root: Branch = new Map()
  const outerFirst = [...reachableSchemas(contract), ...others]
    .map((located) => ({ tokens: placeTokens(located.pointer), located }))
    .sort((one, other) => one.tokens.length - other.tokens.length)
  for (const { tokens, located } of outerFirst) place(root, tokens, () => plainSchema(located, contract))
  return objectOf(root)
}

/**
 * Where the schema of a place stands in the document: under the file that it is of, then as in the contract.
 */
export function placeTokens(pointer: string): readonly string[] {
  const tokens = pointerTokens(pointerOf(pointer)) ?? []
  return [`file:${documentOf(pointer)}`, ...tokens]
}

/** A place on the way to schemas; lists are kept by position as well, which pointers cannot tell from an object. */
type Branch = Map<string, Branch | { readonly schema: JsonValue }>

/** Puts a schema into its place; one inside another schema is there already. */
function place(branch: Branch, tokens: readonly string[], schema: () => JsonValue): void {
  const [token, ...deeper] = tokens
  if (token === undefined) return
  const found = branch.get(token)
  if (deeper.length === 0) {
    if (!found) branch.set(token, { schema: schema() })
    return
  }
  if (found && !(found instanceof Map)) return
  const next: Branch = found ?? new Map()
  branch.set(token, next)
  place(next, deeper, schema)
}

function objectOf(branch: Branch): JsonObject {
  return Object.fromEntries(
    [...branch].map(([token, inner]) => [token, inner instanceof Map ? objectOf(inner) : inner.schema]),
  )
}

/**
 * A schema in which nothing means something else to ajv than in JSON Schema: an `$id` would move the references
 * beneath it, `nullable` needs no `type`, and a member may be called `__proto__`.
 */
function plainSchema(located: LocatedSchema, contract: Contract): JsonValue {
  if (!isObject(located.schema)) return located.schema
  const target = followed(located, contract)
  const { $id: _, nullable, ...rest } = eachSchema(located.schema, located.pointer, contract)
  const reference = target ? { $ref: fragmentOf(placeTokens(target.pointer)) } : {}
  const plain = withContainsApart(withPlainNames({ ...rest, ...reference }))
  if (nullable !== true) return plain
  const type = member(plain, 'type')
  if (type === undefined || refusesWithoutType.some((keyword) => member(plain, keyword) !== undefined)) {
    return { anyOf: [{ type: 'null' }, plain] }
  }
  return { ...plain, type: withNull(type) }
}

/** Keywords that say of null, too, whether it is taken. */
const refusesWithoutType = ['enum', 'const', '$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if']

function withNull(type: JsonValue): JsonValue {
  const types = isArray(type) ? type : [type]
  return types.includes('null') ? types : [...types, 'null']
}

/** ajv passes over `contains` beside a tuple that a short list does not fill; in a schema of its own it is heard. */
function withContainsApart(schema: JsonObject): JsonObject {
  const { contains, minContains, maxContains, items, allOf } = schema
  if (contains === undefined || !isArray(items)) return schema
  const apart = Object.entries({ contains, minContains, maxContains }).filter(
    ([, value]) => value !== undefined,
  )
  return { ...schema, allOf: [...(isArray(allOf) ? allOf : []), Object.fromEntries(apart)] }
}

const keptAsTheyAre = new Set([
  'enum',
  'const',
  'default',
  'examples',
  'required',
  'type',
  'dependentRequired',
])
const namedSchemas = new Set([
  'properties',
  'patternProperties',
  'definitions',
  '$defs',
  'dependencies',
  'dependentSchemas',
])

function eachSchema(schema: JsonObject, pointer: string, contract: Contract): JsonObject {
  const inner = (value: JsonValue, ...tokens: readonly (string | number)[]): JsonValue =>
    isObject(value)
      ? plainSchema({ schema: value, pointer: joinPointer(pointer, ...tokens) }, contract)
      : value
  return mapMembers(schema, (value, keyword) => {
    // What an extension holds may look like a schema, and is none.
    if (keptAsTheyAre.has(keyword) || keyword.startsWith('x-')) return value
    if (namedSchemas.has(keyword) && isObject(value)) {
      return mapMembers(value, (named, name) => inner(named, keyword, name))
    }
    return isArray(value) ? value.map((item, at) => inner(item, keyword, at)) : inner(value, keyword)
  })
}

/** ajv passes over a property called `__proto__`; a pattern for the same name is heard. */
function withPlainNames(schema: JsonObject): JsonObject {
  const properties = member(schema, 'properties')
  const hidden = isObject(properties) ? member(properties, '__proto__') : undefined
  if (hidden === undefined) return schema
  const patterns = member(schema, 'patternProperties')
  return { ...schema, patternProperties: { ...(isObject(patterns) ? patterns : {}), '^__proto__$': hidden } }
}

function mapMembers(object: JsonObject, change: (value: JsonValue, name: string) => JsonValue): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, change(value ?? null, name)]),
  )
}
