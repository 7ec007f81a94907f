import type { Recipient } from '../protocol/http-source.js'
import { FairLimiter, Holder } from './fair-limiter.js'

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

/**
 * Creates a limiter of memory. A key has a quarter of it, or one larger reservation.
 * @param bytes all reservations together
 * @param wholeKey a key that may use the whole budget, for work without a caller
 */
export const createMemoryLimiter = (bytes: number, wholeKey?: string): FairLimiter =>
  new FairLimiter(
    { units: bytes, unitsPerKey: bytes * shareOfCaller, mayExceedAlone: true },
    (key) => new Holder(key === wholeKey ? bytes : undefined),
  )

/** @param limit bytes of all reservations together */
export function createMemoryBudget(limit: number): MemoryBudget {
  const bytesOf = createMemoryLimiter(limit)
  return {
    isOverShare: (callerId, bytes) => !bytesOf.fitsKey(bytesOf.of(callerId), bytes),
    reserve(callerId, response, bytes) {
      let caller = bytesOf.of(callerId)
      if (!bytesOf.take(caller, bytes)) return undefined
      let reserved = bytes
      const resize = (next: number): boolean => {
        // A caller without bytes may have been dropped.
        if (reserved === 0) caller = bytesOf.of(callerId)
        if (!bytesOf.resize(caller, reserved, next)) return false
        reserved = next
        return true
      }
      response.once('close', () => resize(0))
      return (next) => response.destroyed || resize(next)
    },
    hold(callerId, bytes) {
      const caller = bytesOf.of(callerId)
      bytesOf.hold(caller, bytes)
      return () => bytesOf.give(caller, bytes)
    },
  }
}
