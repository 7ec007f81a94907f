import type { PoolSettings } from './pool-settings.js'

/** The settings by which the calls of a node are judged. */
export type RecentCallsSettings = Pick<
  PoolSettings,
  'failingWindowMs' | 'failingCalls' | 'failingShare' | 'failingSilent' | 'internalErrorUsers'
>

const millisecondsPerSecond = 1_000

/** Parts of the window. The oldest one is dropped as a whole. */
const partsOfWindow = 10

/** The calls of a part of the window. */
class Part {
  calls = 0
  failed = 0
  /** Number of internal errors by user, where another node answered the same call. */
  readonly internal = new Map<string, number>()

  /** @param number number of the part, since the clock began */
  constructor(readonly number: number) {}
}

/**
 * The calls of a node within a window. A node is failing when a large share of them failed, or when several requests
 * in a row had no answer; then it stays failing for the length of the window. The window moves at failures and
 * checks only, because counting an answer must be cheap. Times are in milliseconds of a monotonic clock.
 */
export class RecentCalls {
  readonly #settings: RecentCallsSettings
  readonly #partMs: number
  #parts: Part[] = []
  #current = new Part(Number.NEGATIVE_INFINITY)
  /** Number of consecutive requests without any answer. */
  #silent = 0
  #wasReached = false
  #failingSince = Number.NEGATIVE_INFINITY

  constructor(settings: RecentCallsSettings) {
    this.#settings = settings
    this.#partMs = settings.failingWindowMs / partsOfWindow
  }

  /** True when the last request had no answer. */
  get isSilent(): boolean {
    return this.#silent > 0
  }

  /** Returns the calls a second of the last parts of the window; 0 if there were none. */
  perSecond(now: number): number {
    this.#move(now)
    const { number } = this.#current
    const from = (number - 1) * this.#partMs
    const calls = this.#parts.reduce((sum, part) => sum + (part.number < number - 1 ? 0 : part.calls), 0)
    return (calls * millisecondsPerSecond) / (now - from)
  }

  /** Counts an answered call. */
  answered(): void {
    this.#current.calls++
    this.#silent = 0
  }

  /**
   * Counts a failed call.
   * @param isSilent true when the node gave no answer
   */
  failed(isSilent: boolean, now: number): void {
    this.#move(now)
    this.#current.calls++
    this.#current.failed++
    this.#silent = isSilent ? this.#silent + 1 : 0
    if (this.#silent >= this.#settings.failingSilent) this.#failingSince = now
  }

  /**
   * Counts an internal error of an answered call that another node then answered without.
   * @param user id of the user whose call it was
   */
  internalError(user: string, now: number): void {
    this.#move(now)
    const { internal } = this.#current
    internal.set(user, (internal.get(user) ?? 0) + 1)
  }

  /** True while calls of the node fail. */
  isFailing(now: number): boolean {
    this.#move(now)
    const isReached = this.#isShareReached()
    if (isReached && !this.#wasReached) this.#failingSince = now
    this.#wasReached = isReached
    return isReached || now - this.#failingSince < this.#settings.failingWindowMs
  }

  /** Forgets all calls: another process may answer at this address now. */
  clear(): void {
    this.#parts = []
    this.#current = new Part(Number.NEGATIVE_INFINITY)
    this.#silent = 0
    this.#wasReached = false
    this.#failingSince = Number.NEGATIVE_INFINITY
  }

  #isShareReached(): boolean {
    const { failingCalls, failingShare } = this.#settings
    let calls = 0
    let failed = 0
    for (const part of this.#parts) {
      calls += part.calls
      failed += part.failed
    }
    return calls >= failingCalls && failed + this.#internalErrors() >= calls * failingShare
  }

  /**
   * Returns the number of internal errors that count against the node: none below the minimum of users, and of each
   * user at most as many as of all others together. So the calls of one user never decide.
   */
  #internalErrors(): number {
    const byUser = new Map<string, number>()
    let all = 0
    for (const { internal } of this.#parts) {
      for (const [user, count] of internal) {
        byUser.set(user, (byUser.get(user) ?? 0) + count)
        all += count
      }
    }
    if (byUser.size < this.#settings.internalErrorUsers) return 0
    let counted = 0
    for (const count of byUser.values()) counted += Math.min(count, all - count)
    return counted
  }

  #move(now: number): void {
    const number = Math.floor(now / this.#partMs)
    if (number === this.#current.number) return
    this.#parts = this.#parts.filter((part) => part.number > number - partsOfWindow)
    this.#current = new Part(number)
    this.#parts.push(this.#current)
  }
}
