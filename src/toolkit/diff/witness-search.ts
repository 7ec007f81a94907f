import fc from 'fast-check'
import { type Contract, ContractError, type JsonValue, type LocatedSchema } from '../contract/index.js'
import { createChecker, createValues, unlessNone } from '../values/index.js'
import type { FindWitnesses } from './proof.js'

/** Number of rounds of a search, and of values of each kind in a round. */
const rounds = 20
const valuesEach = 20

/** A contract whose values are tried. */
interface Side {
  readonly fits: (located: LocatedSchema, value: JsonValue) => boolean
  readonly values: ReturnType<typeof createValues>
}

/**
 * Creates the search of `diff` for values that only one of two schemas accepts: values that fit the one, and values that
 * violate a single constraint of the other. Equal contracts give equal values; the shortest one found is returned. Schemas
 * that cannot be compiled have no values.
 * @param old the contract of the old schemas
 * @param next the contract of the new schemas
 */
export function createWitnessSearch(old: Contract, next: Contract): FindWitnesses {
  const sideOf = (contract: Contract): Side => ({
    fits: createChecker(contract),
    values: createValues(contract, { varied: true }),
  })
  const [before, after] = [sideOf(old), sideOf(next)]
  return (one, other) => {
    try {
      return {
        old: witness([before, one], [after, other]),
        new: witness([after, other], [before, one]),
      }
    } catch (error) {
      if (error instanceof ContractError) return {}
      throw error
    }
  }
}

type Located = readonly [side: Side, schema: LocatedSchema]

/** Returns a value that fits the first schema only, or undefined if none was found. */
function witness([of, schema]: Located, [against, other]: Located): JsonValue | undefined {
  const tried = [
    () => of.values.valid([schema]),
    () => against.values.nearlyValid(other).map(({ value }) => value),
  ].flatMap(sampled)
  const found = tried.filter((value) => of.fits(schema, value) && !against.fits(other, value))
  const texts = found.map((value) => JSON.stringify(value))
  const shortest = texts.sort((a, b) => a.length - b.length || (a < b ? -1 : 1))[0]
  return shortest === undefined ? undefined : JSON.parse(shortest)
}

/** Returns values of an arbitrary; none if it has none. */
function sampled(make: () => fc.Arbitrary<JsonValue>): readonly JsonValue[] {
  const values = unlessNone(make)
  if (values === undefined) return []
  return Array.from({ length: rounds }, (_, seed) => seed).flatMap(
    (seed) => unlessNone(() => fc.sample(values, { seed, numRuns: valuesEach })) ?? [],
  )
}
