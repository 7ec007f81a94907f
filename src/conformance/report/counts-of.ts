import type { Verdict } from '../run/report.js'
import { verdicts } from './words.js'

/** How many of some cases came to which verdict. */
export function countsOf(cases: readonly { readonly verdict: Verdict }[]): Readonly<Record<Verdict, number>> {
  return Object.fromEntries(
    verdicts.map((verdict) => [verdict, cases.filter((found) => found.verdict === verdict).length]),
  ) as Record<Verdict, number>
}
