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
import { sarifReport } from './sarif-report.js'

const OWN = { markdown: markdownReport, github: githubReport, sarif: sarifReport } as const

/** Format of a report file. */
export type FileFormat = ReportFormat | keyof typeof OWN

/** All formats, in the order of the help text. */
export const fileFormats: readonly FileFormat[] = [...reportFormats, 'markdown', 'github', 'sarif']

/** Renders a redacted report in the given format. */
export function renderReportFile(format: FileFormat, report: Report, options: FileReportOptions): string {
  return isOwn(format) ? OWN[format](report, options) : renderReport(format, report, options)
}

function isOwn(format: FileFormat): format is keyof typeof OWN {
  return Object.hasOwn(OWN, format)
}

/** Parts of a format that every report contains unchanged. */
export function fixedPartsOf(format: FileFormat): readonly string[] {
  return isOwn(format) ? [] : fixedParts(format)
}
