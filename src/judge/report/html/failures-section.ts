import { markupText } from '../../../toolkit/report-formats/index.js'
import type { Report } from '../report.js'
import type { ReportOptions } from '../report-options.js'
import { brokenRule } from '../text/broken-rule.js'
import { type FailureGroup, failureGroups } from '../text/failure-groups.js'
import { groupBy } from '../text/group-by.js'
import { numbered } from '../text/words.js'
import { caseDetails, rulePlace, verdictMarkup } from './case-markup.js'
import { caseAnchor } from './cases-section.js'
import type { PageBudget } from './page-budget.js'
import { proseMarkup } from './prose-markup.js'

/** Markup of failures: each rule with the causes of its failures. Empty if nothing failed. */
export function failuresSection(report: Report, options: ReportOptions, budget: PageBudget): string {
  const groups = failureGroups(report.cases)
  const unsound = report.cases.filter(({ verdict }) => verdict === 'stale' || verdict === 'harness-error')
  if (groups.length + unsound.length === 0) return ''
  const title = groups.length === 0 ? 'What needs a look' : `${numbered(groups.length, 'cause')} of failure`
  // Rules and causes with most cases come first.
  const byRule = [...groupBy(groups, ({ first, rules }) => brokenRule(first, report, rules).text)].toSorted(
    ([, one], [, other]) => caseCount(other) - caseCount(one),
  )
  return [
    `<section aria-labelledby="failures"><h2 id="failures">${title}</h2>`,
    ...byRule.map(([text, ofRule]) => ruleMarkup(text, ofRule, report, options, budget)),
    ...unsound.map(
      ({ id, verdict, reason }) =>
        `<article class="cause sheet"><h3>${verdictMarkup(verdict)}${markupText(id)}</h3><p>${markupText(reason ?? '')}</p></article>`,
    ),
    '</section>',
  ].join('\n')
}

function caseCount(groups: readonly FailureGroup[]): number {
  return groups.reduce((sum, { others }) => sum + others.length + 1, 0)
}

/** Markup of a rule with its causes of failure. */
function ruleMarkup(
  text: string,
  groups: readonly FailureGroup[],
  report: Report,
  options: ReportOptions,
  budget: PageBudget,
): string {
  const [group] = groups
  const rule = group && brokenRule(group.first, report, group.rules)
  const counts = `${numbered(caseCount(groups), 'case')}, ${numbered(groups.length, 'cause')}`
  const causes = groups.toSorted((one, other) => other.others.length - one.others.length)
  return [
    '<section class="broken">',
    `<h3>${proseMarkup(text)}</h3>`,
    `<p class="rule">${rule === undefined ? '' : `${rulePlace(rule)}; `}${counts}</p>`,
    ...causes.map((group) => causeMarkup(group, rule?.id, report, options, budget)),
    '</section>',
  ].join('\n')
}

function causeMarkup(
  { title, rules, first, others }: FailureGroup,
  heading: string | undefined,
  report: Report,
  options: ReportOptions,
  budget: PageBudget,
): string {
  const same = others.map(
    ({ id }) => `<li><a href="#${encodeURIComponent(caseAnchor(id))}">${markupText(id)}</a></li>`,
  )
  // The heading above has the shared rule.
  const hasOwnTitle = others.length > 0 && rules.length === 0
  return [
    '<article class="cause sheet">',
    `<h4>${hasOwnTitle ? markupText(title) : proseMarkup(first.scenario)}</h4>`,
    `<p><code>${markupText(first.id)}</code>${verdictMarkup(first.verdict)}</p>`,
    hasOwnTitle ? `<p>For example: ${proseMarkup(first.scenario)}</p>` : '',
    caseDetails(first, report, options, budget, heading),
    same.length === 0
      ? ''
      : `<details class="more"><summary>${numbered(same.length, 'more case')} with this cause</summary><ul class="names">${same.join('')}</ul></details>`,
    '</article>',
  ].join('')
}
