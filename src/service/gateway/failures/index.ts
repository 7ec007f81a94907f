export { createFailureLog, type FailureLog } from './failure-log.js'
export { deleteOldFailures, writeFailures } from './failure-table.js'
export {
  type Failure,
  type FailureCause,
  type FailureFilter,
  findFailure,
  readCauses,
  readFailures,
} from './read-failures.js'
