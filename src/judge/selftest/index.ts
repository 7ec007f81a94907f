export { isObject } from '../../toolkit/contract/index.js'
export { type ComposedFault, composeFaults } from './composed/compose-fault.js'
export { composedLines, composedOutcomeLine, ruleGroup } from './composed/composed-lines.js'
export {
  type ComposedOptions,
  type ComposedOutcome,
  type ComposedReport,
  isComposedProven,
  runComposed,
} from './composed/run-composed.js'
export type { Ask, Fault, FaultHooks, Forward } from './fault.js'
export { judgeMutations, type MutationCounts } from './generated/judge-mutations.js'
export type { IsPossible } from './generated/result-mutations.js'
export {
  type Around,
  answered,
  answeredFor,
  codeBecomes,
  codeOf,
  objects,
  onAnswer,
  onError,
  onList,
  onMember,
  onObject,
  onParams,
  onResult,
  refused,
  without,
} from './hooks.js'
export { type HttpReply, type HttpRequest, headerOf, withBody, withHeader } from './http-message.js'
export { jsonOf, jsonReply, pageReply, rpcError, statusBecomes, withoutHeader } from './replies.js'
export { type Call, type CallAnswer, isList } from './rpc-message.js'
export { runSelftest } from './run-selftest.js'
export { SelftestTrouble } from './run-with-fault.js'
export { matrixLines, outcomeLines, summaryLines } from './selftest-lines.js'
export type { FaultyRunOptions, SelftestService, SelftestUser } from './selftest-options.js'
export { type FaultOutcome, isProven, type SelftestReport } from './selftest-report.js'
