import { setTimeout as after } from 'node:timers/promises'
import type { Reply } from './exchange.js'

/** Spaces requests evenly and pauses them while the service asks to wait. */
export class Pacer {
  readonly #interval: number
  readonly #clock: Clock
  readonly #signal: AbortSignal
  /** Earliest start of the next request. */
  #next = Number.NEGATIVE_INFINITY
  #heldUntil = Number.NEGATIVE_INFINITY

  /**
   * @param perSecond requests a second; undefined for any number
   * @param signal ends every wait
   */
  constructor(perSecond: number | undefined, clock: Clock, signal: AbortSignal) {
    this.#interval = perSecond === undefined ? 0 : 1000 / perSecond
    this.#clock = clock
    this.#signal = signal
  }

  /** Resolves when the caller can send, in call order. */
  async turn(): Promise<void> {
    // Unused slots are not saved, so that no burst follows a pause.
    const start = Math.max(this.#clock.now(), this.#next)
    this.#next = start + this.#interval
    for (;;) {
      const wait = Math.max(start, this.#heldUntil) - this.#clock.now()
      if (wait <= 0 || this.#signal.aborted) return
      await this.#clock.sleep(wait, this.#signal)
    }
  }

  /**
   * Pauses all requests.
   * @param milliseconds duration of the pause
   */
  hold(milliseconds: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, this.#clock.now() + milliseconds)
  }
}

/** A counting semaphore that serves waiters in order. */
export class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** Acquires a slot. */
  async take(): Promise<void> {
    if (this.#free > 0) {
      this.#free--
      return
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Releases a slot to the longest waiter. */
  give(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free++
    else next()
  }
}

/**
 * Returns the wait that a response asks for, in milliseconds, or undefined. A `Retry-After` date is compared
 * with the response's own `Date`, because clocks differ (RFC 9110, section 10.2.3).
 * @param now current time in milliseconds since 1970
 */
export function retryAfter({ headers }: Reply, now: number): number | undefined {
  const value = headers['retry-after']?.trim() ?? ''
  if (/^\d+$/.test(value)) return Number(value) * 1000
  // HTTP dates begin with a weekday. JavaScript would also accept other texts as dates.
  const until = /^[A-Z][a-z]{2}/.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(until)) return undefined
  const since = Date.parse(headers['date'] ?? '')
  return Math.max(0, until - (Number.isNaN(since) ? now : since))
}

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
