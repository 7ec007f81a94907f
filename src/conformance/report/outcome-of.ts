import type { Verdict } from '../run/result/report.js'

/** What test tools know of a case: the verdicts of a run are finer. */
export type Outcome = 'passed' | 'failed' | 'error' | 'known' | 'skipped'

const OUTCOMES: Readonly<Record<Verdict, Outcome>> = {
  pass: 'passed',
  tolerated: 'passed',
  fail: 'failed',
  stale: 'failed',
  'no-answer': 'error',
  'harness-error': 'error',
  'known-fail': 'known',
  inconclusive: 'skipped',
  'not-applicable': 'skipped',
  'not-run': 'skipped',
}

/** A verdict as test tools know it. */
export function outcomeOf(verdict: Verdict): Outcome {
  return OUTCOMES[verdict]
}
