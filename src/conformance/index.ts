export type { Checks } from './checks/checks.js'
export { createChecks } from './checks/create-checks.js'
export { createListedMembers } from './checks/listed-members.js'
export {
  type ComparedRequest,
  type CompareReport,
  compareExitCode,
  compareLines,
  NotComparable,
  runCompare,
} from './compare/index.js'
export { exploredScenarios } from './explore/explored-scenarios.js'
export { withForms } from './forms/with-forms.js'
export { jsonRpcScenarios } from './json-rpc/json-rpc-scenarios.js'
export { type LatencyLimit, latencyMeasures } from './latency/latency-limits.js'
export { latencyTolerance } from './latency/latency-regressions.js'
export { compareReports, exitCodeOfNew, type ReportDifference } from './report/baseline.js'
export { fixedParts, type ReportFormat, renderReport, reportFormats } from './report/render-report.js'
export { terminalReport } from './report/terminal-report.js'
export { type BrokenRule, brokenRule } from './report/text/broken-rule.js'
export { smallestCall } from './report/text/failing-call.js'
export { type FailureGroup, failureGroups, waitingFor } from './report/text/failure-groups.js'
export type { ReportOptions } from './report/text/failure-lines.js'
export { headlineOf } from './report/text/headline-of.js'
export { limitText, slowerText } from './report/text/latency-words.js'
export { countsText, duration, grouped, numbered } from './report/text/words.js'
export { AccessRefused, Unreachable } from './run/answer/contact.js'
export { networkCalls } from './run/answer/network-answers.js'
export { contractTerms } from './run/plan/contract-terms.js'
export { type KnownFailure, readKnownFailures } from './run/plan/known-failures.js'
export { matchesPattern } from './run/plan/pattern.js'
export { type Bound, type Plan, planRun } from './run/plan/plan-run.js'
export type { Progress, RunOptions } from './run/plan/run-options.js'
export { SelectionError, selectCases } from './run/plan/select-cases.js'
export { skipReasonOf } from './run/plan/skip-reasons.js'
export { exitCodeOf } from './run/result/exit-code.js'
export type { CaseResult, Report } from './run/result/report.js'
export { type RuleReason, readRuleReasons } from './run/result/rule-reasons.js'
export { shellWord } from './run/result/shell-word.js'
export { isUntested, missingReasons } from './run/result/untested.js'
export { runConformance } from './run/run-conformance.js'
export type { Invariants } from './scenario/invariant.js'
export { loadIo } from './scenario/load/load-io.js'
export {
  type LoadedScenarios,
  loadFolders,
  loadScenarios,
  type ScenarioFolder,
} from './scenario/load/load-scenarios.js'
export { scenariosOf } from './scenario/load/scenarios-of.js'
export type { Effect, Fixture, Scenario, Step } from './scenario/scenario.js'
export { ScenarioError } from './scenario/scenario-error.js'
export * from './selftest/index.js'
export { createRedactor, type Redactor } from './send/redact/redactor.js'
export { secretsOf } from './send/redact/secrets-of.js'
export { createSafeMode } from './send/safe-mode.js'
export { createSender, type Sender } from './send/sender.js'
export { createTarget, type Target } from './send/target.js'
export { TargetError } from './send/target-error.js'
export { invariantGroup } from './traffic/traffic.js'
export { readReport } from './verify/read-report.js'
export { ReportError } from './verify/report-error.js'
export { verifyExitCode, verifyLines } from './verify/verify-lines.js'
export { verifyReport } from './verify/verify-report.js'
