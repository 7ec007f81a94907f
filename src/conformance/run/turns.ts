/** Lets several pieces of work run side by side, and one alone when it asks for that. */
export class Turns {
  readonly #running = new Set<{ isAlone: boolean }>()
  readonly #waiting: (() => void)[] = []
  #exclusive: Promise<unknown> = Promise.resolve()

  /**
   * Runs work beside other work.
   * @returns its value, and whether no other work ran at any time meanwhile
   */
  async beside<Value>(
    work: () => Promise<Value>,
  ): Promise<{ readonly value: Value; readonly wasAlone: boolean }> {
    for (let before: unknown; before !== this.#exclusive; ) {
      before = this.#exclusive
      await before
    }
    const own = { isAlone: this.#running.size === 0 }
    for (const other of this.#running) other.isAlone = false
    this.#running.add(own)
    try {
      return { value: await work(), wasAlone: own.isAlone }
    } finally {
      this.#running.delete(own)
      if (this.#running.size === 0) for (const wake of this.#waiting.splice(0)) wake()
    }
  }

  /** Runs work while no other work runs; several such pieces run in the order in which they asked. */
  alone<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#exclusive.then(() => this.#idle()).then(work)
    this.#exclusive = turn.catch(() => {})
    return turn
  }

  #idle(): Promise<void> {
    return this.#running.size === 0
      ? Promise.resolve()
      : new Promise((resolve) => void this.#waiting.push(resolve))
  }
}
