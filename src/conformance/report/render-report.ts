import type { Report } from '../run/result/report.js'
import { htmlReport, pagePolicy } from './html/html-report.js'
import { pageScript } from './html/page-script.js'
import { pageStyle } from './html/page-style.js'
import { jsonReport } from './json-report.js'
import { junitReport } from './junit-report.js'
import { tapReport } from './tap-report.js'
import type { ReportOptions } from './text/failure-lines.js'

/** Formats of reports that are written to a file, and what writes each. */
const WRITERS = {
  json: jsonReport,
  junit: junitReport,
  tap: tapReport,
  html: htmlReport,
} as const satisfies Readonly<Record<string, (report: Report, options: ReportOptions) => string>>

/** A format of reports. */
export type ReportFormat = keyof typeof WRITERS

/** The formats, in the order in which they are told. */
export const reportFormats = Object.keys(WRITERS) as readonly ReportFormat[]

/** Parts of a format that are the same in every report. */
export function fixedParts(format: ReportFormat): readonly string[] {
  return format === 'html' ? [pageStyle, pageScript, pagePolicy()] : []
}

/** A report as the text of a file; secrets were replaced before. */
export function renderReport(format: ReportFormat, report: Report, options: ReportOptions): string {
  return WRITERS[format](report, options)
}
