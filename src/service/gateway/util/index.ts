export { formsOfOrigin, withoutFinalDot } from './host-name.js'
export { ListenError } from './listen-error.js'
export { loadOnce } from './load-once.js'
export { onceMade } from './once-made.js'
export {
  OperatorError,
  type OperatorErrorCode,
  operatorErrorCodes,
  reasonOf,
  systemCode,
} from './operator-error.js'
export { readContractPage, readContractText } from './read-file.js'
