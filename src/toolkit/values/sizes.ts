import type fc from 'fast-check'
import { NoValueError } from './constraints.js'

/** Maximum number of values inside one value. fast-check holds all of them in memory at once. */
const valuesMost = 700_000

const sizes = new WeakMap<object, number>()

/** Returns how many values each value of an arbitrary contains, at least about. */
export function sizeOf(values: fc.Arbitrary<unknown>): number {
  return sizes.get(values) ?? 1
}

/**
 * Records how many values each value of an arbitrary contains.
 * @throws NoValueError if they are too many to generate
 */
export function withSize<Value extends fc.Arbitrary<unknown>>(
  values: Value,
  size: number,
  pointer: string,
): Value {
  if (size > valuesMost) throw new NoValueError(pointer)
  sizes.set(values, size)
  return values
}
