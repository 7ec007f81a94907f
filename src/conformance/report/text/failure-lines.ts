import { isObject, type JsonObject } from '../../../contract/index.js'
import { cut } from '../../expect/describe.js'
import type { CaseResult, Finding, Report, RuleCoverage } from '../../run/result/report.js'
import { invariantGroup } from '../../traffic/traffic.js'
import type { FailureGroup } from './failure-groups.js'
import type { Paint } from './paint.js'
import { headNumber, numbered } from './words.js'
import { wrapText } from './wrap-text.js'

/** Maximum findings and case ids shown, and characters of a curl command. */
const SHOWN = { findings: 4, cases: 7, curl: 2000 } as const

/** Width of the label column, in characters. */
const INDENT = 14

/** Options of all human-readable reports. */
export interface ReportOptions {
  /** Returns the command that runs a case again. */
  readonly again: (result: CaseResult) => string
  /** Terminal width in characters; undefined for unlimited lines. */
  readonly columns?: number | undefined
}

/**
 * Describes a failure group: rule, expected and actual values, head, and commands that repeat the request and
 * the case. Commands are never wrapped, so that they can be copied.
 */
export function failureLines(
  { title, rules: shared, first, others }: FailureGroup,
  rules: Report['rules'],
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
  const [main, ...otherRules] = shared
  if (main !== undefined) lines.push(line('rule', ruleText(main, rules)))
  if (otherRules.length > 0) lines.push(line('and', otherRules.join(', ')))
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
  const { generated } = first
  if (generated?.shrunkIn !== undefined) {
    lines.push(
      line('smallest', `found in ${numbered(generated.shrunkIn, 'request')}: ${callsText(generated.case)}`),
    )
  }
  for (const expired of expiredIn([first, ...others])) lines.push(line('known', expired))
  // A violated invariant shows in several answers.
  const sent = first.group === invariantGroup ? first.evidence : first.evidence.slice(-1)
  for (const { curl } of sent) lines.push(`    ${paint.faint('$')} ${shortened(curl)}`)
  return [...lines, `    ${paint.faint('again'.padEnd(9))} ${again(first)}`]
}

/** Formats the calls of a generated case, such as `book([7]), then lend([7])`. */
export function callsText({ steps }: JsonObject): string {
  const calls = [steps ?? []].flat().filter(isObject)
  const words = calls.map(({ call, params, batch }) =>
    batch === undefined ? `${call}(${JSON.stringify(params)})` : `a batch of ${[batch].flat().length}`,
  )
  return cut(words.join(', then '), SHOWN.curl)
}

function answeredIn({ response, trouble, milliseconds }: CaseResult['evidence'][number]): string {
  if (response !== undefined) return `, HTTP ${response.status} in ${milliseconds} ms`
  return trouble === undefined ? '' : `, no answer in ${milliseconds} ms`
}

function findingLines(
  { where, expected, got }: Finding,
  line: (label: string, text: string) => string,
): readonly string[] {
  return [line('expected', `${where}  ${expected}`), line('got', got)]
}

function ruleText(id: string, rules: readonly RuleCoverage[]): string {
  const rule = rules.find((rule) => rule.id === id)
  if (rule === undefined) return id
  const section = rule.section === '' ? '' : `section ${rule.section}, `
  return `${id} (${section}${rule.pointer})\n${rule.text}`
}

/** Lists the ids of the group, starting with the example. */
function casesText(first: CaseResult, others: readonly CaseResult[]): string {
  const named = [first, ...others].slice(0, SHOWN.cases).map(({ id }) => id)
  const rest = others.length >= SHOWN.cases ? ', …' : ''
  return `${numbered(others.length + 1, 'case')} with this cause: ${named.join(', ')}${rest}`
}

/** Distinct texts of expired known failures. */
function expiredIn(cases: readonly CaseResult[]): readonly string[] {
  return [...new Set(cases.flatMap(({ expired }) => expired ?? []))]
}

function shortened(curl: string): string {
  return curl.length <= SHOWN.curl ? curl : `${curl.slice(0, SHOWN.curl)}… (whole in the JSON report)`
}
