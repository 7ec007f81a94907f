/** Reports: what a run found, and its output formats. */
export { compareReports, exitCodeOfNew, type ReportDifference } from './baseline.js'
export { completenessOf } from './completeness.js'
export { differenceLines } from './difference-lines.js'
export { exitCodeOf } from './exit-code.js'
export { latencyTolerance } from './latency-regressions.js'
export { readReport } from './read-report.js'
export {
  fixedParts,
  type ReportFormat,
  renderReport,
  reportFormats,
  reportFormatsHelp,
} from './render-report.js'
export {
  type Alteration,
  type AnswerCoverage,
  type CaseResult,
  type CoveredParts,
  type Deviation,
  type Effect,
  type ElementCoverage,
  type Evidence,
  type Finding,
  type GeneratedCase,
  type Head,
  invariantGroup,
  type Latency,
  type LatencyMeasure,
  type LatencyNumbers,
  type LatencyPause,
  type LatencySlice,
  latencyMeasures,
  type Report,
  type RuleCoverage,
  type StatedAnswer,
  type ToleranceCause,
  type TransportTrouble,
  type Verdict,
  type ViolatedRule,
  withoutRequests,
} from './report.js'
export { ReportError } from './report-error.js'
export type { Place, PlaceOf, ReportOptions } from './report-options.js'
export { terminalReport } from './terminal-report.js'
export { type BrokenRule, brokenRule, completeAnswer } from './text/broken-rule.js'
export { count, cut, describe, describeList, describeMember } from './text/describe.js'
export { smallestCall } from './text/failing-call.js'
export { type FailureGroup, failureGroups, waitingFor } from './text/failure-groups.js'
export { groupBy } from './text/group-by.js'
export { headlineOf } from './text/headline-of.js'
export { idsText } from './text/ids-text.js'
export { limitText, slowerText } from './text/latency-words.js'
export { notTestedText } from './text/not-tested-text.js'
export { createPaint, type Paint } from './text/paint.js'
export { countsText, duration, grouped, headNumber, numbered } from './text/words.js'
export { isUntested, missingReasons } from './untested.js'
export { badVerdicts, countsOf, verdictWords } from './verdicts.js'
