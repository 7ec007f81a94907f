/** Time after which a condition that does not hold is a hang, also on a machine with thirty times the load. */
const LIMIT_SECONDS = 1_800
/** The longest pause between two checks; milliseconds. */
const LONGEST_PAUSE = 25

/**
 * Waits until a condition holds. It is checked every five milliseconds at first, and less often during long waits,
 * which leaves the processor to the program that is awaited.
 * @param find returns the awaited value, or false, null or undefined while the condition does not hold
 * @throws TypeError with the condition when it does not hold within half an hour
 */
export async function until<Value>(
  find: () => Value | Promise<Value>,
): Promise<Exclude<Value, false | null | undefined>> {
  const end = performance.now() + LIMIT_SECONDS * 1_000
  for (let pause = 5; ; pause = Math.min(pause + 1, LONGEST_PAUSE)) {
    const value = await find()
    if (value !== false && value !== null && value !== undefined)
      return value as Exclude<Value, false | null | undefined>
    if (performance.now() > end) throw new TypeError(`after ${LIMIT_SECONDS} s this does not hold: ${find}`)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
