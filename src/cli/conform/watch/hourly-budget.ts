/** Options of an hourly budget. */
export interface HourlyBudgetOptions {
  /** Maximum requests in any hour. */
  readonly perHour: number
  /** Requests at the beginning. */
  readonly first: number
  /** Maximum requests at once. */
  readonly burst: number
  /** Monotonic time in milliseconds. */
  readonly now: () => number
}

/** A token bucket for requests, which refills evenly. No hour has more requests than its budget. */
export class HourlyBudget {
  readonly #options: HourlyBudgetOptions
  #level: number
  #at: number
  /** Requests of the last hour. */
  #sent: readonly { readonly at: number; readonly requests: number }[] = []

  constructor(options: HourlyBudgetOptions) {
    this.#options = options
    this.#level = options.first
    this.#at = options.now()
  }

  /** Returns how many requests may be sent now. */
  available(): number {
    const { perHour, burst, now } = this.#options
    const at = now()
    this.#level = Math.min(burst, this.#level + ((at - this.#at) * perHour) / HOUR_MS)
    this.#at = at
    this.#sent = this.#sent.filter((some) => some.at > at - HOUR_MS)
    const lately = this.#sent.reduce((sum, { requests }) => sum + requests, 0)
    return Math.max(0, Math.floor(Math.min(this.#level, perHour - lately)))
  }

  /** Subtracts requests that were sent until now. */
  spend(requests: number): void {
    this.available()
    this.#level -= requests
    this.#sent = [...this.#sent, { at: this.#at, requests }]
  }
}

/** An hour in milliseconds. */
const HOUR_MS = 3_600_000
