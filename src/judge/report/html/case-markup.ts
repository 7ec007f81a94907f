import { markupText } from '../../../toolkit/report-formats/index.js'
import type { CaseResult, Evidence, Finding, Report } from '../report.js'
import type { ReportOptions } from '../report-options.js'
import { type BrokenRule, brokenRule } from '../text/broken-rule.js'
import { smallestCall } from '../text/failing-call.js'
import { waitingFor } from '../text/failure-groups.js'
import { waitingText } from '../text/failure-lines.js'
import { groupBy } from '../text/group-by.js'
import { headNumber, numbered } from '../text/words.js'
import { verdictWords } from '../verdicts.js'
import { copyMarkup, exchangeMarkup } from './exchange-markup.js'
import type { PageBudget } from './page-budget.js'
import { proseMarkup } from './prose-markup.js'
import { shortDiff } from './short-diff.js'

/** Maximum findings and exchanges shown for a case. */
const SHOWN = { findings: 8, exchanges: 4 } as const

/** Markup of a verdict in its colour. */
export function verdictMarkup(verdict: CaseResult['verdict']): string {
  return `<span class="verdict ${verdict}">${verdictWords[verdict]}</span>`
}

/**
 * Markup of a case: its rules, the expected and received values, and the exchanges. A failure also has the
 * commands that repeat it, before the exchanges.
 * @param heading rule that a heading above the case already describes
 */
export function caseDetails(
  result: CaseResult,
  report: Report,
  options: ReportOptions,
  budget: PageBudget,
  heading?: string,
): string {
  const { verdict, reason, expired, findings, evidence } = result
  const failed = findings.length > 0 || verdict === 'no-answer' || verdict === 'gave-up'
  // The last exchange of a failure is always shown.
  const room = budget.hasRoom() ? SHOWN.exchanges : Number(failed)
  const shown = evidence.slice(Math.max(0, evidence.length - room))
  const hidden = evidence.length - shown.length
  return [
    failed ? rulesMarkup(result, report, heading) : ruleNames(result),
    reason === undefined || (failed && verdict === 'fail') ? '' : `<p>${markupText(reason)}</p>`,
    expired === undefined || !failed ? '' : `<p>${markupText(expired)}</p>`,
    findingsMarkup(findings),
    failed ? followUps(result, report) : '',
    failed ? commandsMarkup(result, options, budget) : '',
    headMarkup(result),
    hidden > 0 ? `<p class="rule">${numbered(hidden, 'exchange')} more in the JSON report.</p>` : '',
    failed ? foldedExchanges(shown, budget) : shown.map((one) => exchangeMarkup(one, budget, false)).join(''),
  ].join('')
}

/** Commands that repeat a failure: the smallest call of a generated case, its curl line, and the whole case. */
function commandsMarkup(result: CaseResult, { again }: ReportOptions, budget: PageBudget): string {
  const { generated, evidence } = result
  const curl = evidence.at(-1)?.curl
  const smallest = smallestCall(result)
  const title = generated?.shrunkIn === undefined ? 'Failing call' : 'Smallest failing call found'
  return [
    '<div class="exchange">',
    smallest === undefined ? '' : `<p>${title}: <code>${markupText(budget.cut(smallest))}</code></p>`,
    curl === undefined
      ? ''
      : `<p>Send the request again:</p>${copyMarkup(budget.cut(curl), 'the curl line')}`,
    `<p>Run the case again:</p>${copyMarkup(again(result), 'the command')}`,
    '</div>',
  ].join('')
}

/** The findings of a failure concern its last exchange. */
function foldedExchanges(shown: readonly Evidence[], budget: PageBudget): string {
  if (shown.length === 0) return ''
  const title = shown.length === 1 ? 'Request and answer' : `The last ${shown.length} requests and answers`
  const exchanges = shown.map((one) => exchangeMarkup(one, budget, true))
  return `<details class="more"><summary>${title}</summary>${exchanges.join('')}</details>`
}

/** Rule ids suffice for a passed case. The coverage section has their text. */
function ruleNames({ rules }: CaseResult): string {
  if (rules.length === 0) return ''
  return `<p class="rule">${rules.map((id) => `<code>${markupText(id)}</code>`).join(' ')}</p>`
}

/** The violated rule, then the other rules of the case, with their text and their place in the contract. */
function rulesMarkup(result: CaseResult, report: Report, heading: string | undefined): string {
  const broken = brokenRule(result, report)
  const others = result.rules
    .filter((id) => id !== broken.id)
    .map(
      (id) =>
        report.rules.find((rule) => rule.id === id) ?? { id, text: '', section: '', pointer: undefined },
    )
  return [broken, ...others]
    .filter(({ id }) => id !== heading)
    .map((rule) => `<p class="rule">${rulePlace(rule)}<br>${proseMarkup(rule.text)}</p>`)
    .join('')
}

/** Cases that did not run because of a failure. */
function followUps(result: CaseResult, report: Report): string {
  const waiting = waitingFor([result], report)
  return waiting.length === 0 ? '' : `<p>${markupText(waitingText(waiting))}</p>`
}

/** Markup of a rule's id and its places in the specification and the contract. */
export function rulePlace({ id, section, pointer }: BrokenRule): string {
  const inSpecification = section === '' ? '' : `, section ${markupText(section)}`
  const place = pointer === undefined ? '' : `, <code>${markupText(pointer)}</code>`
  return `<code>${markupText(id)}</code>${inSpecification}${place}`
}

/** Markup of findings, with expected and received values side by side. */
function findingsMarkup(findings: readonly Finding[]): string {
  const shown = findings.slice(0, SHOWN.findings)
  // Several expectations of one value are listed beside it.
  const byValue = groupBy(shown, ({ where, got }) => `${where} ${got}`)
  const rest = findings.length - shown.length
  return [
    ...[...byValue.values()].map(valueMarkup),
    rest > 0 ? `<p>${numbered(rest, 'more finding')} in the JSON report</p>` : '',
  ].join('')
}

function valueMarkup(findings: readonly Finding[]): string {
  const [first, ...others] = findings
  if (first === undefined) return ''
  const { before, after, ...differing } = shortDiff(first.expected, first.got)
  const side = (middle: string) =>
    `<code>${markupText(before)}<mark>${markupText(middle)}</mark>${markupText(after)}</code>`
  const wanted =
    others.length === 0
      ? side(differing.expected)
      : findings.map(({ expected }) => `<code><mark>${markupText(expected)}</mark></code>`).join('<br>')
  const got = others.length === 0 ? side(differing.got) : `<code><mark>${markupText(first.got)}</mark></code>`
  return [
    '<dl class="compare">',
    `<div class="at"><dt>member</dt><dd><code>${markupText(first.where)}</code></dd></div>`,
    `<div class="wanted"><dt>expected</dt><dd>${wanted}</dd></div>`,
    `<div class="came"><dt>received</dt><dd>${got}</dd></div>`,
    '</dl>',
  ].join('')
}

function headMarkup({ head }: CaseResult): string {
  if (head === undefined) return ''
  const [before, after] = [head.before, head.after].map(
    ({ number, hash }) => `${markupText(headNumber(number))} (${markupText(hash.slice(0, 10))}…)`,
  )
  return `<p class="rule head">Head ${before} before, ${after} after</p>`
}
