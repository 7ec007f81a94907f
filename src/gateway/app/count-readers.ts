import { eq } from 'drizzle-orm'
import type { DashboardServices } from '../dashboard/index.js'
import type { Quota } from '../quota/index.js'
import type { Database } from '../store/index.js'
import { apiKeys } from '../store/index.js'
import type { Usage } from '../usage/index.js'
import { readAccountUsage, readKeyMetrics, requestsToday } from '../usage/index.js'

/** Creates the readers of counts. Each one first writes the counts of this process for the keys and the user. */
export function createCountReaders(
  db: Database,
  usage: Pick<Usage, 'flush'>,
  quota: Pick<Quota, 'flush'>,
): Pick<DashboardServices, 'requestsToday' | 'keyMetrics' | 'accountUsage'> {
  return {
    async requestsToday(keyIds) {
      await usage.flush(keyIds)
      return requestsToday(db, keyIds)
    },
    async keyMetrics(keyId, range) {
      await usage.flush([keyId])
      return readKeyMetrics(db, keyId, range)
    },
    async accountUsage(userId, days) {
      const own = await db.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.userId, userId))
      await Promise.all([usage.flush(own.map(({ id }) => id)), quota.flush([userId])])
      return readAccountUsage(db, userId, days)
    },
  }
}
