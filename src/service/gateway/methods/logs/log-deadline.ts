/** The deadline for finding the logs of one answer; it pauses while the caller receives data. */
export class LogDeadline {
  readonly #controller = new AbortController()
  readonly #reason: () => unknown
  readonly #now: () => number
  #leftMs: number
  #startedAt = 0
  /** Number of pauses that have not ended. */
  #pauses = 1
  #timer: NodeJS.Timeout | undefined

  /**
   * @param milliseconds the allowed time
   * @param reason creates the reason with which calls in flight reject at the deadline
   * @param now a monotonic clock, in milliseconds
   */
  constructor(milliseconds: number, reason: () => unknown, now: () => number = () => performance.now()) {
    this.#leftMs = milliseconds
    this.#reason = reason
    this.#now = now
    this.resume()
  }

  /** Aborts at the deadline, and when the search is cancelled. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Time until the deadline, in milliseconds. */
  get leftMs(): number {
    return this.#timer === undefined ? this.#leftMs : this.#leftMs - (this.#now() - this.#startedAt)
  }

  /** Pauses the deadline. Pauses of concurrent parts add up. */
  pause(): void {
    this.#pauses++
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#leftMs = this.leftMs
    this.#timer = undefined
  }

  /** Ends a pause. */
  resume(): void {
    this.#pauses--
    if (this.signal.aborted || this.#pauses > 0) return
    this.#startedAt = this.#now()
    this.#timer = setTimeout(() => this.end(this.#reason()), Math.max(this.#leftMs, 0))
  }

  /** Cancels the calls in flight. */
  end(reason: unknown): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#controller.abort(reason)
  }
}
