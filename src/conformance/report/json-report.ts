import type { Report } from '../run/report.js'

/** A report as JSON text; its form is versioned by the member `schema`. Secrets were replaced before. */
export function jsonReport(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`
}
