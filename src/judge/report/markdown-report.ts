import { code, escaped, markdownLines } from '../../toolkit/report-formats/index.js'
import type { ReportDifference } from './baseline.js'
import { completenessText } from './completeness.js'
import type { CaseResult, Report } from './report.js'
import type { ReportOptions } from './report-options.js'
import { brokenRule } from './text/broken-rule.js'
import { smallestCall } from './text/failing-call.js'
import { expiredIn, failureGroups, waitingFor } from './text/failure-groups.js'
import { headlineOf } from './text/headline-of.js'
import { idsOf, idsText } from './text/ids-text.js'
import { limitText, slowerText } from './text/latency-words.js'
import { notTestedText } from './text/not-tested-text.js'
import { countsText, duration, grouped, numbered } from './text/words.js'

/** Maximum items of a list. A summary of a GitHub step may have 1 MiB. */
const ITEMS = 50

/**
 * Renders a summary of a report in Markdown: failures by cause, coverage and latency. With a baseline, it is the
 * difference to that report.
 */
export function markdownReport(report: Report, options: ReportOptions): string {
  const { contract, counts, requests, milliseconds } = report
  const { difference, baseline } = options
  const causes = (cases: readonly CaseResult[]) => causeItems(cases, report, options)
  const sections =
    difference === undefined
      ? [{ heading: 'Failures', items: causes(report.cases) }]
      : [
          { heading: 'New failures', items: causes(difference.failing) },
          { heading: 'Fixed', items: idItems(difference.fixed.map(({ id }) => id)) },
          { heading: 'Still failing', items: causes(difference.still) },
          { heading: 'Failed before, not judged now', items: unjudgedItems(difference) },
          { heading: 'Fixtures no longer found', items: idItems(difference.lostFixtures) },
          { heading: 'Rules no longer judged', items: idItems(difference.lostRules) },
          { heading: 'New cases', items: idItems(difference.added) },
          { heading: 'Removed cases', items: idItems(difference.removed) },
        ]
  const since = baseline === undefined ? [] : [sinceText(baseline, difference)]
  const lines = markdownLines(
    `${contract.title} ${contract.version}: ${headlineOf(report).text}`,
    [
      { heading: 'Not tested', items: [escaped(notTestedText(report))] },
      { heading: 'Completeness', items: [escaped(completenessText(report))] },
      ...sections,
      { heading: 'Coverage of answers', items: coverageItems(report, difference) },
      { heading: 'Latency', items: latencyItems(report, difference) },
    ],
    [
      ...since,
      `${countsText(counts)}; ${numbered(requests.billed, 'request')}, ${numbered(requests.writes, 'write')}, ${duration(milliseconds)}.`,
    ].join(' '),
  )
  return `${lines.join('\n')}\n`
}

function sinceText({ started, counts }: Report, difference: ReportDifference | undefined): string {
  const { failing = [], fixed = [], still = [] } = difference ?? {}
  const change = `${numbered(failing.length, 'new failure')}, ${grouped(fixed.length)} fixed, ${grouped(still.length)} still failing`
  return `Since the run of ${started.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')} (${countsText(counts)}): ${change}. Now:`
}

/** Items for causes of failure, each with its rule, an example and the command that repeats it. */
function causeItems(
  cases: readonly CaseResult[],
  report: Report,
  { again }: ReportOptions,
): readonly string[] {
  const items = failureGroups(cases).map(({ rules, first, others }) => {
    const [finding] = first.findings
    const what =
      finding === undefined
        ? escaped(first.reason ?? '')
        : `${code(finding.where)}: expected ${code(finding.expected)}, received ${code(finding.got)}`
    const rule = brokenRule(first, report, rules)
    const place = rule.pointer === undefined ? '' : ` (${code(rule.pointer)})`
    const ruleLine = `rule ${code(rule.id)}${place}: ${escaped(rule.text)}`
    const more =
      others.length === 0
        ? ''
        : `; ${numbered(others.length, 'more case')}: ${idsText(idsOf(others).map(code))}`
    const waiting = waitingFor([first, ...others], report)
    const call = smallestCall(first)
    const lines = [
      `${code(first.id)}: ${escaped(first.scenario)} ${what}${more}`,
      ruleLine,
      ...(waiting.length === 0 ? [] : [`did not run because of it: ${idsText(idsOf(waiting).map(code))}`]),
      ...(call === undefined ? [] : [`call ${code(call)}`]),
      ...expiredIn([first, ...others]).map(escaped),
      code(again(first)),
    ]
    return lines.join('  \n  ')
  })
  const stale = cases.filter(({ verdict }) => verdict === 'stale' || verdict === 'harness-error')
  return cut([...items, ...stale.map(({ id, reason = '' }) => `${code(id)}: ${escaped(reason)}`)])
}

function idItems(ids: readonly string[]): readonly string[] {
  return cut(ids.map(code))
}

function unjudgedItems({ unjudged }: ReportDifference): readonly string[] {
  return cut(unjudged.map(({ id, now }) => `${code(id)}: ${now ?? 'not in this run'}`))
}

function cut(items: readonly string[]): readonly string[] {
  return items.length <= ITEMS ? items : [...items.slice(0, ITEMS), `${grouped(items.length - ITEMS)} more`]
}

function latencyItems({ latency }: Report, difference: ReportDifference | undefined): readonly string[] {
  const exceeded = latency?.limits.filter(({ isExceeded }) => isExceeded) ?? []
  return cut([
    ...exceeded.map((limit) => `slower than allowed: ${code(limitText(limit))}`),
    ...(difference?.slower ?? []).map((slower) => `slower than before: ${code(slowerText(slower))}`),
  ])
}

function coverageItems({ coverage }: Report, difference: ReportDifference | undefined): readonly string[] {
  if (coverage === undefined) return []
  return (['methods', 'forms', 'members', 'branches', 'errors'] as const).flatMap((kind) => {
    const { seen, total } = coverage[kind] ?? { seen: 0, total: 0 }
    if (total === 0) return []
    const change = difference?.coverage.find((one) => one.kind === kind)
    const before = change === undefined ? '' : `, before ${change.before.seen} of ${change.before.total}`
    const lost = change?.lost ?? []
    const missing = lost.length === 0 ? '' : `; no longer seen: ${idsText(lost.map(code))}`
    return [`${kind}: ${seen} of ${total}${before}${missing}`]
  })
}
