const DAY_MS = 86_400_000
/** Time that a test may take which counts what is left of a day, on a machine that is slow. */
const NEEDED_MS = 180_000

/** Waits for the next day where this one (UTC) is nearly over: counts of a day begin again at midnight. */
export async function awayFromMidnight(): Promise<void> {
  for (;;) {
    const left = DAY_MS - (Date.now() % DAY_MS)
    if (left > NEEDED_MS) return
    await new Promise((resolve) => setTimeout(resolve, left))
  }
}
