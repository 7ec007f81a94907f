import type { Clock } from './clock.js'

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
