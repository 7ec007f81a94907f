import { addSettlement, type Settlement, type SettlementBatch } from './lease-table.js'

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

/**
 * Collects settlements for `settle`, which gets a batch again, as it was, until it succeeds: whether one that failed
 * was written is unknown, and its number tells. `onError` hears of writes that failed.
 */
export function createSettlements(
  settle: (batch: SettlementBatch) => Promise<void>,
  onError: (error: unknown) => void,
): Settlements {
  let collected = new Map<string, Settlement>()
  let batch: SettlementBatch | undefined
  let written = 0
  let writing: Promise<void> | undefined
  let notBefore = 0

  const isWaiting = () => batch !== undefined || collected.size > 0
  const writeAll = async () => {
    try {
      while (isWaiting()) {
        if (batch === undefined) {
          batch = { number: written + 1, settlements: [...collected.values()] }
          collected = new Map()
        }
        await settle(batch)
        written = batch.number
        batch = undefined
      }
    } catch (error) {
      notBefore = performance.now() + RETRY_MS
      onError(error)
    }
    writing = undefined
  }
  return {
    add: (settlement) => settlement !== undefined && addSettlement(collected, settlement),
    waiting: isWaiting,
    write() {
      if (isWaiting() && performance.now() >= notBefore) writing ??= writeAll()
    },
    async finish() {
      await writing
      if (isWaiting()) await writeAll()
    },
  }
}
