/** A file is no report that can be used: one sentence. */
export class ReportError extends Error {
  override readonly name = 'ReportError'
}
