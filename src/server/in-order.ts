/** Tells a promise, of whatever library, from a value. */
export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/**
 * Runs numbered tasks, few at a time, and gives their values in the tasks' order; without a promise when every task
 * ended at once. Rejects with the first rejection.
 *
 * @param atOnce how many tasks may be unfinished at once
 */
export function inOrder<T>(
  count: number,
  atOnce: number,
  run: (index: number) => T | PromiseLike<T>,
): T[] | Promise<T[]> {
  const values: T[] = new Array(count)
  let next = 0
  let running = 0
  let finished: (() => void) | undefined
  let failed: ((reason: unknown) => void) | undefined

  function startMore(): void {
    while (next < count && running < atOnce) {
      const index = next++
      const value = run(index)
      if (isPromiseLike(value)) wait(index, value)
      else values[index] = value
    }
    if (running === 0) finished?.()
  }

  function wait(index: number, value: PromiseLike<T>): void {
    running++
    value.then(
      (settled) => {
        values[index] = settled
        running--
        startMore()
      },
      (reason) => failed?.(reason),
    )
  }

  startMore()
  if (running === 0) return values
  return new Promise((resolve, reject) => {
    finished = () => resolve(values)
    failed = reject
  })
}
