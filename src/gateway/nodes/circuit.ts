import type { PoolSettings } from './pool-settings.js'

type Settings = Pick<
  PoolSettings,
  'failureWindowMs' | 'failures' | 'failureShare' | 'openMs' | 'openMaximumMs'
>

/**
 * Keeps calls away from a node that fails. It opens when failures within a window of time are many, and a large part
 * of the calls; it stays open until a trial of the node succeeds, which becomes due after a while, then after twice as
 * long. Times are those of a clock that does not go back, in milliseconds.
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

  /** True while the node is not to be asked. */
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
   * @returns true when that opened the circuit
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

  /** Opens the circuit, or keeps it open after a trial that failed. */
  open(now: number): void {
    const { openMs, openMaximumMs } = this.#settings
    this.#waitMs = this.#isOpen ? Math.min(this.#waitMs * 2, openMaximumMs) : openMs
    this.#isOpen = true
    this.#trialAt = now + this.#waitMs
  }

  /** Closes the circuit after a trial that succeeded. */
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
