/**
 * Pause after a 429 without `Retry-After`, and bounds of the pause, in milliseconds. `Retry-After` may be 0, or a time
 * in the past.
 */
const usualPauseMs = 1_000
const shortestPauseMs = 100
const longestPauseMs = 60_000

/** Length of the window in which calls are counted, in milliseconds. */
const secondMs = 1_000

/** Minimum rate, in calls per second. A node with a stricter limit answers 429 again, which only costs pauses. */
const leastPerSecond = 16

/**
 * Calls that may start in the second of the first 429, unless more were started before. It lets a burst after a quiet
 * time be measured.
 */
const leastInFirstSecond = 128

/** Growth factor of the rate after each second without a 429. */
const growth = 1.25

/** Time for which a node counts as limited after its last 429, in milliseconds. */
const limitedMs = 30_000

/**
 * Limits the rate of calls to a node that has answered 429. Calls pause for its `Retry-After`. A second with refusals
 * lowers the rate by half of the refused share, and a second without refusals raises it. Times are in milliseconds of a
 * monotonic clock.
 */
export class NodePace {
  #pausedUntil = 0
  #limitedAt = 0
  #perSecond: number
  #secondAt: number
  /** Calls and refusals since `#secondAt`. */
  #started: number
  #refused = 0

  /**
   * @param inFlight number of calls in flight at the first 429
   * @param perSecond calls a second before it
   */
  constructor(now: number, inFlight: number, perSecond: number) {
    this.#secondAt = now
    this.#started = inFlight
    this.#perSecond = Math.max(leastInFirstSecond, inFlight + perSecond)
  }

  /** Returns when the next call may start; `now` if it may start immediately. */
  nextAt(now: number): number {
    this.#turn(now)
    if (now < this.#pausedUntil) return this.#pausedUntil
    return this.#started < this.#perSecond ? now : this.#secondAt + secondMs
  }

  /** Counts a call that starts. */
  started(now: number): void {
    this.#turn(now)
    this.#started++
  }

  /**
   * Records a 429.
   * @param retryAfterMs `Retry-After` in milliseconds; undefined without a valid one
   */
  refused(retryAfterMs: number | undefined, now: number): void {
    this.#turn(now)
    const pause = Math.min(Math.max(retryAfterMs ?? usualPauseMs, shortestPauseMs), longestPauseMs)
    this.#refused++
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pause)
    this.#limitedAt = now
  }

  /** True if the node has recently answered 429. */
  isLimited(now: number): boolean {
    return now - this.#limitedAt < limitedMs
  }

  #turn(now: number): void {
    if (now - this.#secondAt < secondMs) return
    this.#secondAt = now
    if (this.#started === 0) return
    const share = Math.min(1, this.#refused / this.#started)
    if (share > 0)
      this.#perSecond = Math.max(leastPerSecond, Math.min(this.#perSecond, this.#started) * (1 - share / 2))
    else this.#perSecond *= growth
    this.#started = 0
    this.#refused = 0
  }
}
