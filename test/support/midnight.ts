const DAY_MS = 86_400_000
/** Longest expected duration of a test that counts the rest of a day, on a slow machine. */
const NEEDED_MS = 180_000

/** Waits for the next UTC day when the current one is nearly over, because daily counts reset at midnight. */
export async function awayFromMidnight(): Promise<void> {
  for (;;) {
    const left = DAY_MS - (Date.now() % DAY_MS)
    if (left > NEEDED_MS) return
    await new Promise((resolve) => setTimeout(resolve, left))
  }
}
