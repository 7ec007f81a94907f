/** A place among the tasks that run at the same time. */
export interface Slot {
  /** Resolves when the task may run. Undefined if it may run at once. */
  readonly granted: Promise<void> | undefined
  /** Frees the place, or leaves the queue. Called once. */
  readonly release: () => void
}

/**
 * Creates a limit of concurrent tasks. Further tasks wait in order.
 * @param limit the number of tasks
 * @returns a function that requests a place
 */
export function createLimiter(limit: number): () => Slot {
  let running = 0
  const queue = new Set<() => void>()
  const release = () => {
    const [next] = queue
    if (!next) running -= 1
    else if (queue.delete(next)) next()
  }
  return () => {
    if (running < limit) {
      running += 1
      return { granted: undefined, release }
    }
    let enter = () => {}
    const granted = new Promise<void>((resolve) => {
      enter = resolve
    })
    queue.add(enter)
    return { granted, release: () => queue.delete(enter) || release() }
  }
}
