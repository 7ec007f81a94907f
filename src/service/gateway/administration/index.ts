/** Operations on a service that the dashboard and `concordat keys` share. */

export type { Failure, FailureCause, FailureFilter } from '../failures/index.js'
export type { SecurityEvent, SecurityEventKind } from '../security-log/index.js'
export {
  type AccountUsage,
  errorMessage,
  type KeyActivity,
  type KeyMetrics,
  type MetricRange,
  metricRanges,
  outcomeOf,
  type Tally,
} from '../usage/index.js'
export {
  type Administration,
  createAdministration,
  type KeyCommands,
  keyCommandsOf,
  keyCommandsOn,
} from './administration.js'
