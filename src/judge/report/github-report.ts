import { githubCommand } from '../../toolkit/report-formats/index.js'
import type { Report } from './report.js'
import type { ReportOptions } from './report-options.js'
import { brokenRule } from './text/broken-rule.js'
import { smallestCall } from './text/failing-call.js'
import { expiredIn, failureGroups, waitingFor } from './text/failure-groups.js'
import { idsOf, idsText } from './text/ids-text.js'
import { limitText, slowerText } from './text/latency-words.js'
import { numbered } from './text/words.js'

/**
 * Renders the failures of a report as workflow commands, which GitHub shows as annotations: one for each cause,
 * since GitHub shows ten errors of a step. With a baseline, failures that it has become warnings. Latencies are one
 * warning.
 */
export function githubReport(report: Report, { again, placeOf, difference }: ReportOptions): string {
  const old = new Set(difference?.still.map(({ id }) => id))
  const causes = failureGroups(report.cases).map(({ rules, first, others }) => {
    const all = [first, ...others]
    const isNew = all.some(({ id }) => !old.has(id))
    const shown = all.find(({ id }) => !old.has(id)) ?? first
    const rule = brokenRule(shown, report, rules)
    const call = smallestCall(shown)
    const followUps = waitingFor(all, report)
    const lines = [
      ...new Set([rule.text, shown.scenario]),
      ...shown.findings
        .slice(0, 1)
        .map(({ where, expected, got }) => `${where}: expected ${expected}, received ${got}`),
      ...(shown.findings.length === 0 && shown.reason !== undefined ? [shown.reason] : []),
      ...(call === undefined ? [] : [call]),
      ...expiredIn(all),
      ...(others.length === 0 ? [] : [`${numbered(all.length, 'case')}: ${idsText(idsOf(all))}`]),
      ...(followUps.length === 0 ? [] : [`did not run because of it: ${idsText(idsOf(followUps))}`]),
      again(shown),
    ]
    const title = all.length === 1 ? `${rule.id}: ${shown.id}` : `${rule.id}: ${numbered(all.length, 'case')}`
    const properties = { ...placeOf?.(shown, rule), title }
    return { isNew, line: githubCommand(isNew ? 'error' : 'warning', properties, lines) }
  })
  const unsound = report.cases.filter(({ verdict }) => verdict === 'stale' || verdict === 'harness-error')
  const exceeded = report.latency?.limits.filter(({ isExceeded }) => isExceeded) ?? []
  return [
    ...causes.filter(({ isNew }) => isNew).map(({ line }) => line),
    ...unsound.map((result) =>
      githubCommand('error', { ...placeOf?.(result, { pointer: undefined }), title: result.id }, [
        result.reason ?? '',
      ]),
    ),
    ...causes.filter(({ isNew }) => !isNew).map(({ line }) => line),
    ...latencyWarning('Slower than allowed', exceeded.map(limitText)),
    ...latencyWarning('Slower than before', (difference?.slower ?? []).map(slowerText)),
    '',
  ].join('\n')
}

function latencyWarning(title: string, texts: readonly string[]): readonly string[] {
  return texts.length === 0 ? [] : [githubCommand('warning', { title }, texts)]
}
