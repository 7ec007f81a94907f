import type { CaseResult } from '../report/index.js'

/** Returns true for a case that passed, or whose deviation is tolerated. */
export function hasPassed(result: Pick<CaseResult, 'verdict'> | undefined): boolean {
  return result?.verdict === 'pass' || result?.verdict === 'tolerated'
}
