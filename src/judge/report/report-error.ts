/** The file is not a usable report. The message is one sentence. */
export class ReportError extends Error {
  override readonly name = 'ReportError'
}
