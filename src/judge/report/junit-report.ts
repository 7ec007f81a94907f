import { markupText } from '../../toolkit/report-formats/index.js'
import { completenessText } from './completeness.js'
import type { CaseResult, Report } from './report.js'
import type { ReportOptions } from './report-options.js'
import { brokenRule } from './text/broken-rule.js'
import { casesText, coverageSummaries, summaryText } from './text/coverage-words.js'
import { failureGroups } from './text/failure-groups.js'
import { failureLines } from './text/failure-lines.js'
import { groupBy } from './text/group-by.js'
import { notTestedText } from './text/not-tested-text.js'
import { createPaint } from './text/paint.js'
import { answerWords } from './text/words.js'
import { outcomeOf, verdictWords } from './verdicts.js'

/** Maximum characters of an answer shown with a failure. */
const LONGEST_ANSWER = 4000

const plain = createPaint(false)

/**
 * Renders a report as JUnit XML (Maven Surefire format) for Jenkins, GitLab and others. Each group is a
 * suite. A suite without cases lists the coverage as properties.
 */
export function junitReport(report: Report, options: ReportOptions): string {
  const groups = groupBy(report.cases, ({ group }) => group)
  const about = propertiesXml([
    ['not tested', notTestedText(report)],
    ['completeness', completenessText(report)],
    ...aboutOf(report),
  ])
  const suites = [...groups].map(([name, cases]) => suiteXml(name, cases, about, report, options))
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${markupText(titleOf(report))}"${countsXml(report.cases, false)} time="${seconds(report.milliseconds)}">`,
    ...suites,
    coverageXml(report),
    '</testsuites>',
    '',
  ].join('\n')
}

function titleOf({ contract }: Report): string {
  return `${contract.title} ${contract.version}`
}

type Properties = readonly (readonly [name: string, value: string])[]

function aboutOf({ target, contract, mode, requests, tool }: Report): Properties {
  return [
    ['target', target.url],
    ...(target.network === undefined ? [] : [['network', target.network] as const]),
    ...(target.head === undefined ? [] : [['head', `${target.head.number} ${target.head.hash}`] as const]),
    ['contract', `${contract.title} ${contract.version}`],
    ['contract.sha256', contract.sha256],
    ['allowed', mode.allowed.join(',')],
    ['requests.billed', String(requests.billed)],
    ['requests.writes', String(requests.writes)],
    ['tool', `${tool.name} ${tool.version}`],
  ]
}

function propertiesXml(properties: Properties): readonly string[] {
  const lines = properties.map(
    ([name, value]) => `      <property name="${markupText(name)}" value="${inLine(value)}"/>`,
  )
  return ['    <properties>', ...lines, '    </properties>']
}

function suiteXml(
  name: string,
  cases: readonly CaseResult[],
  about: readonly string[],
  report: Report,
  options: ReportOptions,
): string {
  const time = seconds(cases.reduce((sum, { milliseconds }) => sum + milliseconds, 0))
  const started = report.started.replace(/\.\d+Z$/, '')
  return [
    `  <testsuite name="${markupText(name)}"${countsXml(cases, true)} time="${time}" timestamp="${markupText(started)}">`,
    ...about,
    ...cases.map((result) => caseXml(result, report, options)),
    '  </testsuite>',
  ].join('\n')
}

function countsXml(cases: readonly CaseResult[], withSkipped: boolean): string {
  const outcomes = cases.map(({ verdict }) => outcomeOf(verdict))
  const count = (...wanted: readonly string[]) =>
    outcomes.filter((outcome) => wanted.includes(outcome)).length
  const skipped = withSkipped ? ` skipped="${count('known', 'skipped')}"` : ''
  return ` tests="${cases.length}" failures="${count('failed')}" errors="${count('error')}"${skipped}`
}

/** Jenkins and GitLab name a case by class and name, so the id is split into its group and the rest. */
function caseXml(result: CaseResult, report: Report, options: ReportOptions): string {
  const { id, group, milliseconds } = result
  const name = id.startsWith(`${group}/`) ? id.slice(group.length + 1) : id
  const open = `    <testcase classname="${markupText(group)}" name="${markupText(name)}" time="${seconds(milliseconds)}"`
  const inner = [...outcomeXml(result, report, options), ...outputXml(result)]
  return inner.length === 0 ? `${open}/>` : [`${open}>`, ...inner, '    </testcase>'].join('\n')
}

function outcomeXml(result: CaseResult, report: Report, options: ReportOptions): readonly string[] {
  const { verdict, reason } = result
  const outcome = outcomeOf(verdict)
  if (outcome === 'passed') return []
  const message = inLine(reason ?? verdictWords[verdict])
  if (outcome === 'skipped' || outcome === 'known') {
    return [`      <skipped type="${verdict}" message="${verdictWords[verdict]}: ${message}"/>`]
  }
  const element = outcome === 'failed' ? 'failure' : 'error'
  const rule = verdict === 'fail' ? `${brokenRule(result, report).id}: ` : ''
  const [group] = failureGroups([{ ...result, verdict: 'fail' }])
  const lines = group === undefined ? [] : failureLines(group, report, options, plain)
  const text = lines.map((line) => markupText(line.slice(2))).join('\n')
  return [`      <${element} type="${verdict}" message="${inLine(rule)}${message}">${text}</${element}>`]
}

/** Output of a case: the answer of a failure, or the reason for tolerating an answer. */
function outputXml({ verdict, reason, evidence }: CaseResult): readonly string[] {
  if (verdict === 'tolerated') return [`      <system-out>${markupText(`tolerated: ${reason}`)}</system-out>`]
  const exchange = evidence.at(-1)
  const last = exchange?.response
  if (exchange === undefined || last === undefined || outcomeOf(verdict) !== 'failed') return []
  const headers = Object.entries(last.headers).map(([name, value]) => `${name}: ${value}`)
  const body = last.body.slice(0, LONGEST_ANSWER)
  const rest = last.body.length - body.length
  const text = [
    answerWords(exchange),
    ...headers,
    '',
    rest > 0 ? `${body}… (${rest} characters more in the JSON report)` : body,
  ].join('\n')
  return [`      <system-out>${markupText(text)}</system-out>`]
}

function coverageXml(report: Report): string {
  const properties: Properties = [
    ...coverageSummaries(report).map(
      (summary) => [`coverage.${summary.kind}`, summaryText(summary)] as const,
    ),
    ...report.rules.map(({ id, cases }) => [`rule ${id}`, casesText(cases)] as const),
    ...report.elements.map(({ kind, id, cases }) => [`${kind} ${id}`, casesText(cases)] as const),
  ]
  return [
    '  <testsuite name="coverage" tests="0" failures="0" errors="0" skipped="0" time="0.000">',
    ...propertiesXml(properties),
    '  </testsuite>',
  ].join('\n')
}

/** Attribute text on one line. */
function inLine(text: string): string {
  return markupText(text.replaceAll(/\s+/g, ' '))
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3)
}
