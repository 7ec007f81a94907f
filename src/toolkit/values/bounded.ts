import fc from 'fast-check'
import { NoValueError } from './constraints.js'

/** Number of consecutive rejected values after which the search ends. */
export const usualTries = 1_000

/**
 * Filters an arbitrary. fast-check's own filter never ends if no value passes.
 * @returns undefined if no value was found
 */
export function bounded<Value>(
  values: fc.Arbitrary<Value>,
  fits: (value: Value) => boolean,
  pointer: string,
  tries = usualTries,
): fc.Arbitrary<Value> | undefined {
  let misses = 0
  const filtered = values.filter((value) => {
    misses = fits(value) ? 0 : misses + 1
    if (misses > tries) {
      misses = 0
      throw new NoValueError(pointer)
    }
    return misses === 0
  })
  try {
    fc.sample(filtered, { seed: 1, numRuns: 1 })
    return filtered
  } catch (error) {
    if (error instanceof NoValueError) return undefined
    throw error
  }
}
