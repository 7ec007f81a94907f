import type { Report } from '../../run/result/report.js'
import { markupText } from '../markup-text.js'
import { type FailureGroup, failureGroups } from '../text/failure-groups.js'
import type { ReportOptions } from '../text/failure-lines.js'
import { numbered } from '../text/words.js'
import { caseDetails, verdictMarkup } from './case-markup.js'
import { caseAnchor } from './cases-section.js'
import type { PageBudget } from './page-budget.js'
import { proseMarkup } from './prose-markup.js'

/** Markup of failures, grouped by cause. Empty if nothing failed. */
export function failuresSection(report: Report, options: ReportOptions, budget: PageBudget): string {
  // Causes with most cases come first.
  const groups = failureGroups(report.cases).toSorted((one, other) => other.others.length - one.others.length)
  const unsound = report.cases.filter(({ verdict }) => verdict === 'stale' || verdict === 'harness-error')
  if (groups.length + unsound.length === 0) return ''
  const title = groups.length === 0 ? 'What needs a look' : `${numbered(groups.length, 'cause')} of failure`
  return [
    `<section aria-labelledby="failures"><h2 id="failures">${title}</h2>`,
    ...groups.map((group) => causeMarkup(group, report, options, budget)),
    ...unsound.map(
      ({ id, verdict, reason }) =>
        `<article class="cause sheet"><h3>${verdictMarkup(verdict)}${markupText(id)}</h3><p>${markupText(reason ?? '')}</p></article>`,
    ),
    '</section>',
  ].join('\n')
}

function causeMarkup(
  { title, first, others }: FailureGroup,
  report: Report,
  options: ReportOptions,
  budget: PageBudget,
): string {
  const same = others.map(
    ({ id }) => `<li><a href="#${encodeURIComponent(caseAnchor(id))}">${markupText(id)}</a></li>`,
  )
  return [
    '<article class="cause sheet">',
    `<h3>${others.length === 0 ? proseMarkup(first.scenario) : markupText(title)}</h3>`,
    `<p><code>${markupText(first.id)}</code><span class="verdict ${first.verdict}">${numbered(others.length + 1, 'case')}</span></p>`,
    others.length === 0 ? '' : `<p>For example: ${proseMarkup(first.scenario)}</p>`,
    caseDetails(first, report, options, budget),
    same.length === 0
      ? ''
      : `<details class="more"><summary>${numbered(same.length, 'more case')} with this cause</summary><ul class="names">${same.join('')}</ul></details>`,
    '</article>',
  ].join('')
}
