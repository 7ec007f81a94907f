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

/** A format of report files. */
interface Writer {
  readonly render: (report: Report, options: ReportOptions) => string
  /** What it is for, as the help says it after the name. */
  readonly use: string
}

/** All that is stated about report files, by format. */
const WRITERS = {
  html: { render: htmlReport, use: 'for people' },
  junit: { render: junitReport, use: 'for CI systems' },
  tap: { render: tapReport, use: 'for readers of TAP' },
  json: { render: jsonReport, use: 'for programs, --baseline and concordat verify' },
  markdown: { render: markdownReport, use: 'for a summary' },
  github: { render: githubReport, use: 'for annotations' },
  sarif: { render: sarifReport, use: 'for code scanning' },
} as const satisfies Readonly<Record<string, Writer>>

/** Format of a report file. */
export type ReportFormat = keyof typeof WRITERS

/** Supported formats, in the order of the help text. */
export const reportFormats = Object.keys(WRITERS) as readonly ReportFormat[]

/** Names each format with its use. */
export const reportFormatsHelp: string = Object.entries<Writer>(WRITERS)
  .map(([name, { use }]) => `${name} ${use}`)
  .join('; ')

/** Parts of a format that every report contains unchanged. */
export function fixedParts(format: ReportFormat): readonly string[] {
  return format === 'html' ? [pageStyle, pageScript, pagePolicy()] : []
}

/** Renders a redacted report in the given format. */
export function renderReport(format: ReportFormat, report: Report, options: ReportOptions): string {
  return WRITERS[format].render(report, options)
}
