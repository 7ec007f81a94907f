import type { EdgeResponse } from '@concordat/server'

/** Maximum share of the budget for one user, so that a single user cannot use it up. */
const shareOfUser = 0.25

/** Changes the size of a reservation; returns false when too little memory is left. */
export type Resize = (bytes: number) => boolean

/** A limit on the memory that requests or answers of all users use together. */
export interface MemoryBudget {
  /**
   * Reserves memory until the answer is sent or the connection closes. The only reservation of a user may
   * exceed the user's share.
   * @returns undefined when too little memory is left
   */
  reserve(userId: string, response: EdgeResponse, bytes: number): Resize | undefined
  /**
   * Counts memory that is used although the connection has closed, even over the limit.
   * @returns the function that releases it; it must be called once
   */
  hold(userId: string, bytes: number): () => void
  /** True if a reservation of this size would exceed the user's share. */
  isOverShare(userId: string, bytes: number): boolean
}

/** @param limit bytes of all reservations together */
export function createMemoryBudget(limit: number): MemoryBudget {
  const byUser = new Map<string, number>()
  let total = 0
  const add = (userId: string, bytes: number) => {
    total += bytes
    const own = (byUser.get(userId) ?? 0) + bytes
    if (own > 0) byUser.set(userId, own)
    else byUser.delete(userId)
  }
  /** @param reserved the bytes that the new reservation replaces */
  const isOverShare = (userId: string, bytes: number, reserved = 0) => {
    const others = (byUser.get(userId) ?? 0) - reserved
    return others > 0 && others + bytes > limit * shareOfUser
  }
  const fits = (userId: string, reserved: number, bytes: number) =>
    total - reserved + bytes <= limit && !isOverShare(userId, bytes, reserved)
  return {
    isOverShare: (userId, bytes) => isOverShare(userId, bytes),
    reserve(userId, response, bytes) {
      if (!fits(userId, 0, bytes)) return undefined
      let reserved = bytes
      add(userId, bytes)
      const resize = (next: number) => {
        add(userId, next - reserved)
        reserved = next
      }
      response.once('close', () => resize(0))
      return (next) => {
        if (response.destroyed) return true
        if (next > reserved && !fits(userId, reserved, next)) return false
        resize(next)
        return true
      }
    },
    hold(userId, bytes) {
      add(userId, bytes)
      return () => add(userId, -bytes)
    },
  }
}
