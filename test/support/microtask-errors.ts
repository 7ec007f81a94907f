import type { Test } from 'tap'

/**
 * Collects the errors that functions passed to `queueMicrotask` throw during a test. Otherwise they would end the
 * process, as uncaught exceptions do.
 */
export function collectMicrotaskErrors(t: Pick<Test, 'intercept'>): readonly unknown[] {
  const errors: unknown[] = []
  const { queueMicrotask } = globalThis
  const collecting = (run: () => void) => () => {
    try {
      run()
    } catch (error) {
      errors.push(error)
    }
  }
  t.intercept(globalThis, 'queueMicrotask', { value: (run: () => void) => queueMicrotask(collecting(run)) })
  return errors
}
