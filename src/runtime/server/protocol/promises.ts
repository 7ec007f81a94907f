/** True for a promise of any library. */
export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/**
 * Milliseconds after which tasks are deferred to the next turn of the event loop, so that other requests are served in
 * between. All batches of the process share this time.
 */
const turnMilliseconds = 10

let turnStartedAt: number | undefined

/** Returns the start of the first task in this turn of the event loop, by `performance.now()`. */
function startOfTurn(): number {
  if (turnStartedAt === undefined) {
    turnStartedAt = performance.now()
    setImmediate(() => {
      turnStartedAt = undefined
    })
  }
  return turnStartedAt
}

/**
 * Maps the numbers below `count`, with a limit on concurrent tasks, and returns the values in order. Returns
 * a promise only if a task returns a promise, or if the tasks take several event-loop turns. Rejects with the
 * first rejection.
 *
 * @param concurrency maximum number of unfinished tasks
 */
export function mapConcurrently<T>(
  count: number,
  concurrency: number,
  run: (index: number) => T | PromiseLike<T>,
): T[] | Promise<T[]> {
  const values: T[] = new Array(count)
  let next = 0
  let running = 0
  let isPaused = false
  let finished: (() => void) | undefined
  let failed: ((reason: unknown) => void) | undefined

  function startMore(): void {
    const startedAt = startOfTurn()
    while (next < count && running < concurrency) {
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
