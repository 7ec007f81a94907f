import type { Recipient } from '../protocol/http-source.js'

/** Maximum share of the budget for one caller, so that a single caller cannot use it up. */
const shareOfCaller = 0.25

/** Changes the size of a reservation; returns false when too little memory is left. */
export type Resize = (bytes: number) => boolean

/** A limit on the memory that requests or answers of all callers use together. */
export interface MemoryBudget {
  /**
   * Reserves memory until the answer is sent or the connection closes. The only reservation of a caller may
   * exceed the caller's share.
   * @returns undefined when too little memory is left
   */
  reserve(callerId: string, response: Recipient, bytes: number): Resize | undefined
  /**
   * Counts memory that is used although the connection has closed, even over the limit.
   * @returns the function that releases it; it must be called once
   */
  hold(callerId: string, bytes: number): () => void
  /** True if a reservation of this size would exceed the caller's share. */
  isOverShare(callerId: string, bytes: number): boolean
}

/** @param limit bytes of all reservations together */
export function createMemoryBudget(limit: number): MemoryBudget {
  const byCaller = new Map<string, number>()
  let total = 0
  const add = (callerId: string, bytes: number) => {
    total += bytes
    const own = (byCaller.get(callerId) ?? 0) + bytes
    if (own > 0) byCaller.set(callerId, own)
    else byCaller.delete(callerId)
  }
  /** @param reserved the bytes that the new reservation replaces */
  const isOverShare = (callerId: string, bytes: number, reserved = 0) => {
    const others = (byCaller.get(callerId) ?? 0) - reserved
    return others > 0 && others + bytes > limit * shareOfCaller
  }
  const fits = (callerId: string, reserved: number, bytes: number) =>
    total - reserved + bytes <= limit && !isOverShare(callerId, bytes, reserved)
  return {
    isOverShare: (callerId, bytes) => isOverShare(callerId, bytes),
    reserve(callerId, response, bytes) {
      if (!fits(callerId, 0, bytes)) return undefined
      let reserved = bytes
      add(callerId, bytes)
      const resize = (next: number) => {
        add(callerId, next - reserved)
        reserved = next
      }
      response.once('close', () => resize(0))
      return (next) => {
        if (response.destroyed) return true
        if (next > reserved && !fits(callerId, reserved, next)) return false
        resize(next)
        return true
      }
    },
    hold(callerId, bytes) {
      add(callerId, bytes)
      return () => add(callerId, -bytes)
    },
  }
}
