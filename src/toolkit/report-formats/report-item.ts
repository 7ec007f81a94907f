/** A lint problem or a change, in the form that SARIF, GitHub and Markdown reports share. */
export interface ReportItem {
  readonly level: 'error' | 'warning' | 'note'
  /** The name of a lint rule, or the kind of a change. */
  readonly rule: string
  /** A short heading, such as the severity or whom a change breaks. */
  readonly title: string
  /** The file as the user can open it. */
  readonly file: string
  readonly line: number
  readonly column: number
  /** The place in the document. */
  readonly pointer: string
  readonly message: string
  /** The reason why the item is accepted. */
  readonly accepted?: string | undefined
}
