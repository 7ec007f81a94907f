import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { type Report, ReportError, readReport } from '../judge/report/index.js'
import { printable } from '../toolkit/text/index.js'
import { UsageError } from './io.js'

/**
 * Reads a report that `concordat conform --report json=FILE` wrote.
 * @param file the file, or `-` for standard input
 * @throws UsageError when it cannot be read, or is not a report of this version
 */
export async function readReportFile(file: string): Promise<Report> {
  const content = await (file === '-' ? text(process.stdin) : readFile(file, 'utf8')).catch(
    (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === 'ENOENT' ? 'the file does not exist' : `cannot be read (${cause.code})`
      throw new UsageError(`${file}: ${reason}`, { cause })
    },
  )
  try {
    return readReport(content)
  } catch (cause) {
    if (!(cause instanceof ReportError)) throw cause
    throw new UsageError(printable(`${file}: ${cause.message}`), { cause })
  }
}
