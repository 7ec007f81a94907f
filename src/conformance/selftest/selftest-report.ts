import type { CaseResult, Finding } from '../run/result/report.js'

/** What became of a fault. */
export interface FaultOutcome {
  readonly name: string
  /** The rule that it breaks. */
  readonly rule: string
  /** The rule in words. */
  readonly ruleText: string
  readonly description: string
  /** `killed` where a case that claims the rule failed for it. */
  readonly verdict: 'killed' | 'survived'
  /** The cases that failed, and what they found. */
  readonly killers: readonly Killer[]
  /** Cases that claim the rule and passed in spite of the fault. */
  readonly passed: readonly string[]
  /** Cases that claim other rules and failed, too: they say more than they need. */
  readonly collateral: readonly Killer[]
  /** Cases that claim other rules and passed, as they should. */
  readonly unaffected: readonly string[]
  /** Why nobody noticed; undefined for a fault that was killed. */
  readonly reason: string | undefined
}

/** A case that noticed a fault. */
export interface Killer {
  readonly id: string
  /** The first finding in one sentence. */
  readonly reason: string
  readonly findings: readonly Finding[]
}

/** What the judge is worth. */
export interface SelftestReport {
  /** Version of this form. */
  readonly schema: 'concordat-selftest-report/1'
  readonly milliseconds: number
  readonly faults: readonly FaultOutcome[]
  /** Cases that do not pass without any fault: they prove nothing, and the selftest is worth nothing with them. */
  readonly broken: readonly { readonly id: string; readonly verdict: string; readonly reason: string }[]
  /**
   * Written cases that can be tried here and that no fault of their rules makes fail: nothing shows that they can say
   * no. Known where all cases were run with all the faults, else empty. Those of rules that no fault can break are left
   * out, for a reason that somebody wrote down.
   */
  readonly idle: readonly string[]
}

/** True where every fault was killed, by cases that pass without it, and no case is idle. */
export function isProven({ faults, broken, idle }: SelftestReport): boolean {
  return broken.length === 0 && idle.length === 0 && faults.every(({ verdict }) => verdict === 'killed')
}

/** A case that passed: what the contract tolerates is a pass. */
export function hasPassed(result: Pick<CaseResult, 'verdict'> | undefined): boolean {
  return result?.verdict === 'pass' || result?.verdict === 'tolerated'
}
