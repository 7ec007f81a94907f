import { setTimeout as delay } from 'node:timers/promises'
import { failure } from '../../../generated/errors.js'
import type { KeyNotes } from '../key-notes.js'
import type { LeaseSource } from './lease-source.js'
import type { Settlement } from './lease-table.js'
import {
  addLease,
  available,
  changeLimit,
  type LeasedCount,
  type LeaseSizes,
  lacking,
  newLeasedCount,
  nextLeaseSize,
  putBack,
  serveWaiting,
  settlementOf,
  useLease,
} from './leased-count.js'
import type { Settlements } from './settlements.js'
import type { Period } from './window.js'

/** In milliseconds: how often idle leases and unwritten counts are looked for. */
const SWEEP_MS = 100
/** How long a refusal is believed before the database is asked again. */
const REFUSAL_MS = 1_000
/** Between two questions while other processes hold what is left. */
const ASK_AGAIN_MS = 100

/** The contract's times, and what counts are kept with. */
export interface CountsOptions extends LeaseSizes {
  readonly quotaWindowSeconds: number
  readonly leaseIdleAloneSeconds: number
  readonly leaseAskAgainMilliseconds: number
  readonly usedFlushSeconds: number
  readonly lease: LeaseSource
  readonly settlements: Settlements
  /** The database's time, ms since 1970. */
  readonly now: () => number
  /** True where other processes may hold leases. */
  readonly isShared: boolean
  /** True while no other process shares the database. */
  readonly isAlone: () => boolean
}

/** The counts that this process holds leases of. */
export interface Counts {
  /** @param notes of the key whose user's count it is */
  of(subject: string, period: Period, limit: number, notes?: KeyNotes): LeasedCount
  /** Takes `n` requests: at once where the lease covers them or the limit is known to be reached; gives how many. */
  take(count: LeasedCount, n: number, now: number): number | Promise<number>
  /** Counts of which some lease is left, and requests that are left of these. */
  leases(): { readonly users: number; readonly requests: number }
  /** Sees to it that the settlement is written. */
  settle(settlement: Settlement | undefined): void
  /** Ends the serving of those who wait, and gives every lease back. */
  close(): Promise<void>
}

/** One look at all counts. */
interface Sweep {
  /** What was used is written down. */
  readonly isFlush: boolean
  /** `performance.now()`. */
  readonly at: number
  /** Since the look before. */
  readonly sinceMs: number
  /** A lease goes back when it was idle for so long. */
  readonly idleForMs: number
}

/** Keeps counts in memory while they are used, gives idle leases back, and has what was used written down. */
export function createCounts(options: CountsOptions): Counts {
  const { lease, settlements, now, isShared, isAlone, quotaWindowSeconds } = options
  const idleMs = options.leaseIdleSeconds * 1_000
  const idleAloneMs = options.leaseIdleAloneSeconds * 1_000
  const flushSweeps = Math.ceil((options.usedFlushSeconds * 1_000) / SWEEP_MS)
  const counts = new Map<string, LeasedCount>()
  let sweeping: NodeJS.Timeout | undefined
  let sweeps = 0
  let closed = false

  const serve = async (count: LeasedCount): Promise<void> => {
    const until = performance.now() + (isShared && !count.refused ? options.leaseAskAgainMilliseconds : 0)
    if (count.window.endsAt > now()) serveWaiting(count)
    try {
      while (count.waiting.length > 0) {
        const { subject, period, limit } = count
        count.leaseSize = nextLeaseSize(count, options, performance.now())
        const got = await lease({ subject, period, limit, wanted: lacking(count), most: count.leaseSize })
        count.leasedAt = performance.now()
        settlements.add(addLease(count, got, quotaWindowSeconds))
        serveWaiting(count)
        if (got.size > 0 || count.waiting.length === 0) continue
        if (performance.now() < until) await delay(ASK_AGAIN_MS)
        else refuseWaiting(count)
      }
    } catch (cause) {
      for (const { gotInWindow, startsOn, reject } of count.waiting.splice(0)) {
        if (gotInWindow > 0) settlements.add(putBack(count, gotInWindow, startsOn))
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
  const sweepCount = (key: string, count: LeasedCount, { isFlush, at, sinceMs, idleForMs }: Sweep) => {
    count.idleMs = count.touched || count.serving !== undefined ? 0 : count.idleMs + sinceMs
    count.touched = false
    const isIdle = count.idleMs >= idleForMs
    if (isIdle || isFlush) settlements.add(settlementOf(count, isIdle ? count.left : 0))
    if (!isIdle || count.refusedUntil > at) return
    counts.delete(key)
    count.isGone = true
  }
  const sweep = () => {
    sweeps += 1
    // What was used is written of all counts in the same sweep: a statement costs far more than one more row in it.
    const isFlush = sweeps % flushSweeps === 0
    const alone = isAlone()
    // Nobody waits for the lease of who is alone: all counts are looked at once a second, not ten times.
    if (isFlush || !alone) {
      const at = performance.now()
      const since = alone
        ? { isFlush, at, sinceMs: flushSweeps * SWEEP_MS, idleForMs: idleAloneMs }
        : { isFlush, at, sinceMs: SWEEP_MS, idleForMs: idleMs }
      for (const [key, count] of counts) sweepCount(key, count, since)
    }
    settlements.write()
    if (counts.size > 0 || settlements.waiting()) return
    clearInterval(sweeping)
    sweeping = undefined
  }
  const keepSweeping = () => {
    if (!closed) sweeping ??= setInterval(sweep, SWEEP_MS).unref()
  }
  const find = (subject: string, period: Period, limit: number): LeasedCount => {
    const key = period === 'day' ? subject : `${subject} ${period}`
    const known = counts.get(key)
    if (known !== undefined) {
      if (known.limit !== limit) changeLimit(known, limit)
      known.touched = true
      return known
    }
    const count = newLeasedCount(subject, period, limit)
    counts.set(key, count)
    keepSweeping()
    return count
  }
  return {
    of(subject, period, limit, notes) {
      const noted = notes?.counted as LeasedCount | undefined
      if (noted !== undefined && !noted.isGone && noted.limit === limit) {
        noted.touched = true
        return noted
      }
      const count = find(subject, period, limit)
      if (notes !== undefined) notes.counted = count
      return count
    },
    take(count, n, at) {
      if (count.serving !== undefined || count.window.endsAt <= at) return wait(count, n)
      const most = available(count)
      if (most >= n) {
        useLease(count, n)
        return n
      }
      return most === 0 && count.refusedUntil > performance.now() ? 0 : wait(count, n)
    },
    leases() {
      const held = [...counts.values()].filter(({ left }) => left > 0)
      return { users: held.length, requests: held.reduce((sum, { left }) => sum + left, 0) }
    },
    settle(settlement) {
      settlements.add(settlement)
      keepSweeping()
    },
    async close() {
      closed = true
      clearInterval(sweeping)
      await Promise.all(Array.from(counts.values(), ({ serving }) => serving))
      for (const count of counts.values()) settlements.add(settlementOf(count, count.left))
      counts.clear()
      await settlements.finish()
    },
  }
}

/** The limit is reached: those who wait get what they have, and the refusal is remembered for a while. */
function refuseWaiting(count: LeasedCount): void {
  count.refusedUntil = performance.now() + REFUSAL_MS
  count.refused = true
  for (const { got, admit } of count.waiting.splice(0)) admit(got)
}
