import type { CaseResult, Report, Verdict } from './report.js'

/** Verdicts of cases that got no answer to judge. */
const UNANSWERED: ReadonlySet<Verdict> = new Set(['not-run', 'not-applicable', 'no-answer', 'harness-error'])

/** True when cases call methods of the contract, and none of these methods was answered. */
export function isUntested({ elements }: Pick<Report, 'elements'>): boolean {
  const called = elements.filter(({ kind, cases }) => kind === 'method' && cases.length > 0)
  return (
    called.length > 0 && called.every(({ cases }) => cases.every(({ verdict }) => UNANSWERED.has(verdict)))
  )
}

/** Why cases that call methods were not tried, the most frequent reason first, each with its number of cases. */
export function missingReasons({
  elements,
  cases,
}: Pick<Report, 'elements' | 'cases'>): readonly { readonly reason: string; readonly cases: number }[] {
  const calling = new Set(
    elements.flatMap(({ kind, cases }) => (kind === 'method' ? cases : [])).map(({ id }) => id),
  )
  const counts = new Map<string, number>()
  const add = ({ reason = '' }: CaseResult) => counts.set(reason, (counts.get(reason) ?? 0) + 1)
  for (const result of cases) if (calling.has(result.id)) add(result)
  return [...counts].map(([reason, cases]) => ({ reason, cases })).toSorted((a, b) => b.cases - a.cases)
}
