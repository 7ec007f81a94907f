import type { ElementCoverage, Report, RuleCoverage } from '../report.js'
import { countsOf, isCovered } from '../verdicts.js'
import { countsText, grouped } from './words.js'

/** Coverage of one kind of contract element. */
export interface CoverageSummary {
  /** `rules`, `methods`, `parameters`, `errors`. */
  readonly kind: string
  readonly covered: number
  readonly total: number
  /** Number of elements whose cases did not run to completion. */
  readonly waiting: number
  /** Number of elements without a case. */
  readonly without: number
}

const KINDS: readonly (readonly [ElementCoverage['kind'], string])[] = [
  ['method', 'methods'],
  ['parameter', 'parameters'],
  ['error', 'errors'],
]

/** Summarizes the coverage of the contract by kind. Kinds without elements are omitted. */
export function coverageSummaries({ rules, elements }: Pick<Report, 'rules' | 'elements'>) {
  const ofKinds = KINDS.map(([kind, name]) =>
    summaryOf(
      name,
      elements.filter((element) => element.kind === kind),
    ),
  )
  return [summaryOf('rules', rules), ...ofKinds].filter(({ total }) => total > 0)
}

function summaryOf(kind: string, list: readonly Pick<RuleCoverage, 'cases'>[]): CoverageSummary {
  const open = list.filter((covered) => !isCovered(covered))
  const without = open.filter(({ cases }) => cases.length === 0).length
  return {
    kind,
    covered: list.length - open.length,
    total: list.length,
    waiting: open.length - without,
    without,
  }
}

/**
 * Formats a summary, such as `164 of 204 (17 only by cases that did not run, 23 without a case in this run)`.
 */
export function summaryText({ covered, total, waiting, without }: CoverageSummary): string {
  const why = [
    ...(waiting > 0 ? [`${grouped(waiting)} only by cases that did not run`] : []),
    ...(without > 0 ? [`${grouped(without)} without a case in this run`] : []),
  ]
  return `${grouped(covered)} of ${grouped(total)}${why.length === 0 ? '' : ` (${why.join(', ')})`}`
}

/**
 * Formats the verdicts of an element's cases with the ids of failures, such as `2 passed, 1 failed (logs/a)`.
 */
export function casesText(cases: RuleCoverage['cases']): string {
  const failed = cases.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)
  return `${countsText(countsOf(cases))}${failed.length === 0 ? '' : ` (${failed.join(', ')})`}`
}

/**
 * Lists what the answers of a run covered, with the parameters that cases passed. Reports without recorded
 * answers list the methods and errors of their cases instead.
 */
export function coveredParts(report: Pick<Report, 'rules' | 'elements' | 'coverage'>) {
  const ofCases = coverageSummaries(report).filter(({ kind }) => kind !== 'rules')
  const { coverage } = report
  if (coverage === undefined) return ofCases
  const parts = [
    ['methods', coverage.methods],
    ['result members', coverage.members],
    ['branches', coverage.branches],
    ['errors', coverage.errors],
  ] as const
  return [
    ...parts.map(([kind, { seen, total }]) => ({ kind, covered: seen, total })),
    ...ofCases.filter(({ kind }) => kind === 'parameters'),
  ].filter(({ total }) => total > 0)
}
