import type { PerKeyState } from '../keys/index.js'
import type { BatchWriter } from '../store/index.js'
import { type LeaseJournal, noJournal } from './lease-journal.js'
import { createLeaseRenewal, type LeaseRenewalOptions } from './lease-renewal.js'
import type { Settlement } from './lease-statements.js'
import {
  available,
  becomesIdle,
  changeLimit,
  type IdleTimes,
  type LeasedCount,
  newLeasedCount,
  recall,
  settlementOf,
  useLease,
} from './leased-count.js'
import type { QuotaTuning } from './quota-tuning.js'
import type { Period } from './window.js'

/** Interval of the check for idle leases and unwritten counts, in milliseconds. */
const SWEEP_MS = 100

/** Where leases come from, and where counts are written. */
export interface CountsOptions extends Omit<LeaseRenewalOptions, 'settle' | 'onLease'> {
  /** Opens the lease journal. Without it, a crash loses the leases of this process. */
  readonly openJournal?: ((counts: () => Iterable<LeasedCount>) => LeaseJournal) | undefined
  /** True while no other process shares the database. */
  readonly isAlone: () => boolean
  readonly writer: BatchWriter<Settlement>
}

/** The counts that this process holds leases of. */
export interface Counts {
  /**
   * Returns the count of a user or key.
   * @param keyState state of the user's key, which caches the count
   */
  of(subject: string, period: Period, limit: number, keyState?: PerKeyState): LeasedCount
  /**
   * Takes `n` requests; synchronously if the lease covers them or the limit is known to be reached.
   * @param now time by the database's clock, in milliseconds since 1970
   * @returns the number of admitted requests
   */
  take(count: LeasedCount, n: number, now: number): number | Promise<number>
  /** True if the limit is known to be reached, without a query. */
  isSpent(count: LeasedCount): boolean
  /** Number of counts with an unused lease, and the unused requests of these leases. */
  leases(): { readonly users: number; readonly requests: number }
  /** Returns the unused requests of a count that another process is short of. */
  recall(subject: string, period: Period): void
  /** Queues a settlement for the next write. */
  settle(settlement: Settlement | undefined): void
  /** Writes the used requests of some users, or of all. Resolves after the attempt. */
  flush(userIds?: readonly string[]): Promise<void>
  /** Finishes the waiting requests and returns all leases. */
  close(): Promise<void>
}

/** Key of a count in memory. */
const keyOf = (subject: string, period: Period) => (period === 'day' ? subject : `${subject} ${period}`)

/** Sums the unused leases of counts. */
function unusedOf(counts: readonly LeasedCount[]) {
  const held = counts.filter(({ left }) => left > 0)
  return { users: held.length, requests: held.reduce((sum, { left }) => sum + left, 0) }
}

/** Returns the times after which leases are idle and counts are written, with and without other processes. */
function timesOf(tuning: QuotaTuning) {
  const sharedMs = tuning.leaseIdleSeconds * 1_000
  const aloneMs = tuning.leaseIdleAloneSeconds * 1_000
  return {
    shared: { idle: { sharedMs, leastMs: sharedMs }, flushMs: tuning.usedFlushSeconds * 1_000 },
    alone: { idle: { sharedMs, leastMs: aloneMs }, flushMs: tuning.usedFlushAloneSeconds * 1_000 },
  }
}

/** A visit of all counts. Times are by `performance.now()`. */
interface Sweep {
  readonly at: number
  /** Time of the previous visit. */
  readonly sweptAt: number
  /** Whether used requests are written. */
  readonly isFlush: boolean
  readonly idle: IdleTimes
}

/** Removes the idle counts, and returns the settlements to write. */
function collect(
  counts: Map<string, LeasedCount>,
  journal: LeaseJournal,
  { at, sweptAt, isFlush, idle }: Sweep,
): readonly Settlement[] {
  const over: (readonly [key: string, count: LeasedCount])[] = []
  const settlements: (Settlement | undefined)[] = []
  for (const [key, count] of counts) {
    const isBusy = count.touched || count.serving !== undefined || count.refilling !== undefined
    count.touched = false
    if (becomesIdle(count, isBusy, at - sweptAt, idle)) over.push([key, count])
    else if (isFlush) settlements.push(settlementOf(count, 0))
  }
  // One write for all of them, because many users may stop at the same moment.
  journal.release(over.map(([, count]) => count))
  for (const [key, count] of over) {
    settlements.push(settlementOf(count, count.left))
    if (count.refusedUntil > at) continue
    counts.delete(key)
    count.isGone = true
  }
  return settlements.filter((settlement) => settlement !== undefined)
}

