import { createHash } from 'node:crypto'
import type { Report } from './report.js'

/**
 * Renders a report as JSON. The member `schema` states the format version, which report.schema.json defines.
 * The last member is a checksum. The report must already be redacted.
 */
export function jsonReport(report: Report): string {
  return `${JSON.stringify({ ...report, sha256: checksum(report) }, null, 2)}\n`
}

/** SHA-256 of a report as JSON without spaces. */
export function checksum(report: object): string {
  return createHash('sha256').update(JSON.stringify(report)).digest('hex')
}
