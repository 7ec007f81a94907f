/** Upper bounds of the classes that durations are counted in, in milliseconds; what is longer is in a last class. */
export const durationBounds = [
  0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000,
] as const

/**
 * Number of the class that a duration is counted in. Counts by class are kept for months: bounds can be added at the
 * end, and never changed.
 * @param milliseconds what was measured
 */
export function durationClass(milliseconds: number): number {
  let at = 0
  while (at < durationBounds.length && milliseconds > (durationBounds[at] as number)) at++
  return at
}

/**
 * Estimates a quantile from counts by class, as if durations were spread evenly within each class.
 * @param counts by class; missing ones are none
 * @param quantile 0.95 for the time within which 95 of 100 ended
 * @param slowest the longest of all, in milliseconds
 * @returns milliseconds; undefined where nothing was counted
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
