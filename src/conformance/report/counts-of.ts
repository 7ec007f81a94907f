import type { Verdict } from '../run/result/report.js'
import { verdicts } from './text/words.js'

/** Verdicts that make a run fail. */
export const badVerdicts: ReadonlySet<Verdict> = new Set(['fail', 'no-answer', 'stale', 'harness-error'])

/** Counts cases by verdict. */
export function countsOf(cases: readonly { readonly verdict: Verdict }[]): Readonly<Record<Verdict, number>> {
  return Object.fromEntries(
    verdicts.map((verdict) => [verdict, cases.filter((found) => found.verdict === verdict).length]),
  ) as Record<Verdict, number>
}

/** Number of cases that make a run fail. */
export function badCount(counts: Readonly<Record<Verdict, number>>): number {
  return [...badVerdicts].reduce((sum, verdict) => sum + counts[verdict], 0)
}
