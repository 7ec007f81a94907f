/** Upper bounds of the duration classes, in milliseconds. Longer durations are in an additional last class. */
export const durationBounds = [
  0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000,
] as const

/**
 * Returns the class of a duration. Counts by class are stored for months, so bounds can only be added at the end.
 * @param milliseconds measured duration
 */
export function durationClass(milliseconds: number): number {
  let at = 0
  while (at < durationBounds.length && milliseconds > (durationBounds[at] as number)) at++
  return at
}

/**
 * Estimates a quantile from counts by class, assuming that durations are spread evenly within a class.
 * @param counts counts by class
 * @param quantile for example 0.95 for the 95th percentile
 * @param slowest longest duration, in milliseconds
 * @returns milliseconds; undefined without counts
 */
export function estimateQuantile(
  counts: readonly number[],
  quantile: number,
  slowest: number,
): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return undefined
  let before = 0
  for (const [at, count] of counts.entries()) {
    if (count > 0 && before + count >= quantile * total) {
      const from = at === 0 ? 0 : (durationBounds[at - 1] ?? 0)
      const to = Math.max(from, Math.min(durationBounds[at] ?? slowest, slowest))
      return from + ((quantile * total - before) / count) * (to - from)
    }
    before += count
  }
  return slowest
}
