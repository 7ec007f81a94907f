import type { RunQuery } from '../../store/index.js'

/** Notification channel for the ids of changed keys. */
export const KEY_CHANNEL = 'concordat_keys'

/**
 * Seconds by which consecutive polls overlap. A change becomes visible when its transaction commits but carries the
 * time at which the transaction began.
 */
const OVERLAP_SECONDS = 5

/** Polls for keys that other processes have changed. */
export interface KeyWatch {
  /** Drops the keys that have changed since the last poll from the cache. */
  catchUp(query: RunQuery): Promise<void>
  /** True if no poll has succeeded for too long, so that cached keys may be out of date. */
  isStale(): boolean
}

/**
 * Creates a watch on the column `changed_at` of the keys.
 * @param forget removes a key from the cache
 * @param absenceSeconds time without a successful poll after which cached keys must not be used
 */
export function createKeyWatch(forget: (keyId: string) => void, absenceSeconds: number): KeyWatch {
  let since: string | undefined
  /** Changes that the last poll handled. The overlap returns some of them again. */
  let handled = new Map<string, string>()
  let answeredAt = performance.now()
  return {
    async catchUp(query) {
      const asked = performance.now()
      const { rows } = await query(
        `select id, changed_at, now() - interval '${OVERLAP_SECONDS} seconds' as next from (select 1) as once
        left join api_keys on changed_at > coalesce($1::timestamptz, now() - interval '${OVERLAP_SECONDS} seconds')`,
        [since ?? null],
      )
      const found = new Map<string, string>()
      for (const row of rows as { id: string | null; changed_at: string; next: string }[]) {
        since = row.next
        if (row.id === null) continue
        found.set(row.id, row.changed_at)
        if (handled.get(row.id) !== row.changed_at) forget(row.id)
      }
      handled = found
      answeredAt = asked
    },
    isStale: () => performance.now() - answeredAt > absenceSeconds * 1_000,
  }
}
