import t from 'tap'

/**
 * Loads a part of a test file in a test, which starts after the tests of the previous part. Without this test, tap
 * could end the run while a module loads, and stop the services that the parts share.
 */
export function loadInTest(name: string, load: () => Promise<unknown>): Promise<unknown> {
  return t.test(name, async (t) => {
    await load()
    t.pass('is loaded, and its tests follow')
  })
}

/** Loads the parts of a test file, in order. */
export async function loadParts(...parts: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const [at, load] of parts.entries()) await loadInTest(`part ${at + 1} of ${parts.length}`, load)
}
