import { stringify } from 'yaml'
import { printableLines } from '../../toolkit/text/index.js'
import { completenessText } from './completeness.js'
import type { CaseResult, Report } from './report.js'
import type { ReportOptions } from './report-options.js'
import { type BrokenRule, brokenRule } from './text/broken-rule.js'
import { casesText, coverageSummaries, summaryText } from './text/coverage-words.js'
import { smallestCall } from './text/failing-call.js'
import { waitingFor } from './text/failure-groups.js'
import { groupBy } from './text/group-by.js'
import { notTestedText } from './text/not-tested-text.js'
import { outcomeOf, verdictWords } from './verdicts.js'

/** Maximum characters of a body shown with a failure. */
const LONGEST_BODY = 4000

const INDENT = '    '

/**
 * Renders a report in the Test Anything Protocol, version 14. Each group is a subtest. Failures have YAML
 * diagnostics, and comments list the coverage.
 */
export function tapReport(report: Report, options: ReportOptions): string {
  const groups = [...groupBy(report.cases, ({ group }) => group)]
  const { contract, target } = report
  return [
    'TAP version 14',
    comment(`Not tested: ${notTestedText(report)}`),
    comment(`Completeness: ${completenessText(report)}`),
    comment(`${contract.title} ${contract.version}, sha256 ${contract.sha256}`),
    comment(target.url),
    `1..${groups.length}`,
    ...groups.flatMap(([name, cases], index) => groupLines(name, cases, index + 1, report, options)),
    ...coverageLines(report),
    '',
  ].join('\n')
}

function groupLines(
  name: string,
  cases: readonly CaseResult[],
  number: number,
  report: Report,
  options: ReportOptions,
): readonly string[] {
  const isBad = cases.some(({ verdict }) => ['failed', 'error'].includes(outcomeOf(verdict)))
  return [
    comment(`Subtest: ${name}`),
    `${INDENT}1..${cases.length}`,
    ...cases.flatMap((result, index) =>
      caseLines(result, index + 1, report, options).map((line) => `${INDENT}${line}`),
    ),
    `${isBad ? 'not ok' : 'ok'} ${number} - ${description(name)}`,
  ]
}

function caseLines(
  result: CaseResult,
  number: number,
  report: Report,
  options: ReportOptions,
): readonly string[] {
  const { id, scenario, verdict, reason } = result
  const outcome = outcomeOf(verdict)
  const point = `${number} - ${description(`${id}: ${scenario}`)}`
  const why = description(`${verdictWords[verdict]}: ${reason ?? ''}`)
  if (outcome === 'skipped') return [`ok ${point} # SKIP ${why}`]
  if (outcome === 'known') return [`not ok ${point} # TODO ${why}`]
  if (outcome === 'passed') {
    return [`ok ${point}`, ...(verdict === 'tolerated' ? yamlLines({ tolerated: reason }) : [])]
  }
  return [`not ok ${point}`, ...yamlLines(diagnostics(result, report, options))]
}

function diagnostics(result: CaseResult, report: Report, { again }: ReportOptions) {
  const { verdict, reason, findings, evidence, head, milliseconds } = result
  const last = evidence.at(-1)
  const { response } = last ?? {}
  return {
    verdict,
    reason,
    rule: ruleText(brokenRule(result, report)),
    rules: result.rules,
    findings,
    follow_ups: waitingFor([result], report).map(({ id }) => id),
    call: smallestCall(result),
    head,
    duration_ms: milliseconds,
    step: last?.step,
    answer: response && { ...response, body: short(response.body) },
    trouble: last?.trouble?.message,
    curl: last && short(last.curl),
    again: again(result),
  }
}

function ruleText({ id, pointer, text }: BrokenRule): string {
  return `${id}${pointer === undefined ? '' : ` (${pointer})`}: ${text}`
}

function short(text: string): string {
  if (text.length <= LONGEST_BODY) return text
  return `${text.slice(0, LONGEST_BODY)}… (${text.length - LONGEST_BODY} characters more in the JSON report)`
}

function yamlLines(value: object): readonly string[] {
  const yaml = stringify(JSON.parse(JSON.stringify(value, shown)), {
    lineWidth: 0,
    aliasDuplicateObjects: false,
  })
  return [
    '  ---',
    ...yaml
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`.trimEnd()),
    '  ...',
  ]
}

function shown(_: string, value: unknown): unknown {
  return typeof value === 'string' ? printableLines(value) : value
}

function coverageLines(report: Report): readonly string[] {
  return [
    ...coverageSummaries(report).map((summary) =>
      comment(`${summary.kind} covered: ${summaryText(summary)}`),
    ),
    ...report.rules.map(({ id, cases }) => comment(`rule ${id}: ${casesText(cases)}`)),
    ...report.elements.map(({ kind, id, cases }) => comment(`${kind} ${id}: ${casesText(cases)}`)),
  ]
}

function comment(text: string): string {
  return `# ${inLine(text)}`
}

/** Puts a description on one line and escapes TAP directives. */
function description(text: string): string {
  return inLine(text).replaceAll(/[\\#]/g, (character) => `\\${character}`)
}

function inLine(text: string): string {
  return printableLines(text.replaceAll(/\s+/g, ' ')).trim()
}
