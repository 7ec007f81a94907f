/** Returns the median of some values, the upper one of two, or NaN without values. */
export function median(values: readonly number[] = []): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