/** Creates the counts of a process. They stay in memory while in use; idle leases are returned. */
export function createCounts(options: CountsOptions): Counts {
  const { tuning, writer, isAlone } = options
  const { shared, alone } = timesOf(tuning)
  const counts = new Map<string, LeasedCount>()
  const journal = options.openJournal?.(() => counts.values()) ?? noJournal
  const { wait, refillInTime, isSpent } = createLeaseRenewal({ ...options, settle, onLease: journal.keep })
  /** Settlements of ended windows and of leases that arrived too late. */
  let others: Settlement[] = []
  let sweeping: NodeJS.Timeout | undefined
  let sweptAt = 0
  let flushedAt = 0
  let closed = false

  const sweep = () => {
    // While the database is slow or unavailable, counts accumulate in memory.
    if (writer.isBusy()) return void writer.write([])
    const at = performance.now()
    const times = isAlone() ? alone : shared
    // All counts are written together, because a statement costs far more than an additional row.
    const isFlush = at - flushedAt >= times.flushMs - SWEEP_MS / 2
    // A single process need not return leases early, so it checks them only with each flush.
    if (isFlush || times === shared) {
      const settlements = [...others, ...collect(counts, journal, { at, sweptAt, isFlush, idle: times.idle })]
      others = []
      sweptAt = at
      if (isFlush) flushedAt = at
      void writer.write(settlements)
    }
    if (counts.size > 0 || others.length > 0 || writer.isBusy()) return
    clearInterval(sweeping)
    sweeping = undefined
  }
  const keepSweeping = () => {
    if (closed || sweeping !== undefined) return
    sweptAt = performance.now()
    flushedAt = sweptAt
    sweeping = setInterval(sweep, SWEEP_MS).unref()
  }
  function settle(settlement: Settlement | undefined): void {
    if (settlement !== undefined) others.push(settlement)
    keepSweeping()
  }
  const find = (subject: string, period: Period, limit: number): LeasedCount => {
    const key = keyOf(subject, period)
    const known = counts.get(key)
    if (known !== undefined) {
      if (known.limit !== limit) changeLimit(known, limit)
      known.touched = true
      return known
    }
    const count = newLeasedCount(subject, period, limit, journal.lower)
    counts.set(key, count)
    keepSweeping()
    return count
  }
  return {
    of(subject, period, limit, keyState) {
      const cached = keyState?.quotaCount as LeasedCount | undefined
      if (cached !== undefined && !cached.isGone && cached.limit === limit) {
        cached.touched = true
        return cached
      }
      const count = find(subject, period, limit)
      if (keyState !== undefined) keyState.quotaCount = count
      return count
    },
    take(count, n, at) {
      if (count.serving !== undefined || count.window.endsAt <= at) return wait(count, n)
      const most = available(count)
      if (most >= n) {
        useLease(count, n)
        if (!closed) refillInTime(count, at)
        return n
      }
      return isSpent(count) ? 0 : wait(count, n)
    },
    isSpent,
    leases: () => unusedOf([...counts.values()]),
    recall: (subject, period) => settle(recall(counts.get(keyOf(subject, period)), performance.now())),
    settle,
    async flush(userIds) {
      const some = userIds?.map((id) => counts.get(id)) ?? [...counts.values()]
      const settlements = some.map((count) => count && settlementOf(count, 0))
      await writer.write(settlements.filter((settlement) => settlement !== undefined))
    },
    async close() {
      closed = true
      clearInterval(sweeping)
      await Promise.all(
        Array.from(counts.values(), ({ serving, refilling }) => serving ?? refilling?.catch(() => undefined)),
      )
      journal.remove()
      for (const count of counts.values()) settle(settlementOf(count, count.left))
      counts.clear()
      await writer.write(others)
      await writer.close()
    },
  }
}
