import { canonicalText, listChanges } from '../canonical.js'
import { isObject, type JsonValue, member } from '../json.js'
import type { Contract } from '../model/contract.js'
import { followed } from '../model/reachable-schemas.js'
import { type LocatedSchema, referenceOf, type Schema, schemaList, schemaMember } from '../model/schema.js'
import {
  type Conjunction,
  isWhole,
  nothingSaid,
  requiredNames,
  type Together,
  valuesOf,
  withOwn,
} from './conjunction.js'
import { possibleTypes } from './in-context.js'
import { commonTypes } from './type-atoms.js'

/** Maximum number of alternatives. Longer unions are kept as lists. */
const mostAlternatives = 48

/**
 * Converts schemas that one value must fit to alternatives without compositions. References and `allOf` are merged, the
 * keywords beside `anyOf` are added to each of its alternatives, and a condition becomes two alternatives.
 */
export function alternativesOf(contract: Contract, all: Together): readonly Conjunction[] {
  return all.reduce<readonly Conjunction[]>(
    (found, located) => found.flatMap((known) => both(contract, known, located, new Set())),
    [nothingSaid],
  )
}

type Seen = ReadonlySet<Schema>

function both(
  contract: Contract,
  known: Conjunction,
  located: LocatedSchema,
  seen: Seen,
): readonly Conjunction[] {
  const { schema, pointer } = located
  if (!isObject(schema)) return schema ? [known] : []
  // An alternative that refers back to its own union adds no values.
  if (seen.has(schema)) return []
  const inside: Seen = new Set([...seen, schema])
  if (member(schema, 'nullable') === true) {
    const { nullable: _nullable, ...rest } = schema
    const ofNull = both(contract, known, { pointer, schema: { type: 'null' } }, inside)
    return [...ofNull, ...both(contract, known, { pointer, schema: rest }, inside)]
  }
  if (isWhole(located)) return [{ ...known, whole: [...known.whole, located] }]
  const own = withOwn(known, located, schema)
  if (own.types.size === 0) return []
  const target = followed(located, contract, () => undefined)
  const isDangling = target === undefined && referenceOf(schema) !== undefined
  const parts = [...(target ? [target] : []), ...schemaList(located, 'allOf')]
  let found: readonly Conjunction[] = [isDangling ? { ...own, whole: [...own.whole, located] } : own]
  for (const part of parts) found = found.flatMap((one) => both(contract, one, part, inside))
  found = found.flatMap((one) => conditional(contract, one, located, inside))
  for (const keyword of ['anyOf', 'oneOf']) {
    const forms = schemaList(located, keyword)
    if (forms.length > 0) found = withForms(contract, found, forms, keyword === 'oneOf', inside)
  }
  return found
}

/** Returns the two cases of a condition: `if` with `then`, and `not if` with `else`. */
function conditional(
  contract: Contract,
  known: Conjunction,
  located: LocatedSchema,
  seen: Seen,
): readonly Conjunction[] {
  const [condition, met, unmet] = ['if', 'then', 'else'].map((keyword) => schemaMember(located, keyword))
  if (!condition || !(met || unmet)) return [known]
  const then = (one: Conjunction, part: LocatedSchema | undefined) =>
    part ? both(contract, one, part, seen) : [one]
  const holds = both(contract, known, condition, seen).flatMap((one) => then(one, met))
  return [...holds, ...then({ ...known, not: [...known.not, condition] }, unmet)]
}

function withForms(
  contract: Contract,
  found: readonly Conjunction[],
  forms: Together,
  isOne: boolean,
  seen: Seen,
): readonly Conjunction[] {
  return found.flatMap((one) => {
    const possible = forms.filter((form) => commonTypes(possibleTypes(contract, form), one.types).size > 0)
    const isUnion = !isOne || areApart(contract, possible)
    if (!isUnion && one.types.size > 1) {
      // For a single type, fewer forms are possible, and they may exclude each other.
      const apart = [...one.types].map((type) => ({ ...one, types: new Set([type]) }))
      return withForms(contract, apart, forms, isOne, seen)
    }
    if (!isUnion) return [{ ...one, exactly: [...one.exactly, possible] }]
    if (possible.length * found.length > mostAlternatives) return [{ ...one, some: [...one.some, possible] }]
    return possible.flatMap((form) => both(contract, one, form, seen))
  })
}

/** Returns true if no value fits two of the schemas, because they differ in type, or in the values of a member. */
function areApart(contract: Contract, schemas: Together): boolean {
  return schemas.every((one, at) => schemas.slice(at + 1).every((other) => isPairApart(contract, one, other)))
}

function isPairApart(contract: Contract, one: LocatedSchema, other: LocatedSchema): boolean {
  const common = commonTypes(possibleTypes(contract, one), possibleTypes(contract, other))
  if (common.size === 0) return true
  const [values, otherValues] = [one, other].map((located) => listedTogether(contract, [located]))
  if (values && otherValues) return listChanges(values, otherValues).removed.length === values.length
  if (common.size > 1 || !common.has('object')) return false
  const tags = tagsOf(contract, other)
  return [...tagsOf(contract, one)].some(([name, texts]) => {
    const others = tags.get(name)
    return others !== undefined && texts.every((text) => !others.includes(text))
  })
}

/** Returns the listed values of each required member of a schema's objects, as canonical texts. */
function tagsOf(contract: Contract, located: LocatedSchema): ReadonlyMap<string, readonly string[]> {
  const parts = conjoined(contract, located, new Set())
  const own = parts.reduce<Conjunction>(
    (known, part) => (isObject(part.schema) ? withOwn(known, part, part.schema) : known),
    nothingSaid,
  )
  return new Map(
    requiredNames(own).flatMap((name) => {
      const values = listedTogether(contract, own.properties.get(name) ?? [])
      return values ? [[name, values.map(canonicalText)] as const] : []
    }),
  )
}

/** Returns a schema, the target of its reference and the parts of its `allOf`, recursively. */
function conjoined(contract: Contract, located: LocatedSchema, seen: Seen): Together {
  if (seen.has(located.schema) && isObject(located.schema)) return []
  const inside: Seen = new Set([...seen, located.schema])
  const target = followed(located, contract, () => undefined)
  const parts = [...(target ? [target] : []), ...schemaList(located, 'allOf')]
  return [located, ...parts.flatMap((part) => conjoined(contract, part, inside))]
}

function listedTogether(contract: Contract, all: Together): readonly JsonValue[] | undefined {
  const parts = all.flatMap((located) => conjoined(contract, located, new Set()))
  const own = parts.reduce<Conjunction>(
    (known, part) => (isObject(part.schema) ? withOwn(known, part, part.schema) : known),
    nothingSaid,
  )
  return valuesOf(own)
}
