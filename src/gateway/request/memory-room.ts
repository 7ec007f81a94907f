import type { EdgeResponse } from '../../server/index.js'

/** Part of the room that one user may take: nobody keeps the others out. */
const shareOfUser = 0.25

/** A bound for the memory that requests or answers of all users take together, until the answers have been sent. */
export interface MemoryRoom {
  /**
   * Takes room until the answer is sent or its connection ends. What a user has alone in it may be larger than a share.
   * @param bytes that are taken
   * @returns changes how many they are, and tells whether it could; undefined when there is no room
   */
  enter(userId: string, response: EdgeResponse, bytes: number): ((bytes: number) => boolean) | undefined
}

/** @param most bytes that all of it may take */
export function createMemoryRoom(most: number): MemoryRoom {
  const ofUsers = new Map<string, number>()
  let all = 0
  const add = (userId: string, bytes: number) => {
    all += bytes
    const own = (ofUsers.get(userId) ?? 0) + bytes
    if (own > 0) ofUsers.set(userId, own)
    else ofUsers.delete(userId)
  }
  /** @param held of it by the one that asks */
  const fits = (userId: string, held: number, bytes: number) => {
    const others = (ofUsers.get(userId) ?? 0) - held
    const isOverShare = others > 0 && others + bytes > most * shareOfUser
    return all - held + bytes <= most && !isOverShare
  }
  return {
    enter(userId, response, bytes) {
      if (!fits(userId, 0, bytes)) return undefined
      let held = bytes
      add(userId, bytes)
      const resize = (next: number) => {
        add(userId, next - held)
        held = next
      }
      response.once('close', () => resize(0))
      return (next) => {
        if (response.destroyed) return true
        if (next > held && !fits(userId, held, next)) return false
        resize(next)
        return true
      }
    },
  }
}
