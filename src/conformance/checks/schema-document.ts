import {
  type Contract,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type LocatedSchema,
  member,
  pointerTokens,
  reachableSchemas,
  type Schema,
} from '../../contract/index.js'

/**
 * The contract with nothing in it but its schemas, each at its own place, so that its references lead where the
 * author meant them to, and no example is taken for a schema.
 * @param others schemas that stand where OpenRPC has none, such as in extensions
 */
export function schemaDocument(contract: Contract, others: readonly LocatedSchema[]): JsonObject {
  const root: Branch = new Map()
  const schemas = [...reachableSchemas(contract), ...others]
  const outerFirst = schemas
    .map(({ pointer, schema }) => ({ tokens: pointerTokens(pointer) ?? [], schema }))
    .sort((one, other) => one.tokens.length - other.tokens.length)
  for (const { tokens, schema } of outerFirst) place(root, tokens, plainSchema(schema))
  return objectOf(root)
}

/** A place on the way to schemas; lists are kept by position as well, which pointers cannot tell from an object. */
type Branch = Map<string, Branch | { readonly schema: JsonValue }>

/** Puts a schema into its place; one inside another schema is there already. */
function place(branch: Branch, tokens: readonly string[], schema: JsonValue): void {
  const [token, ...deeper] = tokens
  if (token === undefined) return
  const found = branch.get(token)
  if (deeper.length === 0) {
    if (!found) branch.set(token, { schema })
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
 * beneath it, an empty `enum` allows nothing, `nullable` needs no `type`, and a member may be called `__proto__`.
 */
function plainSchema(schema: Schema): JsonValue {
  if (!isObject(schema)) return schema
  const { $id: _, nullable, ...rest } = eachSchema(schema)
  const enumeration = member(rest, 'enum')
  const isImpossible = isArray(enumeration) && enumeration.length === 0
  const { enum: listed, ...others } = rest
  const plain: JsonObject = withPlainNames(
    isImpossible
      ? { allOf: [others, { not: {} }] }
      : { ...others, ...(listed === undefined ? {} : { enum: listed }) },
  )
  if (nullable !== true) return plain
  const type = member(plain, 'type')
  if (type === undefined) return { anyOf: [{ type: 'null' }, plain] }
  const types = isArray(type) ? type : [type]
  return { ...plain, type: types.includes('null') ? types : [...types, 'null'] }
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

function eachSchema(schema: JsonObject): JsonObject {
  return mapMembers(schema, (value, keyword) => {
    if (keptAsTheyAre.has(keyword)) return value
    if (namedSchemas.has(keyword)) return isObject(value) ? mapMembers(value, inner) : value
    return isArray(value) ? value.map(inner) : inner(value)
  })
}

function inner(value: JsonValue): JsonValue {
  return isObject(value) ? plainSchema(value) : value
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
