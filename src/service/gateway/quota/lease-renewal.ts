import { setTimeout as delay } from 'node:timers/promises'
import { failure } from '@concordat/node-access-contract/errors'
import type { LeaseSource } from './lease-source.js'
import type { Lease, LeaseQuestion, Settlement } from './lease-statements.js'
import {
  addLease,
  available,
  expectedRequests,
  isOutgrown,
  type LeasedCount,
  nextLeaseSize,
  refuseWaiting,
  serveWaiting,
} from './leased-count.js'
import type { QuotaTuning } from './quota-tuning.js'

/** Time for which a refusal is cached, in milliseconds. */
const REFUSAL_MS = 1_000
/** Pause between lease requests while other processes hold the remaining requests, in milliseconds. */
const RETRY_MS = 100
/**
 * Pause after a failed request for a lease in advance, in milliseconds. A balancer without a server refuses at once, so
 * after a failover this is the time until the new primary is found.
 */
const RETRY_FAILED_MS = 250

/** Options of {@link createLeaseRenewal}. */
export interface LeaseRenewalOptions {
  readonly tuning: QuotaTuning
  readonly lease: LeaseSource
  /** Receives the settlements of windows that have ended. */
  readonly settle: (settlement: Settlement | undefined) => void
  /** Called after each lease. */
  readonly onLease: (count: LeasedCount) => void
  /** The database's time, in milliseconds since 1970. */
  readonly now: () => number
  /** True if other processes may hold leases. */
  readonly isShared: boolean
}

/** Requests leases for counts. */
export interface LeaseRenewal {
  /** Waits until leases cover `n` requests. Resolves with the admitted number, which is smaller at the limit. */
  wait(count: LeasedCount, n: number): Promise<number>
  /**
   * Renews the lease before it is exhausted, so callers never wait.
   * @param at time by the database's clock, in milliseconds since 1970
   */
  refillInTime(count: LeasedCount, at: number): void
  /**
   * True if the limit is known to be reached, without a query. A refusal in use is renewed before it expires, so that
   * an exhausted limit stays known for as long as it refuses requests.
   */
  isSpent(count: LeasedCount): boolean
}

/** Creates the leasing, which serves waiting callers in their order. */
export function createLeaseRenewal(options: LeaseRenewalOptions): LeaseRenewal {
  const { tuning, lease, settle, onLease, now, isShared } = options

  const questionOf = (count: LeasedCount, wanted: number): LeaseQuestion => {
    const { subject, period, limit } = count
    const at = performance.now()
    count.leaseSize = nextLeaseSize(count, tuning, at)
    count.ahead = expectedRequests(count, tuning.leaseSeconds, at)
    return { subject, period, limit, wanted, most: count.leaseSize, ahead: count.ahead }
  }
  const add = (count: LeasedCount, got: Lease) => {
    count.leasedAt = performance.now()
    settle(addLease(count, got, tuning))
    onLease(count)
  }
  const refill = (count: LeasedCount) => {
    if (performance.now() < count.refillNotBefore) return
    const { refillBelow } = count
    count.refillBelow = 0
    const asked = lease
      .ask(questionOf(count, 0))
      .then(
        (got) => {
          add(count, got)
          if (got.size === 0 && count.refused) count.refusedUntil = performance.now() + REFUSAL_MS
        },
        (error: unknown) => {
          // The next lease is requested before this one is used up, because the next outage may need the rest.
          count.refillBelow = refillBelow
          count.refillNotBefore = performance.now() + RETRY_FAILED_MS
          throw error
        },
      )
      .finally(() => {
        count.refilling = undefined
      })
    // The awaiting caller receives the error.
    asked.catch(() => undefined)
    count.refilling = asked
  }
  const serve = async (count: LeasedCount): Promise<void> => {
    const until = performance.now() + (isShared && !count.refused ? tuning.leaseAskAgainMilliseconds : 0)
    const isCurrent = () => count.window.endsAt > now()
    if (isCurrent()) serveWaiting(count)
    try {
      while (count.waiting.length > 0) {
        if (count.refilling !== undefined) {
          await count.refilling
          if (isCurrent()) serveWaiting(count)
          continue
        }
        const wanted = count.waiting.reduce((sum, { n }) => sum + n, 0)
        const got = await lease.ask(questionOf(count, wanted - (isCurrent() ? available(count) : 0)))
        add(count, got)
        serveWaiting(count)
        if (got.size > 0 || count.waiting.length === 0) continue
        if (performance.now() < until) {
          await delay(RETRY_MS)
          continue
        }
        count.refusedUntil = performance.now() + REFUSAL_MS
        count.refused = true
        refuseWaiting(count)
      }
    } catch (cause) {
      for (const { reject } of count.waiting.splice(0)) reject(failure('noQuotaLease', { cause }))
    }
    // Reset in the same turn as the last check of `waiting`, so that no caller is missed.
    count.serving = undefined
  }
  const wait = (count: LeasedCount, n: number): Promise<number> =>
    new Promise((resolve, reject) => {
      count.waiting.push({ n, admit: resolve, reject })
      if (count.serving !== undefined) return
      const serving = serve(count)
      if (count.waiting.length > 0) count.serving = serving
    })
  const isSpent = (count: LeasedCount): boolean => {
    if (available(count) > 0 || count.serving !== undefined || count.window.endsAt <= now()) return false
    const left = count.refusedUntil - performance.now()
    if (left <= 0) return false
    if (left < REFUSAL_MS / 2 && count.refilling === undefined) refill(count)
    return true
  }
  const refillInTime = (count: LeasedCount, at: number) => {
    const isShort = count.left < count.refillBelow
    const hasOutgrown = at >= count.measureAt && isOutgrown(count, tuning.leaseSeconds, at)
    if ((isShort || hasOutgrown) && count.refilling === undefined) refill(count)
  }
  return { wait, refillInTime, isSpent }
}
