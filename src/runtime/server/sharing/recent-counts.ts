/** Keys in a generation. At least as many keys are counted, and at most twice as many. */
const keysOfGeneration = 50_000

/**
 * Counts events of keys in windows of time. The number of keys is bounded: of many, the oldest are dropped first, so that
 * events of many keys never reset the counts of all.
 */
export class RecentCounts {
  // The first key of one Map would be slow to find: it comes after the entries that were deleted.
  #young = new Map<string, number>()
  #old: ReadonlyMap<string, number> = new Map()
  readonly #windowMilliseconds: number
  readonly #now: () => number
  #window = 0

  /**
   * @param windowMilliseconds length of the windows; they begin at its multiples
   * @param now clock, in milliseconds since any moment
   */
  constructor(windowMilliseconds: number, now: () => number) {
    this.#windowMilliseconds = windowMilliseconds
    this.#now = now
  }

  /** Counts an event, and returns the number of events of the key in this window. */
  add(key: string): number {
    const count = this.of(key) + 1
    if (this.#young.size >= keysOfGeneration) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, count)
    return count
  }

  /** Number of events of a key in this window. */
  of(key: string): number {
    const window = Math.floor(this.#now() / this.#windowMilliseconds)
    if (window !== this.#window) {
      this.#window = window
      this.#young = new Map()
      this.#old = new Map()
    }
    return this.#young.get(key) ?? this.#old.get(key) ?? 0
  }
}
