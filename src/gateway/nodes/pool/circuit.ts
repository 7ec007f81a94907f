import type { PoolSettings } from './pool-settings.js'

type Settings = Pick<
  PoolSettings,
  'failureWindowMs' | 'failures' | 'failureShare' | 'openMs' | 'openMaximumMs'
>

/**
 * Circuit breaker of a node. It opens when the failures within a time window are many, and a large share of
 * the calls. It stays open until a trial succeeds; the time between trials doubles after each failure. Times
 * are in milliseconds of a monotonic clock.
 */
export class Circuit {
  readonly #settings: Settings
  #windowFrom = Number.NEGATIVE_INFINITY
  #ended = 0
  #failed = 0
  #isOpen = false
  #trialAt = 0
  #waitMs = 0

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** True while calls must not go to the node. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** When the next trial of an open circuit is due. */
  get trialAt(): number {
    return this.#trialAt
  }

  /** Counts a call that the node answered. */
  succeeded(): void {
    this.#ended++
  }

  /**
   * Counts a call that the node did not answer.
   * @returns true when this failure opened the circuit
   */
  failed(now: number): boolean {
    if (now - this.#windowFrom > this.#settings.failureWindowMs) this.#startWindow(now)
    this.#ended++
    this.#failed++
    const { failures, failureShare } = this.#settings
    if (this.#isOpen || this.#failed < failures || this.#failed < this.#ended * failureShare) return false
    this.open(now)
    return true
  }

  /** Opens the circuit, or keeps it open after a failed trial. */
  open(now: number): void {
    const { openMs, openMaximumMs } = this.#settings
    this.#waitMs = this.#isOpen ? Math.min(this.#waitMs * 2, openMaximumMs) : openMs
    this.#isOpen = true
    this.#trialAt = now + this.#waitMs
  }

  /** Closes the circuit after a successful trial. */
  close(now: number): void {
    this.#isOpen = false
    this.#startWindow(now)
  }

  #startWindow(now: number): void {
    this.#windowFrom = now
    this.#ended = 0
    this.#failed = 0
  }
}
