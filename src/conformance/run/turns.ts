/** A turn of a case: its time among the cases that run. */
export interface Turn {
  /** True while no other case has run during this turn. */
  readonly isAlone: boolean
  /** Ends the turn; must be called once. */
  leave(): void
}

/** Lets cases run side by side, and one case alone when it asks for that. */
export class Turns {
  readonly #running = new Set<{ isAlone: boolean }>()
  readonly #waiting: (() => void)[] = []
  #exclusive: Promise<void> = Promise.resolve()

  /** Waits for turns that run alone, then begins a turn beside others. */
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

  /** Begins a turn while no other runs; several such turns run in the order of the calls. */
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
