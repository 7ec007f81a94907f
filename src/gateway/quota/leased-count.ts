import type { Lease, Settlement } from './lease-table.js'
import type { QuotaTuning } from './quota-tuning.js'
import { noWindow, type Period, type Window, windowOf } from './window.js'

/** A caller that waits until the leases cover its requests. */
export interface Waiter {
  /** How many requests. */
  readonly n: number
  /** Ends the waiting with so many admitted. */
  admit(admitted: number): void
  reject(error: Error): void
}

/**
 * What one process knows and holds of the count of a subject: of a user, or of a key with a limit of its own. What every
 * request reads comes first, so that it is found together in memory.
 */
export interface LeasedCount {
  /** True when it is counted elsewhere, or not at all any more. */
  isGone: boolean
  /** Requests that the subject may make in the period. */
  limit: number
  /** True when something was asked for since the last sweep. */
  touched: boolean
  /** Under way while those who wait are being served. */
  serving: Promise<void> | undefined
  /** The window that is counted; `noWindow` before the first lease. */
  window: Window
  /** Granted in that window, to all processes. */
  granted: number
  /** Of that, what this process may still admit. */
  left: number
  /** When fewer are left than this, the next lease is asked for; 0 where that is to wait until it is needed. */
  refillBelow: number
  /** Admitted and not written down yet. */
  unwritten: number
  readonly period: Period
  readonly subject: string
  /** Requests that the last lease was to have at most; 0 before the first. */
  leaseSize: number
  /** `performance.now()` when it came. */
  leasedAt: number
  /** Time since it was touched, as far as sweeps can tell. */
  idleMs: number
  /** `performance.now()` until which a refusal is believed. */
  refusedUntil: number
  /** True once the database has been asked in vain for as long as others may hold leases. */
  refused: boolean
  readonly waiting: Waiter[]
  /** Under way while the next lease is asked for and nobody needs it yet; rejects with what kept it away. */
  refilling: Promise<void> | undefined
}

/** A count of which nothing is known yet. */
export function newLeasedCount(subject: string, period: Period, limit: number): LeasedCount {
  return {
    isGone: false,
    limit,
    touched: true,
    serving: undefined,
    window: noWindow,
    granted: 0,
    left: 0,
    refillBelow: 0,
    unwritten: 0,
    period,
    subject,
    leaseSize: 0,
    leasedAt: 0,
    idleMs: 0,
    refusedUntil: 0,
    refused: false,
    waiting: [],
    refilling: undefined,
  }
}

/** What may be admitted of the lease: less than is left of it where the limit was lowered since. */
export function available({ left, limit, granted }: LeasedCount): number {
  return granted <= limit ? left : Math.min(left, Math.max(0, limit - granted + left))
}

/** Takes `n` requests from the lease, which must cover them. */
export function useLease(count: LeasedCount, n: number): void {
  count.left -= n
  count.unwritten += n
}

/**
 * Puts `n` requests back that were taken and not admitted after all. What was taken from a window that has ended goes
 * back to the database: its settlement is returned.
 */
export function putBack(count: LeasedCount, n: number, startsOn: string): Settlement | undefined {
  if (count.window.startsOn === startsOn) {
    useLease(count, -n)
    return undefined
  }
  return { subject: count.subject, period: count.period, startsOn, used: -n, returned: n }
}

/** Gives waiting callers their requests, first come, first served, as long as the leases cover them. */
export function serveWaiting(count: LeasedCount): void {
  for (
    let head = count.waiting[0];
    head !== undefined && available(count) >= head.n;
    head = count.waiting[0]
  ) {
    useLease(count, head.n)
    count.waiting.shift()
    head.admit(head.n)
  }
}

/** Gives waiting callers the rest, because the limit is reached. */
export function refuseWaiting(count: LeasedCount): void {
  for (const { n, admit } of count.waiting.splice(0)) {
    const admitted = Math.min(available(count), n)
    useLease(count, admitted)
    admit(admitted)
  }
}

/** What is to be written of a count, `returned` requests of the lease given back; undefined when nothing is. */
export function settlementOf(count: LeasedCount, returned: number): Settlement | undefined {
  const { subject, period, window, unwritten } = count
  if (unwritten === 0 && returned === 0) return undefined
  count.unwritten = 0
  count.left -= returned
  count.granted -= returned
  return { subject, period, startsOn: window.startsOn, used: unwritten, returned }
}

/** Requests that the next lease may have: about as many as the user sends in a second, within the bounds. */
export function nextLeaseSize(
  { leaseSize, leasedAt }: LeasedCount,
  tuning: Pick<QuotaTuning, 'leaseRequests' | 'leaseRequestsMost' | 'leaseIdleSeconds'>,
  now: number,
): number {
  const isFast = now - leasedAt < tuning.leaseIdleSeconds * 1_000
  const size = isFast ? leaseSize * 2 : leaseSize / 2
  return Math.min(tuning.leaseRequestsMost, Math.max(tuning.leaseRequests, Math.floor(size)))
}

/** Changes the limit: refusals of the old one are not believed any more. */
export function changeLimit(count: LeasedCount, limit: number): void {
  count.limit = limit
  count.refusedUntil = 0
  count.refused = false
}

/** Adds a lease; one of a new window ends the window before, whose settlement is returned. */
export function addLease(
  count: LeasedCount,
  lease: Lease,
  { leaseRefillPercent }: Pick<QuotaTuning, 'leaseRefillPercent'>,
): Settlement | undefined {
  const isNew = count.window.startsOn !== lease.startsOn
  const before = isNew ? settlementOf(count, count.left) : undefined
  if (isNew) count.window = windowOf(count.period, lease.startsOn)
  if (isNew || lease.size > 0) count.refused = false
  count.granted = lease.granted
  count.left += lease.size
  // Toward the limit leases are smaller, and other processes wait for what this one holds without need.
  count.refillBelow = lease.size >= count.leaseSize ? (count.leaseSize * leaseRefillPercent) / 100 : 0
  return before
}
