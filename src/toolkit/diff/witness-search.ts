import fc from 'fast-check'
import {
  type Contract,
  ContractError,
  isArray,
  isObject,
  type JsonValue,
  type LocatedSchema,
  leadsTo,
  takesAnything,
} from '../contract/index.js'
import { createChecker, createValues, unlessNone } from '../values/index.js'
import type { FindWitnesses } from './proof.js'

/** Maximum rounds of a search, minimum rounds even after a value was found, and values of each kind in a round. */
const rounds = 20
const roundsAtLeast = 4
const valuesEach = 20

/** A contract, and functions that generate and check its values. */
interface Side {
  readonly contract: Contract
  readonly fits: (located: LocatedSchema, value: JsonValue) => boolean
  readonly values: ReturnType<typeof createValues>
}

/**
 * Creates the search for values that only one of two schemas accepts. It tries values that fit the first schema, and
 * values that violate a single constraint of the second, and returns the shortest value found. The search is
 * deterministic. For schemas that cannot be compiled, it finds no values.
 * @param old the contract of the old schemas
 * @param next the contract of the new schemas
 */
export function createWitnessSearch(old: Contract, next: Contract): FindWitnesses {
  const sideOf = (contract: Contract): Side => ({
    contract,
    fits: createChecker(contract),
    values: createValues(contract, { varied: true }),
  })
  const [before, after] = [sideOf(old), sideOf(next)]
  const known = new Map<string, ReturnType<FindWitnesses>>()
  return (one, other) => {
    const key = JSON.stringify([one.pointer, other.pointer])
    const found = known.get(key) ?? witnesses([before, one], [after, other])
    known.set(key, found)
    return found
  }
}

type Located = readonly [side: Side, schema: LocatedSchema]

function witnesses(old: Located, next: Located): ReturnType<FindWitnesses> {
  try {
    return { old: witness(old, next), new: witness(next, old) }
  } catch (error) {
    if (error instanceof ContractError) return {}
    throw error
  }
}

/**
 * Returns a value that fits only the first schema; undefined if the search finds no value. Prefers values whose members
 * are all described by the first schema.
 */
function witness([of, schema]: Located, [against, other]: Located): ReturnType<FindWitnesses>['old'] {
  const arbitraries = [
    () => of.values.valid([schema]),
    () => against.values.nearlyValid(other).map(({ value }) => value),
  ].flatMap((make) => unlessNone(make) ?? [])
  const found = new Map<string, boolean>()
  for (let seed = 0; seed < rounds; seed++) {
    for (const values of arbitraries)
      for (const value of unlessNone(() => fc.sample(values, { seed, numRuns: valuesEach })) ?? []) {
        const text = JSON.stringify(value)
        if (found.has(text) || !of.fits(schema, value) || against.fits(other, value)) continue
        found.set(text, isDescribed(of.contract, schema, value, []))
      }
    if (seed >= roundsAtLeast && [...found.values()].includes(true)) break
  }
  const all = [...found].map(([text, described]) => ({ text, described }))
  all.sort(
    (a, b) =>
      Number(b.described) - Number(a.described) ||
      a.text.length - b.text.length ||
      (a.text < b.text ? -1 : 1),
  )
  const [first] = all
  return first && { value: JSON.parse(first.text) as JsonValue, described: first.described }
}

/** Returns true if a schema describes each member of a value. `additionalProperties: true` describes none. */
function isDescribed(
  contract: Contract,
  schema: LocatedSchema,
  value: JsonValue,
  path: readonly string[],
): boolean {
  if (isArray(value))
    return value.every((item, at) => isDescribed(contract, schema, item, [...path, String(at)]))
  if (!isObject(value)) return true
  return Object.entries(value).every(
    ([name, inner = null]) =>
      leadsTo(contract, schema, [...path, name], (others) => !takesAnything(others)) &&
      isDescribed(contract, schema, inner, [...path, name]),
  )
}
