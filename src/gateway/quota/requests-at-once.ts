/** Counts the requests in flight of each user (the contract's `requestsAtOncePerUser`). */
export interface RequestsAtOnce {
  /**
   * Takes a place for a request whose body is read.
   * @returns gives the place back, once; undefined when the user has no place left
   */
  enter(userId: string): (() => void) | undefined
}

/**
 * Makes the counter.
 * @param most requests of one user that may be in flight at once; a batch is one
 */
export function createRequestsAtOnce(most: number): RequestsAtOnce {
  const inFlight = new Map<string, number>()
  return {
    enter(userId) {
      const count = (inFlight.get(userId) ?? 0) + 1
      if (count > most) return undefined
      inFlight.set(userId, count)
      return () => {
        const left = (inFlight.get(userId) ?? 1) - 1
        if (left > 0) inFlight.set(userId, left)
        else inFlight.delete(userId)
      }
    },
  }
}
