/** Time after which a condition that does not hold is a failure, also on a busy machine. */
const LIMIT_SECONDS = 300

/**
 * Waits until a condition holds. The condition is checked every five milliseconds.
 * @throws TypeError with the condition when it does not hold within five minutes
 */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + LIMIT_SECONDS * 1_000
  while (!(await holds())) {
    if (performance.now() > end) throw new TypeError(`after ${LIMIT_SECONDS} s this does not hold: ${holds}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
