import { eq } from 'drizzle-orm'
import type { DashboardServices } from '../dashboard/dashboard-services.js'
import type { Quota } from '../quota/quota.js'
import type { Database } from '../store/open-store.js'
import { apiKeys } from '../store/schema.js'
import { readAccountUsage } from '../usage/read-account-usage.js'
import { readKeyMetrics } from '../usage/read-key-metrics.js'
import { requestsToday } from '../usage/requests-today.js'
import type { Usage } from '../usage/usage.js'

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
