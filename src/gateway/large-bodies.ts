import type { EdgeResponse } from '../server/index.js'

/** Bodies up to this size, in bytes, are no burden while they arrive: connections are bounded in number. */
export const smallBodyBytes = 16_384

/** Part of the memory that one user may take: nobody keeps the others out. */
const shareOfUser = 0.25

/** The memory that large request bodies of all callers take, from their headers until their answers have been sent. */
export interface LargeBodies {
  /**
   * Reserves what a body that is about to arrive may take, until its answer is sent or the connection ends.
   * @param bytes its size, or the largest one where it is not announced
   * @returns takes its real size once it was read; undefined when there is no room
   */
  enter(userId: string, response: EdgeResponse, bytes: number): ((bytes: number) => void) | undefined
}

/** @param most bytes of all of them together (the contract's `bodyBytesAtOnce`) */
export function createLargeBodies(most: number): LargeBodies {
  const ofUsers = new Map<string, number>()
  let all = 0
  const add = (userId: string, bytes: number) => {
    all += bytes
    const own = (ofUsers.get(userId) ?? 0) + bytes
    if (own > 0) ofUsers.set(userId, own)
    else ofUsers.delete(userId)
  }
  return {
    enter(userId, response, bytes) {
      const own = (ofUsers.get(userId) ?? 0) + bytes
      if (all + bytes > most || own > most * shareOfUser) return undefined
      let held = bytes
      add(userId, bytes)
      const resize = (next: number) => {
        add(userId, next - held)
        held = next
      }
      response.once('close', () => resize(0))
      return (read) => {
        if (!response.closed) resize(read > smallBodyBytes ? read : 0)
      }
    },
  }
}
