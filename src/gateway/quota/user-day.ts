import type { Lease, Settlement } from './lease-table.js'

/** One who waits for requests. */
export interface Waiter {
  readonly n: number
  /** How many of them have been taken from leases so far. */
  got: number
  /** Ends the waiting with so many admitted. */
  admit(admitted: number): void
  reject(error: Error): void
}

/** What one process knows and holds of a user's day. */
export interface UserDay {
  readonly userId: string
  /** UTC day, `YYYY-MM-DD`; empty before the first lease. */
  day: string
  /** When that day ends, ms since 1970 by the database's clock. */
  endsAt: number
  /** Granted on that day, to all processes. */
  granted: number
  /** Of that, what this process may still admit. */
  left: number
  /** Admitted and not written down yet. */
  unwritten: number
  /** `performance.now()` of the last take. */
  touchedAt: number
  /** `performance.now()` of the last time that its count was handed over to be written. */
  writtenAt: number
  /** `performance.now()` until which a refusal is believed. */
  refusedUntil: number
  readonly waiting: Waiter[]
  /** Under way while those who wait are being served. */
  serving: Promise<void> | undefined
}

/** A user of whom nothing is known yet. */
export function newUserDay(userId: string): UserDay {
  return {
    userId,
    day: '',
    endsAt: 0,
    granted: 0,
    left: 0,
    unwritten: 0,
    touchedAt: 0,
    writtenAt: performance.now(),
    refusedUntil: 0,
    waiting: [],
    serving: undefined,
  }
}

/** Takes `n` requests from the lease, which must cover them. */
export function useLease(user: UserDay, n: number): void {
  user.left -= n
  user.unwritten += n
}

/** Gives those who wait their requests, first come, first served, until the lease is used up. */
export function serveWaiting(user: UserDay): void {
  for (let head = user.waiting[0]; head !== undefined; head = user.waiting[0]) {
    const some = Math.min(user.left, head.n - head.got)
    head.got += some
    useLease(user, some)
    if (head.got < head.n) return
    user.waiting.shift()
    head.admit(head.n)
  }
}

/** Requests that those who wait still lack. */
export function lacking(user: UserDay): number {
  return user.waiting.reduce((sum, { n, got }) => sum + n - got, 0)
}

/** What is to be written of a user, `returned` requests of the lease given back; undefined when nothing is. */
export function settlementOf(user: UserDay, returned: number): Settlement | undefined {
  if (user.unwritten === 0 && returned === 0) return undefined
  const settlement = { userId: user.userId, day: user.day, used: user.unwritten, returned }
  user.unwritten = 0
  user.left -= returned
  user.granted -= returned
  user.writtenAt = performance.now()
  return settlement
}

/** Adds a lease; one of a new day ends the day before, and what is to be written of that is given back. */
export function addLease(user: UserDay, lease: Lease, windowSeconds: number): Settlement | undefined {
  const before = user.day === lease.day ? undefined : settlementOf(user, user.left)
  if (user.day !== lease.day) {
    user.day = lease.day
    user.endsAt = Date.parse(lease.day) + windowSeconds * 1_000
  }
  user.granted = lease.granted
  user.left += lease.size
  return before
}
