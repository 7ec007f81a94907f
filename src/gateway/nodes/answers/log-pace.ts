import { setImmediate as nextImmediate } from 'node:timers/promises'

/** Time for logs in one turn of the event loop, in milliseconds. */
const turnMs = 4

/**
 * Limits the time that large answers of eth_getLogs take in one turn of the event loop, over all callers. Node reads up
 * to 2 MB of each connection in a turn, so a few answers at full speed would delay all other requests for 100 ms.
 */
export class LogPace {
  #workedMs = 0
  #nextTurn: Promise<void> | undefined

  /**
   * Counts the time of reading a chunk.
   * @param from start of the work, in milliseconds of a monotonic clock
   * @returns a promise to wait for before the next chunk is read, if the time of this turn is used up
   */
  worked(from: number): Promise<void> | undefined {
    this.#workedMs += performance.now() - from
    if (this.#workedMs < turnMs) return undefined
    this.#nextTurn ??= nextImmediate().then(() => {
      this.#workedMs = 0
      this.#nextTurn = undefined
    })
    return this.#nextTurn
  }
}
