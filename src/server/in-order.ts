/** Tells a promise, of whatever library, from a value. */
export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/** Time after which tasks are continued in the next turn of the event loop, in milliseconds: others are answered between. */
const turnMilliseconds = 10

/**
 * Runs numbered tasks, few at a time, and gives their values in the tasks' order; without a promise when every task
 * ended at once. Tasks that take long together are spread over turns of the event loop. Rejects with the first
 * rejection.
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
  let isPaused = false
  let finished: (() => void) | undefined
  let failed: ((reason: unknown) => void) | undefined

  function startMore(): void {
    const startedAt = performance.now()
    while (next < count && running < atOnce) {
      const index = next++
      const value = run(index)
      if (isPromiseLike(value)) wait(index, value)
      else values[index] = value
      if (next < count && performance.now() - startedAt >= turnMilliseconds) {
        pause()
        return
      }
    }
    if (running === 0) finished?.()
  }

  function pause(): void {
    isPaused = true
    setImmediate(() => {
      isPaused = false
      try {
        startMore()
      } catch (reason) {
        failed?.(reason)
      }
    })
  }

  function wait(index: number, value: PromiseLike<T>): void {
    running++
    value.then(
      (settled) => {
        values[index] = settled
        running--
        if (!isPaused) startMore()
      },
      (reason) => failed?.(reason),
    )
  }

  startMore()
  if (running === 0 && !isPaused) return values
  return new Promise((resolve, reject) => {
    finished = () => resolve(values)
    failed = reject
  })
}
