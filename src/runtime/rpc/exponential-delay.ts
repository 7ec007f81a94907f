/**
 * Returns the delay before another attempt: it doubles with each failure. Callers add their own randomness.
 * @param failures number of failures so far, 1 or more, of any size
 * @param first delay after one failure, more than 0, in any unit
 * @param longest delay, in the same unit
 * @returns the delay, in the same unit
 */
export const exponentialDelay = (failures: number, first: number, longest: number): number =>
  Math.min((first * 2 ** failures) / 2, longest)
