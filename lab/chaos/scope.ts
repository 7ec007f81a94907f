/** The part of a test that the helpers of `test/support/` use. Runs without a test create it themselves. */
export interface Scope {
  /** Adds work for the end of the run. The last added work runs first. */
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
