/**
 * Returns the delay before another attempt: it doubles with each failure. Callers add their own randomness.
 * @param failures number of failures so far, 1 or more, of any size
 * @param first delay after one failure, in any unit
 * @param longest delay, in the same unit
 * @returns the delay, in the same unit
 */
export const exponentialDelay = (failures: number, first: number, longest: number): number =>
  // A larger power is infinite, and 0 times that is no number.
  Math.min(first * 2 ** Math.min(failures - 1, 1023), longest)
