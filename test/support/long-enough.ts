/** Maximum time of an attempt, as a multiple of the time of the first one. */
const MOST = 64

/**
 * Repeats an attempt with twice the time until it succeeds, because this machine may be slow.
 * @param milliseconds time of the first attempt
 * @param attempt returns undefined if its time was too short
 * @returns the outcome of the first successful attempt; undefined if all attempts were too short
 */
export async function longEnough<Value>(
  milliseconds: number,
  attempt: (milliseconds: number) => Promise<Value | undefined>,
): Promise<Value | undefined> {
  for (let given = milliseconds; given <= MOST * milliseconds; given *= 2) {
    const outcome = await attempt(given)
    if (outcome !== undefined) return outcome
  }
  return undefined
}
