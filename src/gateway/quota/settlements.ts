import type { Settlement } from './lease-table.js'

/** After a write that failed, in milliseconds. */
const RETRY_MS = 1_000

/** Collects what is to be written back, at most one entry for a subject and window. */
export interface Settlements {
  add(settlement: Settlement | undefined): void
  /** True while something waits to be written. */
  waiting(): boolean
  /** Writes what was collected, unless a write is under way or has just failed. */
  write(): void
  /** Writes everything, at once; fulfils when that was tried. */
  finish(): Promise<void>
}

/** Collects settlements for `settle`; `onError` hears of writes that failed. */
export function createSettlements(
  settle: (settlements: readonly Settlement[]) => Promise<void>,
  onError: (error: unknown) => void,
): Settlements {
  let collected = new Map<string, Settlement>()
  let writing: Promise<void> | undefined
  let notBefore = 0

  const add = (settlement: Settlement) => {
    const key = `${settlement.period} ${settlement.startsOn} ${settlement.subject}`
    const before = collected.get(key)
    collected.set(key, {
      ...settlement,
      used: settlement.used + (before?.used ?? 0),
      returned: settlement.returned + (before?.returned ?? 0),
    })
  }
  const writeAll = async () => {
    const all = [...collected.values()]
    collected = new Map()
    try {
      await settle(all)
    } catch (error) {
      // Whether it was written is unknown. Counting use twice shows too much; giving a lease back twice
      // would admit too much, so it is lost instead.
      for (const each of all) if (each.used !== 0) add({ ...each, returned: 0 })
      notBefore = performance.now() + RETRY_MS
      onError(error)
    }
    writing = undefined
  }
  return {
    add: (settlement) => settlement !== undefined && add(settlement),
    waiting: () => collected.size > 0,
    write() {
      if (collected.size > 0 && performance.now() >= notBefore) writing ??= writeAll()
    },
    async finish() {
      await writing
      if (collected.size > 0) await writeAll()
    },
  }
}
