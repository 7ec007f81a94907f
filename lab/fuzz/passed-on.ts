import {
  type Contract,
  facets,
  isArray,
  isObject,
  itemSchemas,
  type JsonObject,
  type JsonValue,
  type LocatedSchema,
  member,
  memberSchemas,
  sameJson,
} from '../../src/toolkit/contract/index.js'

/**
 * Returns true if a node sent all deviations of a result from its schema (docs/decisions/0021 and 0027).
 * @param method the called method
 * @param params the parameters by position
 * @param given the result that the caller received
 * @param sent everything that the node sent for this call
 */
export type IsPassedOn = (
  method: string,
  params: readonly JsonValue[],
  given: JsonValue,
  sent: readonly JsonValue[],
) => boolean

/**
 * Creates the comparison of results with the values that nodes sent. An object of a node may lack members, or have
 * members of other types. Everything else depends on the service: it writes quantities and hexadecimal digits in one
 * form, and removes members that the contract does not list. It adds members by the contract's rules (`x-omitted`,
 * `x-joined`, `x-null-when-pending`).
 * @param fits validates a value with the schema at a JSON pointer
 */
export function createPassedOn(
  contract: Contract,
  fits: (pointer: string, value: JsonValue) => boolean,
): IsPassedOn {
  const methods = new Map(contract.methods.map((method) => [method.name, method]))
  const objects = new Map<string, ObjectSchemas>()

  function objectOf(schemas: readonly LocatedSchema[]): ObjectSchemas {
    const key = schemas.map(({ pointer }) => pointer).join()
    const known = objects.get(key) ?? readObject(contract, schemas)
    objects.set(key, known)
    return known
  }

  return (name, params, given, sent) => {
    const method = methods.get(name)
    if (method?.result === undefined) return false
    const known = new Map(method.params.map((param, at) => [`/${param.name}`, params[at] ?? null]))
    const sentObjects = sent.flatMap(objectsIn)

    /** Returns the text of a joined member; undefined for other members, and if a part of it is not a text. */
    function joinedText(schemas: readonly LocatedSchema[], object: JsonObject): string | undefined {
      const joined = schemas.map(({ schema }) => (isObject(schema) ? member(schema, 'x-joined') : undefined))
      const rule = joined.find(isObject)
      const parts = rule && member(rule, 'of')
      if (!isArray(parts)) return undefined
      const texts = parts.filter(isObject).map((part) => {
        const or = member(part, 'or')
        const other = isObject(or) ? (member(or, 'constant') ?? known.get(String(member(or, 'param')))) : null
        return member(object, String(member(part, 'member'))) ?? other
      })
      const isText = texts.every((text) => typeof text === 'string')
      return isText ? texts.join(String(rule && member(rule, 'with'))) : undefined
    }

    /** True if a value equals the value at the same place in the node's object. */
    function isOfNode(value: JsonValue, source: JsonValue, schemas: readonly LocatedSchema[]): boolean {
      if (isArray(value)) {
        const items = itemSchemas(facets(contract, schemas))
        return (
          isArray(source) &&
          source.length === value.length &&
          value.every((entry, at) => isOfNode(entry, source[at] ?? null, items))
        )
      }
      if (isObject(value)) return isObject(source) && isObjectOfNode(value, source, schemas)
      return inOneForm(value) === inOneForm(source)
    }

    function isObjectOfNode(
      object: JsonObject,
      source: JsonObject,
      schemas: readonly LocatedSchema[],
    ): boolean {
      const { members } = objectOf(schemas)
      const names = new Set([...Object.keys(object), ...Object.keys(source), ...members.keys()])
      return [...names].every((memberName) => {
        const ofMember = members.get(memberName)
        const value = member(object, memberName)
        const original = member(source, memberName)
        if (ofMember === undefined)
          return members.size === 0 ? sameJson(value ?? null, original ?? null) : value === undefined
        const text = joinedText(ofMember, object)
        if (text !== undefined) return value === text
        if (value === undefined) return original === undefined && !ofMember.some(hasConstant)
        const isSent = original !== undefined && isOfNode(value, original, ofMember)
        return isSent || ofMember.some((located) => isAdded(located, value, original))
      })
    }

    /** True for a value that the service adds. */
    function isAdded(
      { schema, pointer }: LocatedSchema,
      value: JsonValue,
      original: JsonValue | undefined,
    ): boolean {
      if (!isObject(schema)) return false
      if (value === null && member(schema, 'x-null-when-pending') === true) return true
      const omitted = member(schema, 'x-omitted')
      if (!isObject(omitted) || original !== undefined) return false
      const constant = member(omitted, 'constant')
      return constant === undefined ? fits(pointer, value) : sameJson(value, constant)
    }

    /** True for an object that a node sent, with at least one of the members that it must have. */
    function isFromNode(value: JsonValue, schemas: readonly LocatedSchema[]): boolean {
      if (!isObject(value)) return false
      const { required } = objectOf(schemas)
      const isOfKind = required.length === 0 || required.some((one) => member(value, one) !== undefined)
      return isOfKind && sentObjects.some((source) => isObjectOfNode(value, source, schemas))
    }

    const result = [method.result.schema]
    if (!isArray(given)) return isFromNode(given, result)
    const items = itemSchemas(facets(contract, result))
    const deviating = given.filter((entry) => !items.every(({ pointer }) => fits(pointer, entry)))
    // If all entries are valid, the list itself is wrong, for example its order.
    return deviating.length > 0 && deviating.every((entry) => isFromNode(entry, items))
  }
}

/** The members of an object: all schemas of each member, and the names of those that a node must send. */
interface ObjectSchemas {
  readonly members: ReadonlyMap<string, readonly LocatedSchema[]>
  readonly required: readonly string[]
}

function readObject(contract: Contract, schemas: readonly LocatedSchema[]): ObjectSchemas {
  const all = facets(contract, schemas)
  const members = new Map(
    [...memberSchemas(all)].map(([name, own]) => [name, facets(contract, own)] as const),
  )
  const required = all.flatMap(({ schema }) => (isObject(schema) ? namesIn(member(schema, 'required')) : []))
  const isAdded = (name: string) =>
    (members.get(name) ?? []).some(
      ({ schema }) =>
        isObject(schema) &&
        (member(schema, 'x-omitted') !== undefined || member(schema, 'x-joined') !== undefined),
    )
  return { members, required: required.filter((name) => !isAdded(name)) }
}

const namesIn = (list: JsonValue | undefined): readonly string[] =>
  isArray(list) ? list.filter((name) => typeof name === 'string') : []

function hasConstant({ schema }: LocatedSchema): boolean {
  const omitted = isObject(schema) ? member(schema, 'x-omitted') : undefined
  return isObject(omitted) && member(omitted, 'constant') !== undefined
}

/** Every object in a value. */
function objectsIn(value: JsonValue): readonly JsonObject[] {
  if (isArray(value)) return value.flatMap(objectsIn)
  return isObject(value) ? [value, ...Object.values(value).flatMap((inner) => objectsIn(inner ?? null))] : []
}

/** Returns the same text for all notations of a quantity or of hexadecimal digits. Other values are unchanged. */
function inOneForm(value: JsonValue): JsonValue {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value.toString(16)
  if (typeof value !== 'string') return value
  if (/^[0-9]{1,78}$/.test(value)) return BigInt(value).toString(16)
  return /^0x[0-9a-f]*$/i.test(value)
    ? value
        .slice(2)
        .toLowerCase()
        .replace(/^0+(?=.)/, '') || '0'
    : value
}
