import type { Clock } from './clock.js'

/** When requests may start: evenly spaced, and not while the service asked to wait. */
export class Pacer {
  readonly #interval: number
  readonly #clock: Clock
  readonly #signal: AbortSignal
  /** When the next request may start. */
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

  /** Resolves when it is the caller's turn, in the order of the calls. */
  async turn(): Promise<void> {
    // No burst after a pause: what was not used is not saved up.
    const start = Math.max(this.#clock.now(), this.#next)
    this.#next = start + this.#interval
    for (;;) {
      const wait = Math.max(start, this.#heldUntil) - this.#clock.now()
      if (wait <= 0 || this.#signal.aborted) return
      await this.#clock.sleep(wait, this.#signal)
    }
  }

  /** Lets nothing start for some time. */
  hold(milliseconds: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, this.#clock.now() + milliseconds)
  }
}
