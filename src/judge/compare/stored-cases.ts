import { type CaseResult, invariantGroup } from '../report/index.js'
import type { Unsent } from '../requests/not-sent.js'
import { isSelected } from '../run/plan/select-cases.js'
import { notRunCase } from './comparable-cases.js'
import type { CompareOptions } from './compare-options.js'
import type { ComparedRequest } from './compare-report.js'

/** The cases of the reports that stand for deployments. */
export interface StoredCases {
  /** Whether a case of the suite is compared: one that a report has, or any case if `--only` selects cases. */
  readonly isCompared: (id: string) => boolean
  /** Returns the results of a case in the reports: that of A before that of B. */
  readonly resultsOf: (id: string) => readonly CaseResult[]
  /** A `not-run` entry for each selected case that has answers in a report and is missing in the suite. */
  readonly unknown: readonly ComparedRequest[]
}

/** Returns the cases of the reports; undefined for two deployments that are asked. */
export function storedCases({ a, b, scenarios, only }: CompareOptions): StoredCases | undefined {
  const reports = [a, b].flatMap(({ answers }) => ('report' in answers ? [answers.report] : []))
  if (reports.length === 0) return undefined
  const byId = reports.map(({ cases }) => new Map(cases.map((result) => [result.id, result])))
  const inSuite = new Set(scenarios.map(({ id }) => id))
  const unknown = reports
    .flatMap(({ cases }) => cases)
    .filter((result) => !inSuite.has(result.id) && isSelected(result, only) && isAboutAnswers(result))
  return {
    isCompared: (id) => only.length > 0 || byId.some((results) => results.has(id)),
    resultsOf: (id) => byId.flatMap((results) => results.get(id) ?? []),
    unknown: [...new Set(unknown.map(({ id }) => id))].map((id) =>
      notRunCase(id, [], { verdict: 'not-run', reason: 'the suite does not have this case' }),
    ),
  }
}

/** True for a case that has answers, or was to get some. Results about a whole run have none. */
function isAboutAnswers(result: CaseResult): boolean {
  if (result.group === invariantGroup) return false
  return result.evidence.length > 0 || missingAnswers([result]) !== undefined
}

/** Returns why a case lacks answers in one of the reports; undefined if it ran in all of them that have it. */
export function missingAnswers(
  results: readonly CaseResult[],
): Pick<Unsent, 'verdict' | 'reason'> | undefined {
  if (results.length === 0) return { verdict: 'not-run', reason: 'no report has this case' }
  for (const verdict of ['gave-up', 'not-run'] as const) {
    const unsent = results.find((result) => result.verdict === verdict)
    if (unsent !== undefined) return { verdict, reason: unsent.reason ?? '' }
  }
  return undefined
}
