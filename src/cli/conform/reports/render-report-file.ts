import {
  fixedParts,
  type Report,
  type ReportFormat,
  renderReport,
  reportFormats,
} from '../../../conformance/index.js'
import type { FileReportOptions } from './file-report-options.js'
import { githubReport } from './github-report.js'
import { markdownReport } from './markdown-report.js'

const OWN = { markdown: markdownReport, github: githubReport } as const

/** Format of a report file. */
export type FileFormat = ReportFormat | keyof typeof OWN

/** All formats, in the order of the help text. */
export const fileFormats: readonly FileFormat[] = [...reportFormats, 'markdown', 'github']

/** Renders a redacted report in the given format. */
export function renderReportFile(format: FileFormat, report: Report, options: FileReportOptions): string {
  return format === 'markdown' || format === 'github'
    ? OWN[format](report, options)
    : renderReport(format, report, options)
}

/** Parts of a format that every report contains unchanged. */
export function fixedPartsOf(format: FileFormat): readonly string[] {
  return format === 'markdown' || format === 'github' ? [] : fixedParts(format)
}
