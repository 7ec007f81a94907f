import type { ReportDifference } from './baseline.js'
import type { CaseResult, Report } from './report.js'
import type { BrokenRule } from './text/broken-rule.js'

/** A file as the user can open it, and a line in it. */
export interface Place {
  readonly file: string
  readonly line: number
}

/** Finds what a failure is about: a place in the contract, or in a case that the user wrote. */
export type PlaceOf = (result: CaseResult, rule: Pick<BrokenRule, 'pointer'>) => Place | undefined

/** Options of the reports of a run. */
export interface ReportOptions {
  /** Returns the command that runs a case again. */
  readonly again: (result: CaseResult) => string
  /** Terminal width in characters; undefined for unlimited lines. */
  readonly columns?: number | undefined
  readonly placeOf?: PlaceOf | undefined
  /** Difference to the report of `--baseline`. */
  readonly difference?: ReportDifference | undefined
  readonly baseline?: Report | undefined
}
