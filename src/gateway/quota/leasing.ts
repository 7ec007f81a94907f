import { setTimeout as delay } from 'node:timers/promises'
import { failure } from '../../../generated/errors.js'
import type { LeaseSource } from './lease-source.js'
import type { Lease, LeaseQuestion, Settlement } from './lease-table.js'
import {
  addLease,
  available,
  type LeasedCount,
  nextLeaseSize,
  refuseWaiting,
  serveWaiting,
} from './leased-count.js'
import type { QuotaTuning } from './quota-tuning.js'

/** How long a refusal is believed before the database is asked again, in milliseconds. */
const REFUSAL_MS = 1_000
/** Between two questions while other processes hold what is left, in milliseconds. */
const ASK_AGAIN_MS = 100

/** Where leases come from. */
export interface LeasingOptions {
  readonly tuning: QuotaTuning
  readonly lease: LeaseSource
  /** Receives the settlements of windows that have ended. */
  readonly settle: (settlement: Settlement | undefined) => void
  /** The database's time, ms since 1970. */
  readonly now: () => number
  /** True where other processes may hold leases. */
  readonly isShared: boolean
}

/** Gets leases for counts. */
export interface Leasing {
  /** Takes `n` requests as soon as leases cover them; gives how many, fewer where the limit is reached. */
  wait(count: LeasedCount, n: number): Promise<number>
  /** Asks for the next lease of a count while this one lasts, so that nobody waits for it. */
  refill(count: LeasedCount): void
}

/** Asks for leases when they are needed, or shortly before, and serves those who wait for them in their order. */
export function createLeasing(options: LeasingOptions): Leasing {
  const { tuning, lease, settle, now, isShared } = options

  const questionOf = (count: LeasedCount, wanted: number): LeaseQuestion => {
    const { subject, period, limit } = count
    count.leaseSize = nextLeaseSize(count, tuning, performance.now())
    return { subject, period, limit, wanted, most: count.leaseSize }
  }
  const add = (count: LeasedCount, got: Lease) => {
    count.leasedAt = performance.now()
    settle(addLease(count, got, tuning))
  }
  const refill = (count: LeasedCount) => {
    count.refillBelow = 0
    const asked = lease
      .ask(questionOf(count, 0))
      .then((got) => add(count, got))
      .finally(() => {
        count.refilling = undefined
      })
    // A caller that waits for it gets the error.
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
          await delay(ASK_AGAIN_MS)
          continue
        }
        count.refusedUntil = performance.now() + REFUSAL_MS
        count.refused = true
        refuseWaiting(count)
      }
    } catch (cause) {
      for (const { reject } of count.waiting.splice(0)) reject(failure('noQuotaLease', { cause }))
    }
    // Reset in the same turn as the last check of the waiting callers, so that the next caller starts a new request.
    count.serving = undefined
  }
  const wait = (count: LeasedCount, n: number): Promise<number> =>
    new Promise((resolve, reject) => {
      count.waiting.push({ n, admit: resolve, reject })
      if (count.serving !== undefined) return
      const serving = serve(count)
      if (count.waiting.length > 0) count.serving = serving
    })
  return { wait, refill }
}
