import type { Logger } from '@concordat/rpc'
import type { ErrorReport } from './protocol-options.js'

/** Writes one line of JSON to standard error. */
function write(level: string): (details: object, message: string) => void {
  return (details, message) => process.stderr.write(`${JSON.stringify({ level, message, ...details })}\n`)
}

/** The default log: lines of JSON on standard error, without `debug`. */
export const stderrLog: Logger = {
  debug: () => undefined,
  info: write('info'),
  warn: write('warn'),
  error: write('error'),
}

/** The default error handler: writes an entry of the log. */
export function logErrors(log: Logger): (report: ErrorReport<unknown>) => void {
  return ({ kind, reference, method, problems, cause }) => {
    const text = cause instanceof Error ? (cause.stack ?? cause.message) : cause
    log.error({ kind, reference, method, problems, cause: String(text) }, 'A call failed')
  }
}
