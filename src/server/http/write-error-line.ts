import type { ErrorReport } from '../protocol/protocol-options.js'

/** The default error handler: writes one line of JSON to standard error. */
export function writeErrorLine(report: ErrorReport<unknown>): void {
  const { kind, reference, method, problems, cause } = report
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : cause
  process.stderr.write(`${JSON.stringify({ kind, reference, method, problems, cause: String(text) })}\n`)
}
