/** Limits how many tasks of a user run concurrently. More tasks wait, first come, first served. */
export interface ConcurrencyLimiter {
  /** Runs the task when the user has a free slot, and settles like the task. */
  run<T>(userId: string, task: () => Promise<T>): Promise<T>
}

interface UserTasks {
  running: number
  readonly waiting: (() => void)[]
}

/**
 * Creates a limiter.
 * @param concurrency maximum number of concurrent tasks of one user
 */
export function createConcurrencyLimiter(concurrency: number): ConcurrencyLimiter {
  const users = new Map<string, UserTasks>()

  function release(userId: string, tasks: UserTasks): void {
    const next = tasks.waiting.shift()
    if (next !== undefined) next()
    else if (--tasks.running === 0) users.delete(userId)
  }

  return {
    async run(userId, task) {
      const tasks = users.get(userId) ?? { running: 0, waiting: [] }
      users.set(userId, tasks)
      if (tasks.running < concurrency) tasks.running++
      else await new Promise<void>((resolve) => tasks.waiting.push(resolve))
      try {
        return await task()
      } finally {
        release(userId, tasks)
      }
    },
  }
}
