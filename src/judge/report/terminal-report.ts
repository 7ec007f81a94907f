import { completenessText } from './completeness.js'
import type { CaseResult, Report, Verdict } from './report.js'
import type { ReportOptions } from './report-options.js'
import { coverageSummaries, coveredParts, summaryText } from './text/coverage-words.js'
import { cut, describe } from './text/describe.js'
import { failureGroups } from './text/failure-groups.js'
import { failureLines } from './text/failure-lines.js'
import { groupBy } from './text/group-by.js'
import { groupLines } from './text/group-lines.js'
import { idsOf, idsText } from './text/ids-text.js'
import { latencyLines } from './text/latency-words.js'
import { notTestedText } from './text/not-tested-text.js'
import { createPaint, type Paint } from './text/paint.js'
import { countsText, duration, grouped, headNumber, numbered } from './text/words.js'
import { wrapText } from './text/wrap-text.js'
import { badCount, verdictWords } from './verdicts.js'

/** Options for a terminal report. */
export interface TerminalOptions extends ReportOptions {
  readonly colours: boolean
}

/** Maximum characters of a reason. */
const REASON = 160

/** Width of the labels in the first lines. */
const HEAD_LABEL = 10

/** Width of a verdict with its number of cases. */
const LABEL = 20

/** Spaces between the verdicts and the request counts. */
const GAP = 8

/** Maximum causes of failure, and reasons of each other verdict. */
const CAUSES = 20

/** Maximum ids listed after a reason. */
const NAMED = 3

/** Verdicts whose reasons are listed, apart from failures, in order. */
const EXPLAINED: readonly Verdict[] = [
  'harness-error',
  'stale',
  'inconclusive',
  'known-fail',
  'tolerated',
  'not-run',
  'not-applicable',
]

/** Renders a redacted report as lines for a terminal. */
export function terminalReport(report: Report, options: TerminalOptions): readonly string[] {
  const paint = createPaint(options.colours)
  const groups = failureGroups(report.cases)
  const failures = [
    ...groups.slice(0, CAUSES).flatMap((group) => ['', ...failureLines(group, report, options, paint)]),
    ...restLines(groups.length, 'cause', ['']),
  ]
  const reasons = EXPLAINED.flatMap((verdict) => reasonLines(report.cases, verdict, options, paint))
  const notTested = `Not tested: ${notTestedText(report)}`
  return [
    '',
    `  ${wrapText(notTested, 2, options.columns)}`,
    `  ${wrapText(`Completeness: ${completenessText(report)}`, 2, options.columns)}`,
    '',
    ...headLines(report, options.columns),
    '',
    ...groupLines(report.cases, paint, options.columns),
    ...failures,
    ...(reasons.length > 0 ? ['', ...reasons] : []),
    '',
    ...summaryLines(report, options, paint),
    '',
  ]
}

function headLines({ contract, target, mode }: Report, columns: number | undefined): readonly string[] {
  const head = target.head
    ? `head ${headNumber(target.head.number)} (${target.head.hash.slice(0, 10)}…)`
    : 'head unknown'
  const answers = Object.entries(target.answers ?? {}).map(([name, value]) => `${name} ${describe(value)}`)
  const other = answers.length === 0 ? '' : ` (it answers ${answers.join(' and ')})`
  const network = target.network === undefined ? '' : `network ${target.network}${other}, `
  const allowed = mode.allowed.filter((effect) => effect !== 'read')
  const modeText = allowed.length === 0 ? 'safe: read-only methods' : `allowed: read, ${allowed.join(', ')}`
  const budget = mode.budget === null ? 'no budget' : `budget ${numbered(mode.budget, 'request')}`
  const rate = mode.perSecond === null ? 'as fast as it answers' : `${grouped(mode.perSecond)} a second`
  const rows = [
    ['Contract', `${contract.title} ${contract.version}`, `sha256 ${contract.sha256.slice(0, 12)}…`],
    ['Target', target.url, `${network}${head}`],
    ['Mode', `${modeText}, ${budget}, ${rate}`, ''],
  ] as const
  const width = Math.max(rows[0][1].length, rows[1][1].length)
  return rows.flatMap(([label, text, more]) => {
    const line = `  ${label.padEnd(HEAD_LABEL)} ${text.padEnd(width)}   ${more}`.trimEnd()
    if (columns === undefined || line.length <= columns) return [line]
    const indent = HEAD_LABEL + 3
    const first = `  ${label.padEnd(HEAD_LABEL)} ${wrapText(text, indent, columns)}`
    return more === '' ? [first] : [first, `${' '.repeat(indent)}${wrapText(more, indent, columns)}`]
  })
}

