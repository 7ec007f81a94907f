import type {
  BrokenRule,
  CaseResult,
  Report,
  ReportDifference,
  ReportOptions,
} from '../../../conformance/index.js'

/** Options of the report files of a run. */
export interface FileReportOptions extends ReportOptions {
  /** Returns the file and line that a failure is about: the contract, or a case that the user wrote. */
  readonly placeOf: (
    result: CaseResult,
    rule: Pick<BrokenRule, 'pointer'>,
  ) => { readonly file: string; readonly line: number } | undefined
  /** Difference to the report of `--baseline`. */
  readonly difference: ReportDifference | undefined
  readonly baseline: Report | undefined
}
