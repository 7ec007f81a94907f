import { createHash } from 'node:crypto'
import { markupText } from '../../../toolkit/report-formats/index.js'
import type { Report } from '../report.js'
import type { ReportOptions } from '../report-options.js'
import { headlineOf } from '../text/headline-of.js'
import { casesSection } from './cases-section.js'
import { coverageSection } from './coverage-section.js'
import { failuresSection } from './failures-section.js'
import { latencySection } from './latency-section.js'
import { createPageBudget } from './page-budget.js'
import { pageHeader } from './page-header.js'
import { pageScript } from './page-script.js'
import { pageStyle } from './page-style.js'

/** Maximum characters of requests and answers, for causes of failure and for all cases. */
const BUDGETS = {
  causes: { total: 150_000, longest: 6_000, shortest: 300 },
  cases: { total: 150_000, longest: 300, shortest: 120 },
} as const

/**
 * Renders a report as a self-contained HTML page that loads nothing. A content security policy enforces this
 * and allows only the page's own script. Text from the target is escaped. The page is readable without its
 * script.
 */
export function htmlReport(report: Report, options: ReportOptions): string {
  const { causes, cases } = BUDGETS
  const ofCauses = createPageBudget(causes.total, causes.longest, causes.shortest)
  const ofCases = createPageBudget(cases.total, cases.longest, cases.shortest)
  const { tool, schema } = report
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="${pagePolicy()}">`,
    '<meta name="referrer" content="no-referrer">',
    `<title>${markupText(`${headlineOf(report).text}: ${report.contract.title}`)}</title>`,
    '<link rel="icon" href="data:,">',
    `<style>${pageStyle}</style>`,
    '</head>',
    '<body>',
    pageHeader(report),
    '<main>',
    failuresSection(report, options, ofCauses),
    casesSection(report, options, ofCases),
    coverageSection(report),
    latencySection(report),
    '</main>',
    `<footer>Written by ${markupText(`${tool.name} ${tool.version}`)}, format ${markupText(schema)}. Keys and secret values are shown as •••••. Complete answers are in the JSON report.</footer>`,
    `<script>${pageScript}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

/** Content security policy of the page. */
export function pagePolicy(): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  return `default-src 'none'; img-src data:; style-src ${hash(pageStyle)}; script-src ${hash(pageScript)}; base-uri 'none'; form-action 'none'`
}
