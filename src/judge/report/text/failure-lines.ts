import { type CaseResult, type Finding, invariantGroup, type Report } from '../report.js'
import type { ReportOptions } from '../report-options.js'
import { type BrokenRule, brokenRule } from './broken-rule.js'
import { smallestCall } from './failing-call.js'
import { expiredIn, type FailureGroup, waitingFor } from './failure-groups.js'
import { idsOf, idsText } from './ids-text.js'
import type { Paint } from './paint.js'
import { answerWords, headNumber, numbered } from './words.js'
import { wrapText } from './wrap-text.js'

/** Maximum findings and case ids shown, and characters of a curl command. */
const SHOWN = { findings: 4, cases: 7, curl: 2000 } as const

/** Width of the label column, in characters. */
const INDENT = 14

/**
 * Describes a failure group: rule, expected and actual values, head, and commands that repeat the request and
 * the case. Commands are never wrapped, so that they can be copied.
 */
export function failureLines(
  { title, rules: shared, first, others }: FailureGroup,
  report: Pick<Report, 'cases' | 'rules' | 'elements'>,
  { again, columns }: ReportOptions,
  paint: Paint,
): readonly string[] {
  const last = first.evidence.at(-1)
  const line = (label: string, text: string) =>
    `    ${paint.faint(label.padEnd(9))} ${text
      .split('\n')
      .map((part) => wrapText(part, INDENT, columns))
      .join(`\n${' '.repeat(INDENT)}`)}`
  const [finding, ...more] = first.findings
  const lines = [`  ${paint.bad('✗')} ${paint.strong(wrapText(title, 4, columns))}`]
  if (others.length > 0) lines.push(line('cases', casesText(first, others)))
  lines.push(
    others.length > 0 ? line('example', first.scenario) : `    ${wrapText(first.scenario, 4, columns)}`,
  )
  const rule = brokenRule(first, report, shared)
  lines.push(line('rule', ruleText(rule)))
  const otherRules = shared.filter((id) => id !== rule.id)
  if (otherRules.length > 0)
    lines.push(line(shared.includes(rule.id) ? 'and' : 'about', otherRules.join(', ')))
  if (last !== undefined) lines.push(line('step', `${last.step}${answeredIn(last)}`))
  lines.push(...(finding === undefined ? [line('got', first.reason ?? '')] : findingLines(finding, line)))
  for (const { where, expected, got } of more.slice(0, SHOWN.findings - 1)) {
    lines.push(line('also', `${where}: ${expected}, got ${got}`))
  }
  if (more.length >= SHOWN.findings)
    lines.push(line('', `and ${more.length - SHOWN.findings + 1} more findings`))
  if (first.head !== undefined) {
    const { before, after } = first.head
    lines.push(line('head', `${headNumber(before.number)} → ${headNumber(after.number)}`))
  }
  const waiting = waitingFor([first, ...others], report)
  if (waiting.length > 0) lines.push(line('follow-up', waitingText(waiting)))
  const smallest = smallestCall(first)
  const { shrunkIn } = first.generated ?? {}
  if (smallest !== undefined) {
    const found = shrunkIn === undefined ? '' : `found in ${numbered(shrunkIn, 'request')}: `
    lines.push(line(shrunkIn === undefined ? 'call' : 'smallest', `${found}${smallest}`))
  }
  for (const expired of expiredIn([first, ...others])) lines.push(line('known', expired))
  // A violated invariant shows in several answers.
  const sent = first.group === invariantGroup ? first.evidence : first.evidence.slice(-1)
  for (const { curl } of sent) lines.push(`    ${paint.faint('$')} ${shortened(curl)}`)
  return [...lines, `    ${paint.faint('again'.padEnd(9))} ${again(first)}`]
}

function answeredIn(evidence: CaseResult['evidence'][number]): string {
  const { response, trouble, milliseconds } = evidence
  if (response !== undefined) return `, ${answerWords(evidence)} in ${milliseconds} ms`
  return trouble === undefined ? '' : `, no answer in ${milliseconds} ms`
}

function findingLines(
  { where, expected, got }: Finding,
  line: (label: string, text: string) => string,
): readonly string[] {
  return [line('expected', `${where}  ${expected}`), line('got', got)]
}

function ruleText({ id, text, section, pointer }: BrokenRule): string {
  const places = [
    ...(section === '' ? [] : [`section ${section}`]),
    ...(pointer === undefined ? [] : [pointer]),
  ]
  return `${id}${places.length === 0 ? '' : ` (${places.join(', ')})`}${text === '' ? '' : `\n${text}`}`
}

/** Lists the ids of the group, starting with the example. */
function casesText(first: CaseResult, others: readonly CaseResult[]): string {
  const ids = idsOf([first, ...others])
  return `${numbered(ids.length, 'case')} with this cause: ${idsText(ids, SHOWN.cases)}`
}

/** Names the cases that did not run because of a failure. */
export function waitingText(waiting: readonly CaseResult[]): string {
  return `${numbered(waiting.length, 'case')} did not run because of it: ${idsText(idsOf(waiting), SHOWN.cases)}`
}

function shortened(curl: string): string {
  return curl.length <= SHOWN.curl ? curl : `${curl.slice(0, SHOWN.curl)}… (whole in the JSON report)`
}
