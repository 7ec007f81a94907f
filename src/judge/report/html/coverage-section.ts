import { markupText } from '../../../toolkit/report-formats/index.js'
import type { ElementCoverage, Report, RuleCoverage } from '../report.js'
import { casesText, coverageSummaries, summaryText } from '../text/coverage-words.js'
import { groupBy } from '../text/group-by.js'
import { countsOf, isCovered } from '../verdicts.js'
import { answersMarkup } from './answers-markup.js'
import { proseMarkup } from './prose-markup.js'
import { verdictBar } from './verdict-bar.js'

/** Markup of every rule, method, parameter and error of the contract, with the verdicts of its cases. */
export function coverageSection(report: Report): string {
  const summaries = coverageSummaries(report)
  if (summaries.length === 0) return ''
  const words = summaries.map(
    (summary) => `<dt>${summary.kind}</dt><dd>${markupText(summaryText(summary))}</dd>`,
  )
  const rules = [...groupBy(report.rules, ({ id }) => id.split('.')[0] ?? '')].map(([family, list]) =>
    familyMarkup(family, list, ruleMarkup),
  )
  const elements = [...groupBy(report.elements, ({ kind }) => `${kind}s`)].map(([kind, list]) =>
    familyMarkup(kind, list, elementMarkup),
  )
  return [
    '<section aria-labelledby="coverage"><h2 id="coverage">Coverage of the contract</h2>',
    answersMarkup(report),
    '<h3 class="part">In cases</h3>',
    `<dl class="facts">${words.join('')}</dl>`,
    '<p class="script"><label class="chip"><input type="checkbox" id="open-rules">only untested rules and elements</label></p>',
    ...rules,
    ...elements,
    '</section>',
  ].join('\n')
}

function familyMarkup<Covered extends Pick<RuleCoverage, 'cases'>>(
  name: string,
  list: readonly Covered[],
  row: (covered: Covered) => string,
): string {
  const tried = list.filter(isCovered).length
  return [
    '<details class="group sheet">',
    `<summary><h4>${markupText(name)}</h4>${verdictBar(countsOf(list.flatMap(({ cases }) => cases)))}<span>${tried} of ${list.length} tried</span></summary>`,
    ...list.map(row),
    '</details>',
  ].join('\n')
}

function ruleMarkup({ id, text, section, level, pointer, cases }: RuleCoverage): string {
  const place = [section === '' ? '' : `section ${section}`, level, pointer]
    .filter((part) => part !== '')
    .join(', ')
  const name = markupText(id)
  return [
    openTag(cases),
    cases.length === 0
      ? `<code>${name}</code>`
      : `<button type="button" data-rule="${name}">${name}</button>`,
    `<div><p>${proseMarkup(text)}</p><small>${markupText(place)}</small></div>`,
    casesMarkup(cases),
    '</div>',
  ].join('')
}

function elementMarkup({ id, pointer, cases }: ElementCoverage): string {
  return `${openTag(cases)}<code>${markupText(id)}</code><small>${markupText(pointer)}</small>${casesMarkup(cases)}</div>`
}

function openTag(cases: RuleCoverage['cases']): string {
  return isCovered({ cases }) ? '<div class="covered">' : '<div class="covered" data-open>'
}

function casesMarkup(cases: RuleCoverage['cases']): string {
  return `<small>${markupText(cases.length === 0 ? 'without a case' : casesText(cases))}</small>`
}
