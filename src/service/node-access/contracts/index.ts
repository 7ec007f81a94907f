export type {
  Abi,
  ArgumentsOf,
  ErrorName,
  ErrorValues,
  EventName,
  EventSelection,
  EventValues,
  FunctionCall,
  FunctionName,
  ReadName,
  ResultOf,
} from './abi.js'
export {
  ContractError,
  type ContractErrorOf,
  type ContractErrorOptions,
  type ContractTrouble,
  isContractError,
  revertOf,
} from './contract-error.js'
export {
  type ContractEvent,
  decodeEvent,
  type EventFilter,
  eventTopics,
  type LogData,
} from './decode-event.js'
export { type Deployment, encodeCall, encodeDeployment } from './encode-call.js'
export {
  type AddRead,
  type BatchRead,
  type CallSettings,
  type ContractCall,
  type ReadOutcomes,
  readContract,
  readContracts,
  simulateContract,
} from './read-contract.js'
export { type EventPage, type EventRange, eventPages, watchEvents } from './watch-events.js'
