/** Maximum share of the room for one user, so that a single user cannot use it up. */
const shareOfUser = 0.25

/** Releases reserved memory. It must be called once. */
export type Release = () => void

/** A reservation that waits for memory. */
interface Waiting {
  readonly userId: string | undefined
  readonly bytes: number
  begin(): void
}

/**
 * The memory for large answers while they are read from the nodes of all networks, until they are handed over. An
 * answer waits for its memory before it is read, without holding any, so that no two answers wait for each other.
 */
export class AnswerRoom {
  readonly #limit: number
  readonly #byUser = new Map<string | undefined, number>()
  readonly #waiting = new Set<Waiting>()
  #total = 0

  /** @param limit bytes of all answers together */
  constructor(limit: number) {
    this.#limit = limit
  }

  /**
   * Reserves memory; returns false when too little is left. The only reservation of a user may exceed the user's share.
   * @param userId undefined for calls of the service itself, which have no share
   */
  take(userId: string | undefined, bytes: number): boolean {
    if (!this.#fits(userId, bytes)) return false
    this.#add(userId, bytes)
    return true
  }

  /** Releases reserved memory, and reserves that of waiting answers. */
  give(userId: string | undefined, bytes: number): void {
    this.#add(userId, -bytes)
    for (const next of this.#waiting) {
      if (this.#fits(next.userId, next.bytes)) next.begin()
      // Smaller answers never overtake one that only waits for the memory of all users.
      else if (this.#fitsShare(next.userId, next.bytes)) return
    }
  }

  /**
   * Waits for memory, after earlier answers that wait for the same.
   * @param milliseconds maximum time
   * @param left resolves when the answer is no longer needed
   * @returns false when none is reserved
   */
  wait(
    userId: string | undefined,
    bytes: number,
    milliseconds: number,
    left: Promise<void>,
  ): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isReserved: boolean) => {
        this.#waiting.delete(waiting)
        clearTimeout(timer)
        resolve(isReserved)
      }
      const giveUp = () => end(false)
      const waiting: Waiting = {
        userId,
        bytes,
        begin: () => {
          this.#add(userId, bytes)
          end(true)
        },
      }
      const timer = setTimeout(giveUp, milliseconds)
      left.then(giveUp)
      this.#waiting.add(waiting)
    })
  }

  #fits(userId: string | undefined, bytes: number): boolean {
    return this.#total + bytes <= this.#limit && this.#fitsShare(userId, bytes)
  }

  #fitsShare(userId: string | undefined, bytes: number): boolean {
    const own = userId === undefined ? 0 : (this.#byUser.get(userId) ?? 0)
    return own === 0 || own + bytes <= this.#limit * shareOfUser
  }

  #add(userId: string | undefined, bytes: number): void {
    this.#total += bytes
    const own = (this.#byUser.get(userId) ?? 0) + bytes
    if (own > 0) this.#byUser.set(userId, own)
    else this.#byUser.delete(userId)
  }
}
