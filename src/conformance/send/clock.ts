import { setTimeout as after } from 'node:timers/promises'

/** A clock that can sleep. */
export interface Clock {
  /** Monotonic time in milliseconds, from an arbitrary origin. */
  now(): number
  /** Sleeps until the time has passed or the signal is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** The system clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: async (milliseconds, signal) => {
    // An aborted sleep is no error. Callers check the signal.
    await after(milliseconds, undefined, { signal }).catch(() => {})
  },
}
