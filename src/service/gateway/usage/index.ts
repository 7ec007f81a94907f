export { createFormerUses, type FormerUses, writeFormerUses } from './former-uses.js'
export { readAccountUsage } from './read-account-usage.js'
export { type KeyActivity, readKeyActivity } from './read-key-activity.js'
export { readKeyMetrics } from './read-key-metrics.js'
export { readUsageOfAccounts } from './read-usage-of-accounts.js'
export { classOf, createUsage, durationBounds, refusedMethod, type Usage } from './usage.js'
export {
  type AccountTotals,
  type AccountUsage,
  errorMessage,
  type KeyMetrics,
  type MetricRange,
  metricRanges,
  outcomeOf,
  type Tally,
} from './usage-report.js'
export { deleteOldUsage, writeUsage } from './usage-table.js'
export { usedToday } from './used-today.js'
