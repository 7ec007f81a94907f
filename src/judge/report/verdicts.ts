import type { RuleCoverage, Verdict } from './report.js'

/** Labels of the verdicts, in the order of the summary. */
export const verdictWords: Readonly<Record<Verdict, string>> = {
  pass: 'passed',
  tolerated: 'tolerated',
  fail: 'failed',
  'no-answer': 'without an answer',
  'gave-up': 'given up',
  stale: 'stale',
  'harness-error': 'not judged',
  'known-fail': 'known to fail',
  inconclusive: 'inconclusive',
  'not-applicable': 'not applicable',
  'not-run': 'not run',
}

/** All verdicts: passed and tolerated first, then by importance. */
export const verdicts = Object.keys(verdictWords) as readonly Verdict[]

/** Verdicts that make a run fail. */
export const badVerdicts: ReadonlySet<Verdict> = new Set([
  'fail',
  'no-answer',
  'gave-up',
  'stale',
  'harness-error',
])

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

/** Verdicts of cases that ran to completion. Only these cover a rule. */
const TRIED: ReadonlySet<Verdict> = new Set(['pass', 'tolerated', 'fail', 'known-fail', 'stale'])

/** True when at least one case of the rule or element ran to completion, whatever its verdict. */
export function isCovered({ cases }: Pick<RuleCoverage, 'cases'>): boolean {
  return cases.some(({ verdict }) => TRIED.has(verdict))
}

/** Outcome of a case in terms of common test tools, which know fewer verdicts. */
export type Outcome = 'passed' | 'failed' | 'error' | 'known' | 'skipped'

const OUTCOMES: Readonly<Record<Verdict, Outcome>> = {
  pass: 'passed',
  tolerated: 'passed',
  fail: 'failed',
  stale: 'failed',
  'no-answer': 'error',
  'gave-up': 'error',
  'harness-error': 'error',
  'known-fail': 'known',
  inconclusive: 'skipped',
  'not-applicable': 'skipped',
  'not-run': 'skipped',
}

/** Maps a verdict to the outcome that test tools know. */
export function outcomeOf(verdict: Verdict): Outcome {
  return OUTCOMES[verdict]
}
