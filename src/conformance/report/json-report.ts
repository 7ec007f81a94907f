import { createHash } from 'node:crypto'
import type { Report } from '../run/result/report.js'

/**
 * A report as JSON text; its form is versioned by the member `schema` and stands in report.schema.json, and its last
 * member is a checksum. Secrets were replaced before.
 */
export function jsonReport(report: Report): string {
  return `${JSON.stringify({ ...report, sha256: checksum(report) }, null, 2)}\n`
}

/** SHA-256 of a report as JSON without spaces. */
export function checksum(report: object): string {
  return createHash('sha256').update(JSON.stringify(report)).digest('hex')
}
