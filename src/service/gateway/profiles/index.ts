export {
  type CallSubject,
  type ContractPlace,
  type MethodProfile,
  type NetworkTerms,
  profileOf,
  readParam,
  type StatedAnswer,
  statedMethods,
} from './method-profile.js'
export {
  byNetwork,
  isNetwork,
  type Network,
  networkNames,
  networks,
  type Served,
  servedEntries,
} from './network.js'
export { type NodePurpose, nodeCall } from './node-calls.js'
