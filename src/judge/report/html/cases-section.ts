import { markupText } from '../../../toolkit/report-formats/index.js'
import type { CaseResult, Report } from '../report.js'
import type { ReportOptions } from '../report-options.js'
import { groupBy } from '../text/group-by.js'
import { countsText, grouped } from '../text/words.js'
import { countsOf, verdicts, verdictWords } from '../verdicts.js'
import { caseDetails, verdictMarkup } from './case-markup.js'
import type { PageBudget } from './page-budget.js'
import { proseMarkup } from './prose-markup.js'
import { verdictBar } from './verdict-bar.js'

/** Markup of all cases by group, with a filter form. */
export function casesSection(report: Report, options: ReportOptions, budget: PageBudget): string {
  const methods = methodsOf(report)
  const groups = [...groupBy(report.cases, ({ group }) => group)]
  return [
    '<section aria-labelledby="cases"><h2 id="cases">Cases</h2>',
    filterForm(report, methods),
    ...groups.map(([name, cases]) => groupMarkup(name, cases, report, methods, options, budget)),
    '</section>',
  ].join('\n')
}

/** Anchor of a case in the page. */
export function caseAnchor(id: string): string {
  return `case:${id}`
}

/** Methods that each case calls. */
function methodsOf({ elements }: Report): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>()
  for (const { kind, id: method, cases } of elements) {
    if (kind !== 'method') continue
    for (const { id } of cases) methods.set(id, [...(methods.get(id) ?? []), method])
  }
  return methods
}

function filterForm(
  { cases, rules, counts }: Report,
  methods: ReadonlyMap<string, readonly string[]>,
): string {
  const chips = verdicts
    .filter((verdict) => counts[verdict] > 0)
    .map(
      (verdict) =>
        `<label class="chip"><input type="checkbox" name="verdict" value="${verdict}" checked>${verdictWords[verdict]} ${grouped(counts[verdict])}</label>`,
    )
  const tried = rules.filter((rule) => rule.cases.length > 0).map(({ id }) => id)
  const called = [...new Set([...methods.values()].flat())].toSorted()
  return [
    '<form class="sheet script" role="search" aria-label="Cases">',
    `<fieldset><legend>Verdict</legend>${chips.join('')}</fieldset>`,
    '<div class="fields">',
    select('rule', 'Rule', 'every rule', tried),
    select('method', 'Method', 'every method', called),
    '<label class="field"><span>Text</span><input type="search" name="text" autocomplete="off" spellcheck="false"></label>',
    '</div>',
    `<p class="found"><span id="found" role="status">${cases.length} cases</span><button type="reset">Show all</button></p>`,
    '</form>',
  ].join('')
}

function select(name: string, label: string, all: string, values: readonly string[]): string {
  const options = values.map((value) => `<option>${markupText(value)}</option>`)
  return `<label class="field"><span>${label}</span><select name="${name}"><option value="">${all}</option>${options.join('')}</select></label>`
}

function groupMarkup(
  name: string,
  cases: readonly CaseResult[],
  report: Report,
  methods: ReadonlyMap<string, readonly string[]>,
  options: ReportOptions,
  budget: PageBudget,
): string {
  const counts = countsOf(cases)
  const rows = cases.map((result) =>
    caseMarkup(result, methods.get(result.id) ?? [], report, options, budget),
  )
  return [
    `<details class="group sheet" id="group:${markupText(name)}">`,
    `<summary><h3>${markupText(name)}</h3>${verdictBar(counts)}<span>${countsText(counts)}</span></summary>`,
    ...rows,
    '</details>',
  ].join('\n')
}

function caseMarkup(
  result: CaseResult,
  methods: readonly string[],
  report: Report,
  options: ReportOptions,
  budget: PageBudget,
): string {
  const { id, verdict, rules, scenario } = result
  const data = [
    ['verdict', verdict],
    ['rules', rules.join(' ')],
    ['methods', methods.join(' ')],
  ].map(([name, value]) => `data-${name}="${markupText(value ?? '')}"`)
  return [
    `<details class="case" id="${markupText(caseAnchor(id))}" ${data.join(' ')}>`,
    `<summary>${verdictMarkup(verdict)}<b>${markupText(id)}</b> <small>${proseMarkup(scenario)}</small></summary>`,
    `<div>${caseDetails(result, report, options, budget)}</div>`,
    '</details>',
  ].join('')
}
