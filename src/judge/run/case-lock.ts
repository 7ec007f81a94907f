/** A held lock of a case, which runs concurrently with others or alone. */
export interface CaseHold {
  /** True if no other case ran while this lock was held. */
  readonly isAlone: boolean
  /** Must be called once. */
  release(): void
}

/** A shared and exclusive lock: cases run concurrently, or one of them alone. */
export class CaseLock {
  readonly #running = new Set<{ isAlone: boolean }>()
  readonly #waiting: (() => void)[] = []
  #exclusive: Promise<void> = Promise.resolve()

  /** Waits until no case holds the lock exclusively or waits for that. */
  async acquireShared(): Promise<CaseHold> {
    for (let before: unknown; before !== this.#exclusive; ) {
      before = this.#exclusive
      await before
    }
    const hold = {
      isAlone: this.#running.size === 0,
      release: () => {
        this.#running.delete(hold)
        if (this.#running.size === 0) for (const wake of this.#waiting.splice(0)) wake()
      },
    }
    for (const other of this.#running) other.isAlone = false
    this.#running.add(hold)
    return hold
  }

  /** Waits until no other case holds the lock. Calls are served in their order. */
  async acquireExclusive(): Promise<CaseHold> {
    const before = this.#exclusive
    let release: () => void = () => undefined
    this.#exclusive = new Promise((resolve) => {
      release = resolve
    })
    await before
    if (this.#running.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    return { isAlone: true, release }
  }
}
