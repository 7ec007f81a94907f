/** Permission to run a case, concurrently with others or alone. */
export interface Turn {
  /** True if no other case ran during this turn. */
  readonly isAlone: boolean
  /** Ends the turn; must be called once. */
  leave(): void
}

/** Runs cases concurrently, or one case exclusively on request. */
export class Turns {
  readonly #running = new Set<{ isAlone: boolean }>()
  readonly #waiting: (() => void)[] = []
  #exclusive: Promise<void> = Promise.resolve()

  /** Waits for exclusive turns, then begins a shared turn. */
  async begin(): Promise<Turn> {
    for (let before: unknown; before !== this.#exclusive; ) {
      before = this.#exclusive
      await before
    }
    const turn = {
      isAlone: this.#running.size === 0,
      leave: () => {
        this.#running.delete(turn)
        if (this.#running.size === 0) for (const wake of this.#waiting.splice(0)) wake()
      },
    }
    for (const other of this.#running) other.isAlone = false
    this.#running.add(turn)
    return turn
  }

  /** Begins an exclusive turn. Several exclusive turns run in the order of the calls. */
  async beginAlone(): Promise<Turn> {
    const before = this.#exclusive
    let leave: () => void = () => undefined
    this.#exclusive = new Promise((resolve) => {
      leave = resolve
    })
    await before
    if (this.#running.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    return { isAlone: true, leave }
  }
}
