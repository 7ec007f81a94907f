import {
  type Contract,
  closure,
  followed,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type LocatedSchema,
  member,
  schemaList,
  schemaMap,
  schemaMember,
  target,
} from '../../contract/index.js'
import type { TypeNames } from './type-writer.js'

/** The values of `x-decode`. With `also`, a parameter also accepts the undecoded text. */
const kinds = ['bigint', 'number', 'either', 'also'] as const

/** The type of a decoded quantity. */
type QuantityKind = (typeof kinds)[number]

/** Returns `x-decode` of a schema. */
export function quantityKind({ schema }: LocatedSchema): QuantityKind | undefined {
  const stated = isObject(schema) ? member(schema, 'x-decode') : undefined
  return kinds.find((kind) => kind === stated)
}

/** The quantities of schemas, as `createCodec` of the client runtime reads them. */
export interface DecodePlans {
  /** Returns the plan of a schema, or undefined if it contains no quantities. */
  readonly planOf: (located: LocatedSchema) => JsonValue | undefined
  /** Returns the plans of the named schemas to which other plans refer. */
  readonly named: () => JsonObject
}

/** Creates the plans of a contract's schemas. */
export function createDecodePlans(contract: Contract, names: TypeNames): DecodePlans {
  const named = new Map<string, JsonValue | undefined>()
  /** Pointers of schemas that lead to no quantity. */
  const withoutQuantity = new Set<string>()

  function planOf(located: LocatedSchema): JsonValue | undefined {
    const kind = quantityKind(located)
    if (kind !== undefined) return kind
    const target = followed(located, contract)
    return all([
      target && targetPlan(target),
      ...['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => schemaList(located, keyword).map(planOf)),
      ...['then', 'else'].map((keyword) => planOfMember(located, keyword)),
      objectPlan(located),
      listPlan(located),
    ])
  }

  /** A quantity itself, or a reference, because schemas may refer to themselves. */
  function targetPlan(target: LocatedSchema): JsonValue | undefined {
    const name = names.get(target.pointer)
    const kind = quantityKind(target)
    if (kind !== undefined || name === undefined) return kind ?? planOf(target)
    if (!named.has(name)) {
      if (!hasQuantity(target)) return undefined
      named.set(name, undefined)
      named.set(name, planOf(target))
    }
    const plan = named.get(name)
    return typeof plan === 'string' ? plan : { ref: name }
  }

  function planOfMember(located: LocatedSchema, keyword: string): JsonValue | undefined {
    const inner = schemaMember(located, keyword)
    return inner && planOf(inner)
  }

  function objectPlan(located: LocatedSchema): JsonValue | undefined {
    const members = schemaMap(located, 'properties').flatMap(([name, schema]) => {
      const plan = planOf(schema)
      return plan === undefined ? [] : [[name, plan] as const]
    })
    const others = all([
      planOfMember(located, 'additionalProperties'),
      ...schemaMap(located, 'patternProperties').map(([, schema]) => planOf(schema)),
    ])
    return present({ members: members.length > 0 ? Object.fromEntries(members) : undefined, others })
  }

  function listPlan(located: LocatedSchema): JsonValue | undefined {
    const tuple = schemaList(located, 'items').map((schema) => planOf(schema) ?? [])
    const items = planOfMember(located, tuple.length > 0 ? 'additionalItems' : 'items')
    return present({ tuple: tuple.some((plan) => !isEmpty(plan)) ? tuple : undefined, items })
  }

  /** Returns true if a schema, or one that it contains or refers to, states `x-decode`. */
  function hasQuantity(start: LocatedSchema): boolean {
    const found = closure(start, (located) => {
      if (withoutQuantity.has(located.pointer)) return []
      return [...target(contract, located), ...innerSchemas(located)]
    })
    if (found.some((located) => quantityKind(located) !== undefined)) return true
    for (const { pointer } of found) withoutQuantity.add(pointer)
    return false
  }

  return {
    planOf,
    named: () => Object.fromEntries([...named].filter(([, plan]) => typeof plan !== 'string')) as JsonObject,
  }
}

/** Returns the schemas whose values a plan may reach. */
function innerSchemas(located: LocatedSchema): readonly LocatedSchema[] {
  const single = ['then', 'else', 'additionalProperties', 'items', 'additionalItems']
  return [
    ...['allOf', 'anyOf', 'oneOf', 'items'].flatMap((keyword) => schemaList(located, keyword)),
    ...single.flatMap((keyword) => schemaMember(located, keyword) ?? []),
    ...['properties', 'patternProperties'].flatMap((keyword) =>
      schemaMap(located, keyword).map(([, schema]) => schema),
    ),
  ]
}

/** Combines plans that apply to the same value. */
function all(plans: readonly (JsonValue | undefined)[]): JsonValue | undefined {
  const texts = new Map(plans.flatMap((plan) => (plan === undefined ? [] : [[JSON.stringify(plan), plan]])))
  const [first, ...others] = texts.values()
  return others.length === 0 ? first : [...texts.values()]
}

function isEmpty(plan: JsonValue): boolean {
  return isArray(plan) && plan.length === 0
}

/** Returns the members that are present, or undefined if none is. */
function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject | undefined {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined)
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as JsonObject)
}
