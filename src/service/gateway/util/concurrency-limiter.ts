/** Limits how many tasks of a user run concurrently. More tasks wait, first come, first served. */
export interface ConcurrencyLimiter {
  /**
   * Runs the task when the user has a free slot, and settles like the task.
   * @param signal ends the wait for a slot; its reason is then the rejection
   */
  run<T>(userId: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

interface UserTasks {
  running: number
  readonly waiting: Set<() => void>
}

/** Waits for a free slot. */
const slot = ({ waiting }: UserTasks, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const start = () => {
      waiting.delete(start)
      signal?.removeEventListener('abort', leave)
      resolve()
    }
    const leave = () => {
      waiting.delete(start)
      reject(signal?.reason)
    }
    if (signal?.aborted === true) {
      leave()
      return
    }
    signal?.addEventListener('abort', leave)
    waiting.add(start)
  })

/**
 * Creates a limiter.
 * @param concurrency maximum number of concurrent tasks of one user
 */
export function createConcurrencyLimiter(concurrency: number): ConcurrencyLimiter {
  const users = new Map<string, UserTasks>()

  function release(userId: string, tasks: UserTasks): void {
    const [next] = tasks.waiting
    if (next !== undefined) next()
    else if (--tasks.running === 0) users.delete(userId)
  }

  return {
    async run(userId, task, signal) {
      const tasks = users.get(userId) ?? { running: 0, waiting: new Set() }
      users.set(userId, tasks)
      if (tasks.running < concurrency) tasks.running++
      else await slot(tasks, signal)
      try {
        return await task()
      } finally {
        release(userId, tasks)
      }
    },
  }
}
