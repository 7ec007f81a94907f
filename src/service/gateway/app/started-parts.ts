/** The parts of the service that were started. They are stopped in reverse order. */
export class StartedParts {
  readonly #stops: (() => Promise<unknown>)[] = []

  /** Adds the function that stops a part. It is called once. */
  add(stop: () => Promise<unknown>): void {
    this.#stops.push(stop)
  }

  /** Waits for a part that is being opened, and adds the function that closes it. */
  async open<Part>(opening: Promise<Part>, close: (part: Part) => Promise<unknown>): Promise<Part> {
    const part = await opening
    this.add(() => close(part))
    return part
  }

  /** Stops every part, also after one of them failed; rejects with the first failure. */
  async stop(): Promise<void> {
    const failures: unknown[] = []
    for (const stop of this.#stops.splice(0).reverse()) await stop().catch((error) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }
}
