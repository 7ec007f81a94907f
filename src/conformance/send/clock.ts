import { setTimeout as after } from 'node:timers/promises'

/** Time, and waiting for it. */
export interface Clock {
  /** Milliseconds since any moment; it never goes back. */
  now(): number
  /** Waits; ends at once when the signal is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** This machine's clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: async (milliseconds, signal) => {
    // An aborted wait is no failure: whoever waits looks at the signal.
    await after(milliseconds, undefined, { signal }).catch(() => {})
  },
}
