import type { RunQuery } from '../store/connection.js'

/** Where a key's id is announced when the key has changed. */
export const KEY_CHANNEL = 'concordat_keys'

/** Seconds that are looked back over: a change is seen when it is committed, and dated when it began. */
const OVERLAP_SECONDS = 5

/** Finds out which keys other processes have changed. */
export interface KeyWatch {
  /** Asks for every change since the last time, and forgets those keys. */
  catchUp(query: RunQuery): Promise<void>
  /** True when it is not known for too long whether keys have changed. */
  isBlind(): boolean
}

/**
 * Watches the keys' `changed_at`.
 * @param forget drops what is kept of a key in memory
 * @param absenceSeconds time without an answer after which nothing kept may be believed
 */
export function createKeyWatch(forget: (keyId: string) => void, absenceSeconds: number): KeyWatch {
  let since: string | undefined
  /** Changes within the overlap, which have been heeded: they are found again. */
  let heeded = new Map<string, string>()
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
        if (heeded.get(row.id) !== row.changed_at) forget(row.id)
      }
      heeded = found
      answeredAt = asked
    },
    isBlind: () => performance.now() - answeredAt > absenceSeconds * 1_000,
  }
}
