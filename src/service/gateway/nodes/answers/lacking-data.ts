import type { OlderData } from '../head-of-call.js'

/**
 * Remembers the data that a node lacks. A node that lacks a block or its state is assumed to lack all older
 * ones, too.
 */
export class LackingData {
  readonly #found = new Map<OlderData['kind'], { readonly upTo: number; readonly until: number }>()

  /**
   * Remembers missing data.
   * @param recent number of a block: this block and later ones are not remembered
   * @param forMs how long to remember it, in milliseconds
   */
  remember({ kind, number }: OlderData, recent: number, forMs: number): void {
    if (number === undefined || number >= recent) return
    const now = performance.now()
    const found = this.#found.get(kind)
    const upTo = found !== undefined && now < found.until ? Math.max(found.upTo, number) : number
    this.#found.set(kind, { upTo, until: now + forMs })
  }

  /**
   * True while the node is known to lack this data.
   * @param now time of a monotonic clock, in milliseconds
   */
  has({ kind, number }: OlderData, now: number): boolean {
    const found = this.#found.get(kind)
    return found !== undefined && number !== undefined && number <= found.upTo && now < found.until
  }
}
