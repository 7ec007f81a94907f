import { isObject, member } from '../json.js'
import type { Contract } from '../model/contract.js'
import { followed } from '../model/reachable-schemas.js'
import { type LocatedSchema, referenceOf, type Schema, schemaList, schemaMember } from '../model/schema.js'
import { areDisjoint } from './are-disjoint.js'
import { type Conjunction, isWhole, nothingSaid, partsOf, type Together, withOwn } from './conjunction.js'
import { possibleTypes } from './in-context.js'
import { commonTypes } from './type-atoms.js'

/** Maximum number of alternatives of a schema. Further unions and conditions are kept as lists. */
const mostAlternatives = 48

/**
 * Converts schemas that one value must fit to alternatives without compositions. References and `allOf` are merged, the
 * keywords beside `anyOf` are added to each of its alternatives, and a condition becomes two alternatives.
 */
export function alternativesOf(contract: Contract, all: Together): readonly Conjunction[] {
  return all.reduce<readonly Conjunction[]>(
    (found, located) =>
      each(found, mostAlternatives, (known, room) => both(contract, known, located, new Set(), room)),
    [nothingSaid],
  )
}

type Seen = ReadonlySet<Schema>

/** Expands all alternatives. They share the room for the results. */
function each(
  found: readonly Conjunction[],
  room: number,
  expand: (one: Conjunction, room: number) => readonly Conjunction[],
): readonly Conjunction[] {
  const own = Math.max(1, Math.floor(room / found.length))
  return found.flatMap((one) => expand(one, own))
}

function both(
  contract: Contract,
  known: Conjunction,
  located: LocatedSchema,
  seen: Seen,
  room: number,
): readonly Conjunction[] {
  const { schema, pointer } = located
  if (!isObject(schema)) return schema ? [known] : []
  // An alternative that refers back to its own union adds no values.
  if (seen.has(schema)) return []
  const inside: Seen = new Set([...seen, schema])
  if (member(schema, 'nullable') === true) {
    const { nullable: _nullable, ...rest } = schema
    const ofNull = both(contract, known, { pointer, schema: { type: 'null' } }, inside, room)
    return [...ofNull, ...both(contract, known, { pointer, schema: rest }, inside, room)]
  }
  if (isWhole(located)) return [{ ...known, whole: [...known.whole, located] }]
  const own = withOwn(known, located, schema)
  if (own.types.size === 0) return []
  const isDangling =
    referenceOf(schema) !== undefined && followed(located, contract, () => undefined) === undefined
  const parts = partsOf(contract, located)
  let found: readonly Conjunction[] = [isDangling ? { ...own, whole: [...own.whole, located] } : own]
  for (const part of parts) found = each(found, room, (one, own) => both(contract, one, part, inside, own))
  found = each(found, room, (one, own) => conditional(contract, one, located, inside, own))
  for (const keyword of ['anyOf', 'oneOf']) {
    const forms = schemaList(located, keyword)
    if (forms.length === 0) continue
    found = each(found, room, (one, own) => withForms(contract, one, forms, keyword === 'oneOf', inside, own))
  }
  return found
}

/** Returns the two cases of a condition: `if` with `then`, and `not if` with `else`. */
function conditional(
  contract: Contract,
  known: Conjunction,
  located: LocatedSchema,
  seen: Seen,
  room: number,
): readonly Conjunction[] {
  const [condition, met, unmet] = ['if', 'then', 'else'].map((keyword) => schemaMember(located, keyword))
  if (!condition || !(met || unmet)) return [known]
  if (room < 2) return [{ ...known, some: [...known.some, casesOf(located.pointer, condition, met, unmet)] }]
  const own = Math.floor(room / 2)
  const then = (one: Conjunction, part: LocatedSchema | undefined, left: number) =>
    part ? both(contract, one, part, seen, left) : [one]
  const holds = each(both(contract, known, condition, seen, own), own, (one, left) => then(one, met, left))
  return [...holds, ...then({ ...known, not: [...known.not, condition] }, unmet, own)]
}

/** Writes the two cases of a condition as schemas. */
function casesOf(
  pointer: string,
  { schema: condition }: LocatedSchema,
  met: LocatedSchema | undefined,
  unmet: LocatedSchema | undefined,
): Together {
  return [
    { pointer: `${pointer}~met`, schema: { allOf: [condition, met?.schema ?? true] } },
    { pointer: `${pointer}~unmet`, schema: { not: condition, allOf: [unmet?.schema ?? true] } },
  ]
}

function withForms(
  contract: Contract,
  one: Conjunction,
  forms: Together,
  isOne: boolean,
  seen: Seen,
  room: number,
): readonly Conjunction[] {
  const possible = forms.filter((form) => commonTypes(possibleTypes(contract, form), one.types).size > 0)
  const isUnion = !isOne || areDisjoint(contract, possible, one.types)
  if (!isUnion && one.types.size > 1) {
    // For a single type, fewer forms are possible, and they may exclude each other.
    const apart = [...one.types].map((type) => ({ ...one, types: new Set([type]) }))
    return each(apart, room, (single, own) => withForms(contract, single, forms, isOne, seen, own))
  }
  if (!isUnion) return [{ ...one, exactly: [...one.exactly, possible] }]
  if (possible.length > room) return [{ ...one, some: [...one.some, possible] }]
  const own = Math.floor(room / Math.max(1, possible.length))
  return possible.flatMap((form) => both(contract, one, form, seen, own))
}
