import { githubReport } from './github-report.js'
import { htmlReport, pagePolicy } from './html/html-report.js'
import { pageScript } from './html/page-script.js'
import { pageStyle } from './html/page-style.js'
import { jsonReport } from './json-report.js'
import { junitReport } from './junit-report.js'
import { markdownReport } from './markdown-report.js'
import type { Report } from './report.js'
import type { ReportOptions } from './report-options.js'
import { sarifReport } from './sarif-report.js'
import { tapReport } from './tap-report.js'

/** Renderers of report files, by format. */
const WRITERS = {
  json: jsonReport,
  junit: junitReport,
  tap: tapReport,
  html: htmlReport,
  markdown: markdownReport,
  github: githubReport,
  sarif: sarifReport,
} as const satisfies Readonly<Record<string, (report: Report, options: ReportOptions) => string>>

/** Format of a report file. */
export type ReportFormat = keyof typeof WRITERS

/** Supported formats, in the order of the help text. */
export const reportFormats = Object.keys(WRITERS) as readonly ReportFormat[]

/** Parts of a format that every report contains unchanged. */
export function fixedParts(format: ReportFormat): readonly string[] {
  return format === 'html' ? [pageStyle, pageScript, pagePolicy()] : []
}

/** Renders a redacted report in the given format. */
export function renderReport(format: ReportFormat, report: Report, options: ReportOptions): string {
  return WRITERS[format](report, options)
}
