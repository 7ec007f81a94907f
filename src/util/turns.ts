/** Lets few pieces of work of each user run at once; the others wait for their turn, in order. */
export interface Turns {
  /** Runs the work when its turn comes, and settles as it does. */
  run<T>(userId: string, work: () => Promise<T>): Promise<T>
}

interface Line {
  running: number
  readonly waiting: (() => void)[]
}

/**
 * Makes the turns.
 * @param atOnce pieces of work of one user that run at once
 */
export function createTurns(atOnce: number): Turns {
  const lines = new Map<string, Line>()

  function leave(userId: string, line: Line): void {
    const next = line.waiting.shift()
    if (next !== undefined) next()
    else if (--line.running === 0) lines.delete(userId)
  }

  return {
    async run(userId, work) {
      const line = lines.get(userId) ?? { running: 0, waiting: [] }
      lines.set(userId, line)
      if (line.running < atOnce) line.running++
      else await new Promise<void>((resolve) => line.waiting.push(resolve))
      try {
        return await work()
      } finally {
        leave(userId, line)
      }
    },
  }
}
