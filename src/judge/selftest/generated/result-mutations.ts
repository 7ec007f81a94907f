import {
  type Contract,
  facets,
  isArray,
  isObject,
  itemSchemas,
  type JsonObject,
  type JsonValue,
  type LocatedSchema,
  type Method,
  member,
  memberSchemas,
  stringMember,
} from '../../../toolkit/contract/index.js'

/** Kinds of mutations of results. */
export const mutationKinds = ['drop', 'null', 'swap', 'retype', 'off by one', 'case', 'order'] as const
export type MutationKind = (typeof mutationKinds)[number]

/** One change of the results of a method, always at the same place. */
export interface ResultMutation {
  readonly method: string
  readonly kind: MutationKind
  /** Names of members from the result to the place; `*` stands for every item of a list. */
  readonly path: readonly string[]
  /** Changes a result. Returns an equal value if the result does not have the place. */
  readonly mutate: (result: JsonValue) => JsonValue
}

/** Maximum depth of mutated values. */
const depthMost = 5

/** Returns true if some value fits a schema and none of the others. */
export type IsPossible = (located: LocatedSchema, none?: readonly LocatedSchema[]) => boolean

/** Mutations of a method's results. */
export interface Mutations {
  readonly mutations: readonly ResultMutation[]
  /** JSON pointers of schemas that no value fits, so results do not have what they describe. */
  readonly impossible: readonly string[]
}

/** Lists the mutations of a method's results, at every place that its schema describes and a value can have. */
export function resultMutations(
  contract: Contract,
  { name: method, result }: Method,
  isPossible: IsPossible,
): Mutations {
  if (result === undefined) return { mutations: [], impossible: [] }
  const places = new Map<string, ResultMutation>()
  const impossible = new Set<string>()
  const isKnownPossible: IsPossible = (located, none) => {
    const found = isPossible(located, none)
    if (!found) impossible.add(located.pointer)
    return found
  }
  const visit = (schemas: readonly LocatedSchema[], path: readonly string[]): void => {
    // Schemas of one place may come from different branches of a union, so each is checked alone.
    const possible = schemas.filter((one) => isKnownPossible(one))
    if (possible.length === 0) return
    const faces = facets(contract, possible, isKnownPossible)
    const members = [...memberSchemas(faces)].filter(([, inner]) => inner.some((one) => isKnownPossible(one)))
    for (const { kind, mutate } of changesAt(faces, path, members.length)) {
      const key = JSON.stringify([kind, path])
      places.set(key, { method, kind, path, mutate: (value) => changedAt(value, path, mutate) })
    }
    if (path.length === depthMost) return
    for (const [name, inner] of members) visit(inner, [...path, name])
    const items = itemSchemas(faces)
    if (items.length > 0) visit(items, [...path, '*'])
  }
  visit([result.schema], [])
  return { mutations: [...places.values()], impossible: [...impossible] }
}

interface Change {
  readonly kind: MutationKind
  /** Changes the value at the place. Undefined drops it. */
  readonly mutate: (value: JsonValue) => JsonValue | undefined
}

/** Changes that make sense for the types of a value and its number of members. */
function changesAt(
  faces: readonly LocatedSchema[],
  path: readonly string[],
  members: number,
): readonly Change[] {
  const schemas = faces.flatMap(({ schema }) => (isObject(schema) ? [schema] : []))
  const declared = schemas.flatMap(typesOf)
  const has = (...types: readonly string[]) => types.some((type) => declared.includes(type))
  const isNull = declared.length > 0 && declared.every((type) => type === 'null')
  const isQuantity = schemas.some((schema) => stringMember(schema, 'pattern')?.includes('0x') === true)
  const last = path.at(-1)
  return [
    ...(last !== undefined && last !== '*' ? [{ kind: 'drop' as const, mutate: () => undefined }] : []),
    ...(isNull ? [] : [{ kind: 'null' as const, mutate: () => null }]),
    { kind: 'retype', mutate: retyped },
    ...(members > 1 ? [{ kind: 'swap' as const, mutate: swapped }] : []),
    ...(has('integer', 'number') || isQuantity ? [{ kind: 'off by one' as const, mutate: increased }] : []),
    ...(has('string') ? [{ kind: 'case' as const, mutate: inOtherCase }] : []),
    ...(has('array') ? [{ kind: 'order' as const, mutate: reversed }] : []),
  ]
}

function typesOf(schema: JsonObject): readonly JsonValue[] {
  const listed = [member(schema, 'type') ?? []].flat()
  const values = [member(schema, 'enum') ?? [], member(schema, 'const') ?? []].flat()
  return [...listed, ...values.map((value) => (value === null ? 'null' : typeof value))]
}

function changedAt(value: JsonValue, path: readonly string[], mutate: Change['mutate']): JsonValue {
  const [name, ...rest] = path
  if (name === undefined) return mutate(value) ?? null
  if (name === '*') return isArray(value) ? value.map((item) => changedAt(item, rest, mutate)) : value
  const inner = isObject(value) ? member(value, name) : undefined
  if (!isObject(value) || inner === undefined) return value
  if (rest.length > 0) return { ...value, [name]: changedAt(inner, rest, mutate) }
  const changed = mutate(inner)
  const { [name]: _, ...others } = value
  return changed === undefined ? others : { ...value, [name]: changed }
}

/** The value in another JSON type. */
function retyped(value: JsonValue): JsonValue {
  if (value === null) return 0
  if (typeof value === 'string') return 7
  if (isArray(value)) return { items: value }
  if (isObject(value)) return [value]
  return String(value)
}

/** Exchanges the values of the first two members that differ. */
function swapped(value: JsonValue): JsonValue {
  if (!isObject(value)) return value
  const [[one, first] = [], ...others] = Object.entries(value)
  const [other, second] = others.find(([, found]) => JSON.stringify(found) !== JSON.stringify(first)) ?? []
  if (one === undefined || other === undefined) return value
  return { ...value, [one]: second, [other]: first }
}

function increased(value: JsonValue): JsonValue {
  if (typeof value === 'number') return value + 1
  if (typeof value !== 'string' || !/^0x[0-9a-f]+$/i.test(value)) return value
  const digits = (BigInt(value) + 1n).toString(16)
  const isPadded = /^0x0./.test(value)
  return `0x${isPadded ? digits.padStart(value.length - 2, '0') : digits}`
}

function inOtherCase(value: JsonValue): JsonValue {
  if (typeof value !== 'string') return value
  const upper = value.toUpperCase()
  return upper === value ? value.toLowerCase() : upper
}

function reversed(value: JsonValue): JsonValue {
  return isArray(value) ? value.toReversed() : value
}
