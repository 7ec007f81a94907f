import type { KeyNotes } from '../keys/key-notes.js'
import type { Settlement } from './lease-table.js'
import {
  available,
  changeLimit,
  type LeasedCount,
  newLeasedCount,
  settlementOf,
  useLease,
} from './leased-count.js'
import { createLeasing, type LeasingOptions } from './leasing.js'
import type { Period } from './window.js'

/** In milliseconds: how often idle leases and unwritten counts are looked for. */
const SWEEP_MS = 100

/** Times, and what counts are kept with. */
export interface CountsOptions extends LeasingOptions {
  readonly leaseIdleAloneSeconds: number
  readonly usedFlushSeconds: number
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
  const { lease, settlements, isAlone } = options
  const { wait, refill } = createLeasing(options)
  const idleMs = options.leaseIdleSeconds * 1_000
  const idleAloneMs = options.leaseIdleAloneSeconds * 1_000
  const flushSweeps = Math.ceil((options.usedFlushSeconds * 1_000) / SWEEP_MS)
  const counts = new Map<string, LeasedCount>()
  let sweeping: NodeJS.Timeout | undefined
  let sweeps = 0
  let closed = false

  const sweepCount = (key: string, count: LeasedCount, { isFlush, at, sinceMs, idleForMs }: Sweep) => {
    const isBusy = count.touched || count.serving !== undefined || count.refilling !== undefined
    count.idleMs = isBusy ? 0 : count.idleMs + sinceMs
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
        if (count.left < count.refillBelow && !closed) refill(count)
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
      lease.hurry()
      await Promise.all(
        Array.from(counts.values(), ({ serving, refilling }) => serving ?? refilling?.catch(() => undefined)),
      )
      for (const count of counts.values()) settlements.add(settlementOf(count, count.left))
      counts.clear()
      await settlements.finish()
    },
  }
}
