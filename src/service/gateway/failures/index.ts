export { createFailureLog, type FailureLog } from './failure-log.js'
export { deleteOldFailures, writeFailures } from './failure-table.js'
export { type Failure, type FailureFilter, findFailure, readFailures } from './read-failures.js'
