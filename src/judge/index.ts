export type { Checks } from './checks/checks.js'
export { createChecks } from './checks/create-checks.js'
export { createListedMembers } from './checks/listed-members.js'
export {
  type ComparedRequest,
  type CompareReport,
  compareExitCode,
  compareLines,
  NotComparable,
  type Recording,
  runCompare,
} from './compare/index.js'
export { withExploredForms } from './forms/repetition-forms.js'
export { withForms } from './forms/with-forms.js'
export { jsonRpcScenarios } from './json-rpc/json-rpc-scenarios.js'
export type { LatencyLimit } from './latency/latency-limits.js'
export { exploredScenarios } from './load/explored-scenarios.js'
export { loadIo } from './load/load-io.js'
export {
  type LoadedScenarios,
  loadFolders,
  loadScenarios,
  type ScenarioFolder,
} from './load/load-scenarios.js'
export { scenariosOf } from './load/scenarios-of.js'
export { lawScenarios } from './oracles/laws/law-scenarios.js'
export { invariantsOf } from './oracles/traffic/traffic.js'
export { shellWord } from './record/curl-line.js'
export {
  type BrokenRule,
  brokenRule,
  type CaseResult,
  compareReports,
  countsText,
  duration,
  type Effect,
  exitCodeOf,
  exitCodeOfNew,
  type FailureGroup,
  failureGroups,
  fixedParts,
  type GeneratedCase,
  grouped,
  headlineOf,
  invariantGroup,
  isUntested,
  latencyMeasures,
  latencyTolerance,
  limitText,
  missingReasons,
  notTestedText,
  numbered,
  type Report,
  type ReportDifference,
  ReportError,
  type ReportFormat,
  type ReportOptions,
  readReport,
  renderReport,
  reportFormats,
  reportFormatsHelp,
  slowerText,
  smallestCall,
  terminalReport,
  waitingFor,
} from './report/index.js'
export { AccessRefused, Unreachable } from './requests/contact.js'
export { networkCalls } from './requests/network-answers.js'
export { type KnownFailure, readKnownFailures } from './run/plan/known-failures.js'
export { matchesPattern } from './run/plan/pattern.js'
export { type Bound, type Plan, planRun } from './run/plan/plan-run.js'
export type { Progress, RunOptions } from './run/plan/run-options.js'
export { type Selection, SelectionError, selectCases } from './run/plan/select-cases.js'
export { skipReasonOf } from './run/plan/skip-reasons.js'
export { type RuleReason, readRuleReasons } from './run/result/rule-reasons.js'
export { runConformance } from './run/run-conformance.js'
export type { Invariants } from './scenario/invariant.js'
export type { Fixture, Scenario, Step } from './scenario/scenario.js'
export { ScenarioError } from './scenario/scenario-error.js'
export * from './selftest/index.js'
export { transportOf } from './send/connection-url.js'
export { createRedactor, type Redactor } from './send/redact/redactor.js'
export { secretsOf } from './send/redact/secrets-of.js'
export { createSafeMode } from './send/safe-mode.js'
export { createSender, type Sender } from './send/sender.js'
export { createTarget, type Target } from './send/target.js'
export { TargetError } from './send/target-error.js'
export { contractTerms } from './terms/contract-terms.js'
export { verifyExitCode, verifyLines } from './verify/verify-lines.js'
export { verifyReport } from './verify/verify-report.js'
