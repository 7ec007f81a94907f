import { setTimeout as delay } from 'node:timers/promises'
import { QueryError } from '../store/connection.js'
import type { Database } from '../store/open-store.js'
import type { DatabaseClock } from './database-clock.js'
import { type Lease, type LeaseTerms, takeLease } from './lease-table.js'

/** In milliseconds; a request that waits for a lease is refused after it. */
const LEASE_ANSWER_MS = 2_000

/** Asks the database for a lease of at least `wanted` requests. */
export type LeaseSource = (userId: string, wanted: number) => Promise<Lease>

/**
 * Asks for leases and follows the database's clock by its answers. A lease that comes too late is never
 * used: `onLate` is told, so that it goes back.
 * @throws whatever kept the database from answering
 */
export function createLeaseSource(
  db: Database,
  terms: LeaseTerms,
  clock: DatabaseClock,
  onLate: (userId: string, lease: Lease) => void,
): LeaseSource {
  return async (userId, wanted) => {
    const told = clock.asking()
    let late = false
    const answer = takeLease(db, userId, wanted, terms).then((lease) => {
      if (late) onLate(userId, lease)
      else told(lease.databaseTime)
      return lease
    })
    const answered = new AbortController()
    const timeout = delay(LEASE_ANSWER_MS, undefined, { signal: answered.signal, ref: false }).then(() => {
      late = true
      const message = `The database gave no lease within ${LEASE_ANSWER_MS} ms`
      throw new QueryError({ message, code: undefined, constraint: undefined })
    })
    try {
      return await Promise.race([answer, timeout])
    } finally {
      answered.abort()
      // The one that lost the race may still reject; nobody waits for it any more.
      timeout.catch(() => undefined)
      answer.catch(() => undefined)
    }
  }
}
