import { setTimeout as delay } from 'node:timers/promises'
import { failure } from '../../../generated/errors.js'
import type { LeaseSource } from './lease-source.js'
import type { Lease, LeaseQuestion, Settlement } from './lease-table.js'
import {
  addLease,
  type LeasedCount,
  type LeaseSizes,
  type LeaseTimes,
  lacking,
  nextLeaseSize,
  putBack,
  serveWaiting,
} from './leased-count.js'

/** How long a refusal is believed before the database is asked again, in milliseconds. */
const REFUSAL_MS = 1_000
/** Between two questions while other processes hold what is left, in milliseconds. */
const ASK_AGAIN_MS = 100

/** Times and sizes, and whom leases come from. */
export interface LeasingOptions extends LeaseSizes, LeaseTimes {
  readonly leaseAskAgainMilliseconds: number
  readonly lease: LeaseSource
  /** Gets what is to be written of windows that have ended. */
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
  const { lease, settle, now, isShared } = options

  const questionOf = (count: LeasedCount, wanted: number): LeaseQuestion => {
    const { subject, period, limit } = count
    count.leaseSize = nextLeaseSize(count, options, performance.now())
    return { subject, period, limit, wanted, most: count.leaseSize }
  }
  const add = (count: LeasedCount, got: Lease) => {
    count.leasedAt = performance.now()
    settle(addLease(count, got, options))
  }
  const refill = (count: LeasedCount) => {
    count.refillBelow = 0
    const asked = lease
      .askAhead(questionOf(count, 0))
      .then((got) => add(count, got))
      .finally(() => {
        count.refilling = undefined
      })
    // Who needs it by then hears of it.
    asked.catch(() => undefined)
    count.refilling = asked
  }
  const serve = async (count: LeasedCount): Promise<void> => {
    const until = performance.now() + (isShared && !count.refused ? options.leaseAskAgainMilliseconds : 0)
    const serveFromWindow = () => {
      if (count.window.endsAt > now()) serveWaiting(count)
    }
    serveFromWindow()
    try {
      while (count.waiting.length > 0) {
        if (count.refilling !== undefined) {
          lease.hurry()
          await count.refilling
          serveFromWindow()
          continue
        }
        const got = await lease.ask(questionOf(count, lacking(count)))
        add(count, got)
        serveWaiting(count)
        if (got.size > 0 || count.waiting.length === 0) continue
        if (performance.now() < until) await delay(ASK_AGAIN_MS)
        else refuseWaiting(count)
      }
    } catch (cause) {
      for (const { gotInWindow, startsOn, reject } of count.waiting.splice(0)) {
        if (gotInWindow > 0) settle(putBack(count, gotInWindow, startsOn))
        reject(failure('noQuotaLease', { cause }))
      }
    }
    // In the same turn as the last look at those who wait: one who comes later starts anew.
    count.serving = undefined
  }
  const wait = (count: LeasedCount, n: number): Promise<number> =>
    new Promise((resolve, reject) => {
      count.waiting.push({ n, got: 0, gotInWindow: 0, startsOn: '', admit: resolve, reject })
      if (count.serving !== undefined) return
      const serving = serve(count)
      if (count.waiting.length > 0) count.serving = serving
    })
  return { wait, refill }
}

/** The limit is reached: those who wait get what they have, and the refusal is remembered for a while. */
function refuseWaiting(count: LeasedCount): void {
  count.refusedUntil = performance.now() + REFUSAL_MS
  count.refused = true
  for (const { got, admit } of count.waiting.splice(0)) admit(got)
}
