/** Time in which a cost decays to about a third, in milliseconds; also the time for which callers count as active. */
const memoryMilliseconds = 1_000

/** A caller is light below this part of an even part. Callers with equal loads are not, most of the time. */
const lightPart = 0.9

/** The recent cost of a caller, or of all callers. */
export interface Cost {
  /** Milliseconds of processor time, which decay from `at` on. */
  milliseconds: number
  /** Time of the last change. */
  at: number
  /** Number of the interval in which the caller was active last. */
  interval: number
}

/** Creates the cost of a caller that has not cost anything. */
export const noCost = (): Cost => ({ milliseconds: 0, at: 0, interval: -1 })

/** The recent costs of all callers, by which an overloaded process finds heavy ones. */
export class CallerCosts {
  readonly #total = noCost()
  readonly #now: () => number
  /** Callers that were active in the current interval, and in the one before. */
  #active = 0
  #activeBefore = 0
  #interval = 0

  /** @param now clock, in milliseconds since any moment */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Counts the processor time of a request of a caller, in milliseconds. */
  add(caller: Cost, milliseconds: number): void {
    const now = this.#now()
    this.#startInterval(now)
    if (caller.interval !== this.#interval) {
      caller.interval = this.#interval
      this.#active += 1
    }
    addCost(caller, milliseconds, now)
    addCost(this.#total, milliseconds, now)
  }

  /**
   * True if a caller has cost clearly less than an even part of what all have cost.
   * @param inProgress callers with requests in progress
   */
  isLight(caller: Cost, inProgress: number): boolean {
    const now = this.#now()
    this.#startInterval(now)
    const callers = Math.max(inProgress, this.#active, this.#activeBefore)
    return costAt(caller, now) * callers < costAt(this.#total, now) * lightPart
  }

  #startInterval(now: number): void {
    const interval = Math.floor(now / memoryMilliseconds)
    if (interval === this.#interval) return
    this.#activeBefore = interval === this.#interval + 1 ? this.#active : 0
    this.#active = 0
    this.#interval = interval
  }
}

const costAt = ({ milliseconds, at }: Cost, now: number): number =>
  milliseconds * Math.exp((at - now) / memoryMilliseconds)

function addCost(cost: Cost, milliseconds: number, now: number): void {
  cost.milliseconds = costAt(cost, now) + milliseconds
  cost.at = now
}
