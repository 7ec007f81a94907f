import type { RunQuery } from './connection.js'

const HOUR_MS = 3_600_000
/** Tables whose rows are updated or deleted while the service runs. */
const tables = ['usage_minutes', 'usage_hours', 'quota_counts', 'api_keys'] as const

/**
 * Makes what gives the room of rows that are gone back to be used again, for a database that has nobody else to do it.
 * @param now a clock that does not go back, in milliseconds
 * @returns does it where the last time is an hour ago
 */
export function createVacuum(
  query: RunQuery,
  now: () => number = () => performance.now(),
): () => Promise<void> {
  let last = now()
  return async () => {
    if (now() - last < HOUR_MS) return
    last = now()
    // One after the other: what waits behind a statement would be leases.
    for (const table of tables) await query(`vacuum ${table}`)
  }
}
