import type { Report } from './report.js'
import { isUntested } from './untested.js'

/** Exit code of a run. It is never a count. */
export type ExitCode = 0 | 1 | 2 | 3

/**
 * Computes the exit code of a run.
 *
 * - 0: no problem found
 * - 1: a case failed or got no answer, a known failure is stale, or the run gave up
 * - 2: no judgement, because of a runner defect, no judged case, or no answered method
 * - 3: inconclusive or skipped cases, or cases without their fixture, although a complete run was required
 */
export function exitCodeOf(
  report: Pick<Report, 'counts' | 'elements' | 'cases' | 'mode'>,
  requireComplete: boolean,
): ExitCode {
  const { counts } = report
  if (counts.fail + counts['no-answer'] + counts.stale > 0) return 1
  if (counts['harness-error'] > 0) return 2
  if (counts.pass + counts.tolerated + counts['known-fail'] === 0) return 2
  if (isUntested(report)) return 2
  if (counts['gave-up'] > 0) return 1
  const isLacking = report.cases.some(({ lacks }) => lacks?.isOptional === false)
  return requireComplete && (isLacking || counts.inconclusive + counts['not-run'] > 0) ? 3 : 0
}
