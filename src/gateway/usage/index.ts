export { readAccountUsage } from './read-account-usage.js'
export { readKeyMetrics } from './read-key-metrics.js'
export { requestsToday, usedToday } from './requests-today.js'
export { classOf, createUsage, durationBounds, refusedMethod, type Usage } from './usage.js'
export {
  type AccountUsage,
  errorMessage,
  type KeyMetrics,
  type MetricRange,
  metricRanges,
  outcomeOf,
  type Tally,
} from './usage-report.js'
export { deleteOldUsage, writeUsage } from './usage-table.js'
