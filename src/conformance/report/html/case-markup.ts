import type { CaseResult, Evidence, Finding, Report } from '../../run/result/report.js'
import { markupText } from '../markup-text.js'
import type { ReportOptions } from '../text/failure-lines.js'
import { headNumber, numbered, verdictWords } from '../text/words.js'
import { copyMarkup, exchangeMarkup } from './exchange-markup.js'
import type { PageBudget } from './page-budget.js'
import { proseMarkup } from './prose-markup.js'
import { shortDiff } from './short-diff.js'

/** Maximum findings and exchanges shown for a case. */
const SHOWN = { findings: 5, exchanges: 4 } as const

/** Markup of a verdict in its colour. */
export function verdictMarkup(verdict: CaseResult['verdict']): string {
  return `<span class="verdict ${verdict}">${verdictWords[verdict]}</span>`
}

/** Markup of a case: its rules, the expected and actual values, and the exchanges. */
export function caseDetails(
  result: CaseResult,
  report: Report,
  { again }: ReportOptions,
  budget: PageBudget,
): string {
  const { verdict, reason, expired, findings, evidence } = result
  const failed = findings.length > 0 || verdict === 'no-answer'
  // The last exchange of a failure is always shown.
  const room = budget.hasRoom() ? SHOWN.exchanges : Number(failed)
  const shown = evidence.slice(Math.max(0, evidence.length - room))
  const hidden = evidence.length - shown.length
  return [
    failed ? rulesMarkup(result, report.rules) : ruleNames(result),
    reason === undefined || (failed && verdict === 'fail') ? '' : `<p>${markupText(reason)}</p>`,
    expired === undefined || !failed ? '' : `<p>${markupText(expired)}</p>`,
    ...findings.slice(0, SHOWN.findings).map(findingMarkup),
    findings.length > SHOWN.findings ? `<p>${findings.length - SHOWN.findings} more findings</p>` : '',
    headMarkup(result),
    hidden > 0 ? `<p class="rule">${numbered(hidden, 'exchange')} more in the JSON report.</p>` : '',
    exchangesMarkup(shown, budget, failed),
    failed
      ? `<div class="exchange"><p>Run this case again:</p>${copyMarkup(again(result), 'the command')}</div>`
      : '',
  ].join('')
}

/** The findings of a failure concern its last exchange, so earlier exchanges are folded. */
function exchangesMarkup(shown: readonly Evidence[], budget: PageBudget, failed: boolean): string {
  const last = shown.at(-1)
  if (!failed || last === undefined) return shown.map((one) => exchangeMarkup(one, budget, false)).join('')
  const before = shown.slice(0, -1).map((one) => exchangeMarkup(one, budget, true))
  const folded =
    before.length === 0
      ? ''
      : `<details class="more"><summary>Earlier requests</summary>${before.join('')}</details>`
  return `${folded}${exchangeMarkup(last, budget, true)}`
}

/** Rule ids suffice for a passed case. The coverage section has their text. */
function ruleNames({ rules }: CaseResult): string {
  if (rules.length === 0) return ''
  return `<p class="rule">${rules.map((id) => `<code>${markupText(id)}</code>`).join(' ')}</p>`
}

/** Rules of a case with their text and their place in the contract. */
function rulesMarkup({ rules }: CaseResult, all: Report['rules']): string {
  return rules
    .map((id) => {
      const rule = all.find((rule) => rule.id === id)
      if (rule === undefined) return `<p class="rule"><code>${markupText(id)}</code></p>`
      const section = rule.section === '' ? '' : `, section ${markupText(rule.section)}`
      return `<p class="rule"><code>${markupText(id)}</code>${section}, <code>${markupText(rule.pointer)}</code><br>${proseMarkup(rule.text)}</p>`
    })
    .join('')
}

function findingMarkup({ where, expected, got }: Finding): string {
  const { before, after, ...differing } = shortDiff(expected, got)
  const side = (middle: string) =>
    `<code>${markupText(before)}<mark>${markupText(middle)}</mark>${markupText(after)}</code>`
  return [
    '<dl class="compare">',
    `<dt>at</dt><dd><code>${markupText(where)}</code></dd>`,
    `<dt>expected</dt><dd class="wanted">${side(differing.expected)}</dd>`,
    `<dt>got</dt><dd class="came">${side(differing.got)}</dd>`,
    '</dl>',
  ].join('')
}

function headMarkup({ head }: CaseResult): string {
  if (head === undefined) return ''
  const [before, after] = [head.before, head.after].map(
    ({ number, hash }) => `${markupText(headNumber(number))} (${markupText(hash.slice(0, 10))}…)`,
  )
  return `<p class="rule">Head ${before} before, ${after} after</p>`
}
