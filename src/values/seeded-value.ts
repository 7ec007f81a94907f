import { createHash } from 'node:crypto'
import fc from 'fast-check'

/**
 * Returns the value of an arbitrary for a seed text. It is stable for the same text and version of
 * fast-check.
 */
export function seededValue<Value>(values: fc.Arbitrary<Value>, text: string): Value {
  const seed = createHash('sha256').update(text).digest().readInt32LE(0)
  const [value] = fc.sample(fc.noBias(values), { seed, numRuns: 1 })
  return value as Value
}
