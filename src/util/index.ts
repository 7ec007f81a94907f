export { createConcurrencyLimiter } from './concurrency-limiter.js'
export { ListenError } from './listen-error.js'
export {
  OperatorError,
  type OperatorErrorCode,
  operatorErrorCodes,
  reasonOf,
  systemCode,
} from './operator-error.js'
export { explainMissing, loadOptional } from './optional-dependency.js'
export { packagePath, readPackageFile } from './package-file.js'