/** Lines with the reasons of a verdict, each with its number of cases and the first ids. */
function reasonLines(
  cases: readonly CaseResult[],
  verdict: Verdict,
  { columns }: TerminalOptions,
  paint: Paint,
): readonly string[] {
  const byReason = groupBy(
    cases.filter((result) => result.verdict === verdict),
    ({ reason }) => reason ?? '',
  )
  const isBad = verdict === 'harness-error' || verdict === 'stale'
  const lines = [...byReason].slice(0, CAUSES).map(([reason, ofReason]) => {
    const label = `${grouped(ofReason.length)} ${verdictWords[verdict]}`.padEnd(LABEL)
    const text = wrapText(`${cut(reason, REASON)}  (${idsText(idsOf(ofReason), NAMED)})`, LABEL + 3, columns)
    return `  ${isBad ? paint.bad(label) : label} ${text}`
  })
  return [...lines, ...restLines(byReason.size, 'reason')]
}

/** Counts what a terminal does not show. Other reports have all of it. */
function restLines(number: number, word: string, before: readonly string[] = []): readonly string[] {
  if (number <= CAUSES) return []
  return [...before, `  … and ${numbered(number - CAUSES, `more ${word}`)}: --report json=FILE has them all`]
}

function summaryLines(report: Report, { columns }: TerminalOptions, paint: Paint): readonly string[] {
  const { counts, requests, mode } = report
  const isBad = badCount(counts) > 0
  const verdict = countsText(counts)
  const billed =
    mode.budget === null
      ? numbered(requests.billed, 'request')
      : `${grouped(requests.billed)} of ${numbered(mode.budget, 'request')}`
  const rest = [
    billed,
    numbered(requests.writes, 'write'),
    ...(requests.heldBack > 0 ? [`${grouped(requests.heldBack)} held back`] : []),
    ...(requests.limited > 0 ? [`limited ${numbered(requests.limited, 'time')}`] : []),
    ...(requests.unanswered > 0 ? [`${grouped(requests.unanswered)} without an answer`] : []),
    duration(report.milliseconds),
  ]
  const sent = rest.join(', ')
  const isLong = columns !== undefined && 2 + verdict.length + GAP + sent.length > columns
  const counted = isLong ? wrapText(verdict, 2, columns) : verdict
  const first = `  ${isBad ? paint.bad(counted) : paint.good(counted)}`
  const lines = isLong ? [first, `  ${wrapText(sent, 2, columns)}`] : [`${first}${' '.repeat(GAP)}${sent}`]
  const measured = report.latency === undefined ? [] : latencyLines(report.latency)
  return [
    ...lines,
    ...[...coverageLines(report), ...measured].map((line) => `  ${wrapText(line, 2, columns)}`),
  ]
}

function coverageLines(report: Report): readonly string[] {
  const summaries = coverageSummaries(report)
  const rules = summaries.find(({ kind }) => kind === 'rules')
  const others = coveredParts(report)
  const rest = others.map(({ kind, covered, total }) => `${kind} ${grouped(covered)} of ${grouped(total)}`)
  return [
    ...(rules === undefined ? [] : [`Rules covered: ${summaryText(rules)}`]),
    ...(rest.length === 0 ? [] : [`Covered${rules === undefined ? '' : ' too'}: ${rest.join(', ')}`]),
  ]
}
