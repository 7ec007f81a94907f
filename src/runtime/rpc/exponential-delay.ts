/** The bounds of {@link exponentialDelay}, in one unit of time. */
export interface DelayBounds {
  readonly first: number
  readonly longest: number
}

/**
 * Returns the delay before another attempt: it doubles with each failure. Callers add their own randomness.
 * @param failures number of failures so far, 1 or more
 */
export const exponentialDelay = (failures: number, { first, longest }: DelayBounds): number =>
  Math.min(first * 2 ** (failures - 1), longest)
