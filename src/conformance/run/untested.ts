import type { CaseResult, Report } from './report.js'
import { isCovered } from './rule-coverage.js'

/** True when cases call methods of the contract, and none of these methods was answered. */
export function isUntested({ elements }: Pick<Report, 'elements'>): boolean {
  const called = elements.filter(({ kind, cases }) => kind === 'method' && cases.length > 0)
  return called.length > 0 && !called.some(isCovered)
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
