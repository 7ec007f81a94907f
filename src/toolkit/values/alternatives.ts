import {
  areDisjoint,
  type Contract,
  followed,
  isArray,
  isObject,
  type JsonObject,
  type LocatedSchema,
  member,
  schemaList,
  schemaMap,
  schemaMember,
} from '../contract/index.js'
import type { Alternative, Constraints, TypeName } from './constraints.js'
import { assertions, negate } from './negate-schema.js'

const allTypes: readonly TypeName[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']

/** Maximum number of alternatives for one value. */
const alternativesMost = 100

/** Keywords that alternatives expand into the schemas within them. */
const expanded =
  '$ref allOf anyOf oneOf not if then else dependencies dependentRequired dependentSchemas'.split(' ')

/**
 * Lists the ways to meet constraints, at most {@link alternativesMost}. Empty if the constraints contradict
 * each other.
 * @param isThorough true to list each way to violate a schema of several keywords, which are often many. By default,
 *   values must be checked for it.
 */
export function alternatives(
  constraints: Constraints,
  contract: Contract,
  isThorough = false,
): readonly Alternative[] {
  const found: Alternative[] = []
  const start = { schemas: [], none: [], types: allTypes, isTyped: false, isThorough }
  for (const alternative of expand(
    { ...start, seen: new Set(), waiting: [constraints], choices: [] },
    contract,
  )) {
    found.push(alternative)
    if (found.length === alternativesMost) break
  }
  return found
}

/** Constraints, and the pointers of the schemas that state them. */
interface AppliedConstraints extends Constraints {
  readonly within?: readonly string[]
}

interface Expansion extends Alternative {
  readonly isThorough: boolean
  /** Schemas visited on this path. Mutable; each alternative starts with a copy. */
  readonly seen: Set<string>
  /** Constraints not yet processed. */
  readonly waiting: readonly AppliedConstraints[]
  /** Lists of options; one option of each list must be met. */
  readonly choices: readonly (readonly AppliedConstraints[])[]
}

function* expand(expansion: Expansion, contract: Contract): Generator<Alternative> {
  let state: Expansion | undefined = expansion
  for (let next = state.waiting[0]; next; next = state.waiting[0]) {
    state = { ...state, waiting: state.waiting.slice(1) }
    for (const located of next.all) state = state && accept(state, located, next.within ?? [], contract)
    for (const located of next.none) state = state && refuse(state, located, contract)
    if (!state || state.types.length === 0) return
  }
  const [options, ...choices] = state.choices
  if (!options) yield state
  else
    for (const option of options) {
      yield* expand({ ...state, seen: new Set(state.seen), choices, waiting: [option] }, contract)
    }
}

/** Adds a schema that the value must fit. Returns undefined if no value fits it. */
function accept(
  state: Expansion,
  located: LocatedSchema,
  within: readonly string[],
  contract: Contract,
): Expansion | undefined {
  const { schema, pointer } = located
  if (schema === false) return undefined
  if (schema === true || state.seen.has(pointer)) return state
  state.seen.add(pointer)
  if (member(schema, 'nullable') === true) {
    const options = nullableParts(schema, pointer).map((part) => ({ all: [part], none: [], within }))
    return { ...state, choices: [...state.choices, options] }
  }
  const target = followed(located, contract)
  const not = schemaMember(located, 'not')
  const all = [...(target ? [target] : []), ...schemaList(located, 'allOf')]
  const inside = [...within, pointer]
  const choices = choicesOf(located, contract).map((options) =>
    options.map((option) => ({ ...option, within: inside })),
  )
  const declared = member(schema, 'type')
  const isDeclared = declared !== undefined
  return {
    ...state,
    schemas: [...state.schemas, { pointer, schema: without(schema, expanded), within }],
    types: isDeclared ? state.types.filter((type) => isOfType(schema, type)) : state.types,
    isTyped: state.isTyped || isDeclared,
    waiting: [...state.waiting, { all, none: not ? [not] : [], within: inside }],
    choices: [...state.choices, ...choices],
  }
}

/** Returns the two alternatives of a schema with `nullable`: its other keywords, and null. */
function nullableParts(schema: JsonObject, pointer: string): readonly LocatedSchema[] {
  return [
    { pointer: `${pointer}~value`, schema: without(schema, ['nullable']) },
    { pointer: `${pointer}~null`, schema: { type: 'null' } },
  ]
}

/** Adds a schema that the value must not fit. Returns undefined if every value fits it. */
function refuse(state: Expansion, located: LocatedSchema, contract: Contract): Expansion | undefined {
  const { schema, pointer } = located
  if (schema === false) return state
  if (schema === true) return undefined
  if (state.none.some((other) => other.pointer === pointer)) return state
  if (state.seen.has(pointer)) return undefined
  const none = [...state.none, located]
  const keywords = assertions(schema)
  const [keyword, another] = keywords
  if (keyword === undefined) return undefined
  if (member(schema, 'nullable') === true) {
    const parts = nullableParts(schema, pointer)
    return { ...state, none, waiting: [...state.waiting, { all: [], none: parts }] }
  }
  if (another !== undefined && !state.isThorough) return { ...state, none }
  if (another === undefined && keyword === 'type') {
    return { ...state, none, types: state.types.filter((type) => !isOfType(schema, type)) }
  }
  const options = keywords.flatMap((each) => negate({ pointer, schema }, each, contract))
  return { ...state, none, choices: [...state.choices, options] }
}

/** Converts the compositions of a schema to lists of options. */
function choicesOf(located: LocatedSchema, contract: Contract): readonly (readonly Constraints[])[] {
  const any = schemaList(located, 'anyOf')
  const one = schemaList(located, 'oneOf')
  const isDisjoint = areDisjoint(contract, one)
  const condition = schemaMember(located, 'if')
  const [met, unmet] = [schemaMember(located, 'then'), schemaMember(located, 'else')]
  return [
    ...(any.length > 0 ? [any.map((form) => ({ all: [form], none: [] }))] : []),
    ...(one.length > 0
      ? [one.map((form) => ({ all: [form], none: isDisjoint ? [] : one.filter((other) => other !== form) }))]
      : []),
    ...(condition && (met || unmet)
      ? [
          [
            { all: [condition, ...(met ? [met] : [])], none: [] },
            { all: unmet ? [unmet] : [], none: [condition] },
          ],
        ]
      : []),
    ...dependencies(located),
  ]
}

/** Options of dependencies: a member with everything that depends on it, or no such member. */
function dependencies(located: LocatedSchema): readonly (readonly Constraints[])[] {
  const { schema, pointer } = located
  if (!isObject(schema)) return []
  const add = (name: string, keyword: string, words: JsonObject): LocatedSchema => ({
    pointer: `${pointer}~${keyword} ${name}`,
    schema: { type: 'object', ...words },
  })
  const inner = ['dependencies', 'dependentSchemas'].flatMap((keyword) => schemaMap(located, keyword))
  const named = ['dependencies', 'dependentRequired'].flatMap((keyword) => {
    const value = member(schema, keyword)
    return isObject(value) ? Object.entries(value).filter(([, names]) => isArray(names)) : []
  })
  const entries = [
    ...inner.map(([name, dependent]) => ({ name, all: [dependent], names: [name] })),
    ...named.map(([name, names]) => ({ name, all: [], names: [name, ...(isArray(names) ? names : [])] })),
  ]
  return entries.map(({ name, all, names }) => [
    { all: [add(name, 'with', { required: names }), ...all], none: [] },
    // Without a type, because values other than objects have no members and therefore fit.
    {
      all: [{ ...add(name, 'without', {}), schema: { properties: Object.fromEntries([[name, false]]) } }],
      none: [],
    },
  ])
}

/** Returns a schema without some of its keywords. */
export function without(schema: JsonObject, keywords: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)))
}

/** True if a schema declares the type. An integer is also a number. */
function isOfType(schema: JsonObject, type: TypeName): boolean {
  const declared = [member(schema, 'type')].flat()
  return declared.includes(type) || (type === 'integer' && declared.includes('number'))
}
