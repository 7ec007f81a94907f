/** Time in which a cost decays to 1/e, and length of the intervals that count active callers, in milliseconds. */
const memoryMilliseconds = 1_000

/** A caller is light below this fraction of an equal share. It is below 1, so that equal callers are rarely light. */
const lightPart = 0.9

/** The recent cost of a caller, or of all callers. */
export interface Cost {
  /** Processor time in milliseconds at the time `at`. It decays from then on. */
  milliseconds: number
  /** Time of the last change, in milliseconds. */
  at: number
  /** Number of the last interval in which the caller was active. */
  interval: number
}

/** A caller's initial cost: zero. */
export const noCost = (): Cost => ({ milliseconds: 0, at: 0, interval: -1 })

/** The recent costs of all callers, by which an overloaded process finds light callers. */
export class CallerCosts {
  readonly #total = noCost()
  readonly #now: () => number
  /** Number of callers that were active in the current interval, and in the previous interval. */
  #active = 0
  #activeBefore = 0
  #interval = 0

  /** @param now clock, in milliseconds since any moment */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Adds the processor time of a request, in milliseconds, to the cost of its caller. */
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
   * Returns true if the cost of a caller is clearly below an equal share of the total cost.
   * @param inProgress number of callers with requests in progress
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
