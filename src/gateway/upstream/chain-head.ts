import type { ChainView } from './choose-node.js'

/**
 * The most recent block that any node of a network has told, as far as this process knows: callers were told of it, or
 * may have been, so no answer may be older.
 */
export class ChainHead implements ChainView {
  highest = -1
  highestHash: string | undefined
  readonly #listeners = new Set<(head: bigint) => void>()
  #missingSince: number | undefined

  /** The head for others; undefined before the first. */
  get number(): bigint | undefined {
    return this.highest < 0 ? undefined : BigInt(this.highest)
  }

  /** Tells each new head, until the function that it returns is called. */
  onHead(listener: (head: bigint) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Takes what a node told.
   * @returns true when that is a new head
   */
  take(number: number, hash: string | undefined): boolean {
    if (number === this.highest) this.highestHash ??= hash
    if (number <= this.highest) return false
    this.highest = number
    this.highestHash = hash
    const head = BigInt(number)
    for (const listener of this.#listeners) listener(head)
    return true
  }

  /** Gives up a head that never was: the highest that is believed now takes its place. */
  retreat(best: number): void {
    if (best >= this.highest) return
    this.highest = best
    this.highestHash = undefined
    this.#missingSince = undefined
  }

  /**
   * Gives the head up when no node has had it for long: the chain began anew, or lost its end.
   * @param best the highest head of the nodes that can be asked; -1 when there is none
   * @param now time of a clock that does not go back, in milliseconds
   * @param givenUpMs how long that is
   * @returns the head that was given up; undefined when none was
   */
  review(best: number, now: number, givenUpMs: number): number | undefined {
    if (best < 0) return undefined
    if (best >= this.highest) {
      this.#missingSince = undefined
      return undefined
    }
    this.#missingSince ??= now
    if (now - this.#missingSince < givenUpMs) return undefined
    const lost = this.highest
    this.retreat(best)
    return lost
  }
}
