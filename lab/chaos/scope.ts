/** What the starters of `test/support/` need of a test: a run of its own has it, too. */
export interface Scope {
  /** Adds work for the end of the run; the last added work runs first. */
  teardown(work: () => unknown): void
  comment(text: string): void
}

/** Creates the scope of a run. */
export function createScope(comment: (text: string) => void): Scope & { readonly end: () => Promise<void> } {
  const works: (() => unknown)[] = []
  return {
    comment,
    teardown: (work) => void works.push(work),
    async end() {
      for (const work of works.splice(0).reverse()) await work()
    },
  }
}
