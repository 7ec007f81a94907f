/** Counts the requests in flight of each user (the contract's `requestsAtOncePerUser`). */
export interface RequestsAtOnce {
  /**
   * Takes a place for a request whose body is read.
   * @returns gives the place back, once; undefined when the user has no place left
   */
  enter(userId: string): (() => void) | undefined
}

/** A user's requests in flight, and what ends any one of them. */
interface InFlight {
  count: number
  readonly leave: () => void
}

/**
 * Makes the counter.
 * @param most requests of one user that may be in flight at once; a batch is one
 */
export function createRequestsAtOnce(most: number): RequestsAtOnce {
  const users = new Map<string, InFlight>()
  const begin = (userId: string): InFlight => {
    const user: InFlight = {
      count: 0,
      leave() {
        user.count -= 1
        if (user.count === 0) users.delete(userId)
      },
    }
    users.set(userId, user)
    return user
  }
  return {
    enter(userId) {
      const user = users.get(userId) ?? begin(userId)
      if (user.count >= most) return undefined
      user.count += 1
      return user.leave
    },
  }
}
