import type { Verdict } from '../run/result/report.js'

/** Outcome of a case in terms of common test tools, which know fewer verdicts. */
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

/** Maps a verdict to the outcome that test tools know. */
export function outcomeOf(verdict: Verdict): Outcome {
  return OUTCOMES[verdict]
}
