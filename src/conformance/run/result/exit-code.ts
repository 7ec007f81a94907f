import type { Report } from './report.js'
import { isUntested } from './untested.js'

/** What a run says about the target, as an exit code: it is never a count. */
export type ExitCode = 0 | 1 | 2 | 3

/**
 * 0 clean; 1 a failure, a case without an answer, or a known failure that is stale; 2 not judged (a defect of the
 * runner, no case was tried, or no method was answered); 3 where a complete run was asked for and cases are inconclusive
 * or did not run.
 */
export function exitCodeOf(
  report: Pick<Report, 'counts' | 'elements' | 'cases' | 'mode'>,
  requireComplete: boolean,
): ExitCode {
  const { counts } = report
  if (counts.fail + counts['no-answer'] + counts.stale > 0) return 1
  if (counts['harness-error'] > 0) return 2
  if (counts.pass + counts.tolerated + counts['known-fail'] + counts.inconclusive === 0) return 2
  if (isUntested(report)) return 2
  return requireComplete && counts.inconclusive + counts['not-run'] > 0 ? 3 : 0
}
