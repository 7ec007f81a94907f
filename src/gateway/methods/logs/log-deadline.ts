/** The time that the making of one answer may take; it stands still while the answer's caller takes what is made. */
export class LogDeadline {
  readonly #controller = new AbortController()
  readonly #reason: () => unknown
  #leftMs: number
  #startedAt = 0
  #timer: NodeJS.Timeout | undefined

  /**
   * @param milliseconds how long it may take
   * @param reason makes what calls under way are rejected with then
   */
  constructor(milliseconds: number, reason: () => unknown) {
    this.#leftMs = milliseconds
    this.#reason = reason
    this.resume()
  }

  /** Aborted when the time is over, and when the answer is given up. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The time stands still from now on. */
  pause(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#leftMs -= performance.now() - this.#startedAt
  }

  /** The time goes on. */
  resume(): void {
    if (this.signal.aborted || this.#timer !== undefined) return
    this.#startedAt = performance.now()
    this.#timer = setTimeout(() => this.end(this.#reason()), Math.max(this.#leftMs, 0))
  }

  /** Gives up what is under way. */
  end(reason: unknown): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#controller.abort(reason)
  }
}
