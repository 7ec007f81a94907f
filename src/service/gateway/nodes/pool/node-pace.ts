/** Time that a node is left alone after a 429 without `Retry-After`, and at most, in milliseconds. */
const usualPauseMs = 1_000
const longestPauseMs = 60_000

/** Length of the time in which calls are counted, in milliseconds. */
const secondMs = 1_000

/** Calls a second that are always sent: a limit below it only costs further pauses. */
const leastPerSecond = 16

/** The rate becomes so many times as high after each second without a refusal. */
const growth = 1.25

/** A node is limited for so long after its last 429, in milliseconds. */
const limitedMs = 30_000

/**
 * How fast calls may be sent to a node that has answered 429. It is left alone for as long as it says. The calls of the next
 * second are fewer by half of the share that it refused, and more after a second without a refusal. Times are in
 * milliseconds of a monotonic clock.
 */
export class NodePace {
  #pausedUntil = 0
  #limitedAt = 0
  #perSecond = Number.POSITIVE_INFINITY
  #secondAt: number
  /** Calls that started since then, and the refusals of such calls. */
  #started: number
  #refused = 0

  /** @param inFlight calls that were sent before the first 429 */
  constructor(now: number, inFlight: number) {
    this.#secondAt = now
    this.#started = inFlight
  }

  /** When the next call may start; not later than now while nothing holds it back. */
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
   * Notes a 429.
   * @param retryAfterMs what the node says; undefined if it says nothing
   */
  refused(retryAfterMs: number | undefined, now: number): void {
    this.#turn(now)
    const pause = Math.min(retryAfterMs ?? usualPauseMs, longestPauseMs)
    this.#refused++
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pause)
    this.#limitedAt = now
  }

  /** True if the node has answered 429 lately. */
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
