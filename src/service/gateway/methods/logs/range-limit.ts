/** Maximum number of blocks in a part, also for nodes without a limit: they search all of them. */
const mostBlocks = 100_000

/** Retention of a node's limit after its last refusal, in milliseconds. A node may be replaced or configured anew. */
const rememberMs = 600_000

/**
 * The search for a limit ends when the refused length exceeds the accepted one by at most a tenth. The accepted length
 * then counts as the limit.
 */
const precision = 10

/**
 * The longest range in blocks that the nodes of a network accept in eth_getLogs, as far as they have shown it. One
 * network has one, so that later calls do not search for the limit again.
 */
export class RangeLimit {
  readonly #now: () => number
  /** The longest accepted range, or the limit that a node has stated. */
  #accepted = 0
  /** The shortest range that was refused for its length. */
  #refused = Number.POSITIVE_INFINITY
  #refusedAt = 0

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** The longest accepted range in blocks; undefined while it is not known. */
  get known(): number | undefined {
    const isKnown = this.#accepted > 0 && this.#refused - this.#accepted <= this.#accepted / precision + 1
    return isKnown ? this.#accepted : undefined
  }

  /**
   * Returns the length of a part, in blocks.
   * @param wanted the length without a limit of the node
   */
  part(wanted: number): number {
    if (this.#refused < Number.POSITIVE_INFINITY && this.#now() - this.#refusedAt > rememberMs) this.#forget()
    if (wanted < this.#refused && wanted <= this.#accepted) return wanted
    if (this.#refused === Number.POSITIVE_INFINITY) return Math.min(wanted, mostBlocks)
    return Math.min(wanted, this.known ?? this.#between())
  }

  /** Records a range that a node answered. */
  accepted(blocks: number): void {
    if (blocks > this.#accepted && blocks < this.#refused) this.#accepted = blocks
  }

  /**
   * Records a range that a node refused for its length.
   * @param stated the limit in the node's message, if there is one
   */
  refused(blocks: number, stated: number | undefined): void {
    this.#refusedAt = this.#now()
    if (stated !== undefined && stated >= 1 && stated < blocks) {
      this.#refused = Math.min(this.#refused, stated + 1)
      this.#accepted = Math.min(stated, this.#refused - 1)
      return
    }
    this.#refused = Math.min(this.#refused, blocks)
    // Another node has accepted a longer range.
    if (this.#accepted >= this.#refused) this.#accepted = 0
  }

  /** The next length to try: a quarter of a refused one, then the middle between accepted and refused. */
  #between(): number {
    if (this.#accepted === 0) return Math.max(1, Math.floor(this.#refused / 4))
    return Math.floor((this.#accepted + this.#refused) / 2)
  }

  #forget(): void {
    this.#refused = Number.POSITIVE_INFINITY
    this.#accepted = 0
  }
}
