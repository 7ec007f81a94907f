import type { RunQuery } from './connection.js'

const HOUR_MS = 3_600_000
/** Tables whose rows are updated or deleted while the service runs. */
const tables = ['failures', 'usage_minutes', 'usage_hours', 'quota_counts', 'api_keys'] as const

/**
 * Creates an hourly vacuum for the embedded database, which has no autovacuum.
 * @param now monotonic clock, in milliseconds
 * @returns runs the vacuum if the last one was an hour ago
 */
export function createVacuum(
  query: RunQuery,
  now: () => number = () => performance.now(),
): () => Promise<void> {
  let last = now()
  return async () => {
    if (now() - last < HOUR_MS) return
    last = now()
    // Tables are vacuumed one at a time, because leases wait for running statements.
    for (const table of tables) await query(`vacuum ${table}`)
  }
}
