import type { KeyNotes } from '../key-notes.js'

/** Users that are remembered while they have nothing in flight, a few hundred bytes each. */
const usersKept = 50_000

/** Counts the requests in flight of each user (the contract's `requestsAtOncePerUser`). */
export interface RequestsAtOnce {
  /**
   * Takes a place for a request whose body is read.
   * @param notes of the key that it came with, or of none
   * @returns undefined when the user has no place left
   */
  enter(userId: string, notes?: KeyNotes): Place | undefined
}

/** A place among the requests in flight. */
export interface Place {
  /** Gives the place back; once. */
  leave(): void
}

/** A user's requests in flight: each of their places, since these are all alike. */
class InFlight implements Place {
  count = 0
  /** True when the user is counted anew elsewhere. */
  isGone = false

  leave(): void {
    this.count -= 1
  }
}

/**
 * Makes the counter.
 * @param most requests of one user that may be in flight at once; a batch is one
 */
export function createRequestsAtOnce(most: number): RequestsAtOnce {
  const users = new Map<string, InFlight>()
  let room = usersKept
  /** Who has nothing in flight is forgotten: all at once, and seldom. */
  const forget = () => {
    for (const [userId, user] of users) {
      if (user.count > 0) continue
      user.isGone = true
      users.delete(userId)
    }
    room = users.size + usersKept
  }
  const begin = (userId: string): InFlight => {
    if (users.size >= room) forget()
    const user = new InFlight()
    users.set(userId, user)
    return user
  }
  const find = (userId: string, notes: KeyNotes | undefined): InFlight => {
    const noted = notes?.inFlight as InFlight | undefined
    if (noted?.isGone === false) return noted
    const user = users.get(userId) ?? begin(userId)
    if (notes !== undefined) notes.inFlight = user
    return user
  }
  return {
    enter(userId, notes) {
      const user = find(userId, notes)
      if (user.count >= most) return undefined
      user.count += 1
      return user
    },
  }
}
