import type { PerKeyState } from '../keys/per-key-state.js'
import type { BatchWriter } from '../store/batch-writer.js'
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

/** Interval between two looks for idle leases and unwritten counts, in milliseconds. */
const SWEEP_MS = 100

/** Where leases come from, and where counts are written. */
export interface CountsOptions extends Omit<LeasingOptions, 'settle'> {
  /** True while no other process shares the database. */
  readonly isAlone: () => boolean
  readonly writer: BatchWriter<Settlement>
}

/** The counts that this process holds leases of. */
export interface Counts {
  /** @param keyState of the key whose user's count it is */
  of(subject: string, period: Period, limit: number, keyState?: PerKeyState): LeasedCount
  /** Takes `n` requests: at once where the lease covers them or the limit is known to be reached; gives how many. */
  take(count: LeasedCount, n: number, now: number): number | Promise<number>
  /** Counts of which some lease is left, and requests that are left of these. */
  leases(): { readonly users: number; readonly requests: number }
  /** Writes a settlement with the next ones. */
  settle(settlement: Settlement | undefined): void
  /** Writes the used requests of some users, or of all. Resolves after the attempt. */
  flush(userIds?: readonly string[]): Promise<void>
  /** Ends the serving of those who wait, and gives every lease back. */
  close(): Promise<void>
}

/** Keeps counts in memory while they are used, gives idle leases back, and writes what was used. */
export function createCounts(options: CountsOptions): Counts {
  const { tuning, writer, isAlone } = options
  const { wait, refill } = createLeasing({ ...options, settle })
  const shared = { idleMs: tuning.leaseIdleSeconds * 1_000, flushMs: tuning.usedFlushSeconds * 1_000 }
  const alone = {
    idleMs: tuning.leaseIdleAloneSeconds * 1_000,
    flushMs: tuning.usedFlushAloneSeconds * 1_000,
  }
  const counts = new Map<string, LeasedCount>()
  /** Settlements of windows that have ended, and of leases that came too late. */
  let others: Settlement[] = []
  let sweeping: NodeJS.Timeout | undefined
  let sweptAt = 0
  let flushedAt = 0
  let closed = false

  /** Visits all counts and returns the settlements to write. */
  const look = (at: number, isFlush: boolean, idleForMs: number): Settlement[] => {
    const settlements = others
    others = []
    for (const [key, count] of counts) {
      const isBusy = count.touched || count.serving !== undefined || count.refilling !== undefined
      count.idleMs = isBusy ? 0 : count.idleMs + at - sweptAt
      count.touched = false
      const isIdle = count.idleMs >= idleForMs
      const settlement = isIdle || isFlush ? settlementOf(count, isIdle ? count.left : 0) : undefined
      if (settlement !== undefined) settlements.push(settlement)
      if (!isIdle || count.refusedUntil > at) continue
      counts.delete(key)
      count.isGone = true
    }
    return settlements
  }
  const sweep = () => {
    // While the database is slow or away, counts add up in memory.
    if (writer.isBusy()) return void writer.write([])
    const at = performance.now()
    const times = isAlone() ? alone : shared
    // All counts are written in the same sweep: a statement costs far more than one more row in it.
    const isFlush = at - flushedAt >= times.flushMs - SWEEP_MS / 2
    // No other process waits for the leases of one that is alone: it looks at them with each flush only.
    if (isFlush || times === shared) {
      const settlements = look(at, isFlush, times.idleMs)
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
    of(subject, period, limit, keyState) {
      const noted = keyState?.quotaCount as LeasedCount | undefined
      if (noted !== undefined && !noted.isGone && noted.limit === limit) {
        noted.touched = true
        return noted
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
        if (count.left < count.refillBelow && !closed) refill(count)
        return n
      }
      return most === 0 && count.refusedUntil > performance.now() ? 0 : wait(count, n)
    },
    leases() {
      const held = [...counts.values()].filter(({ left }) => left > 0)
      return { users: held.length, requests: held.reduce((sum, { left }) => sum + left, 0) }
    },
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
      for (const count of counts.values()) settle(settlementOf(count, count.left))
      counts.clear()
      await writer.write(others)
      await writer.close()
    },
  }
}
