import type { Finding } from '../report/index.js'

/** Outcome of a fault. */
export interface FaultOutcome {
  readonly name: string
  /** Id of the violated rule. */
  readonly rule: string
  /** Text of the violated rule. */
  readonly ruleText: string
  readonly description: string
  /** `killed` if a case that claims the rule failed. */
  readonly verdict: 'killed' | 'survived'
  /** Claiming cases that failed, with their findings. */
  readonly killers: readonly Killer[]
  /** Claiming cases that passed despite the fault. */
  readonly passed: readonly string[]
  /** Cases about other rules that failed too. Their expectations are broader than necessary. */
  readonly collateral: readonly Killer[]
  /** Cases about other rules that passed, as they should. */
  readonly unaffected: readonly string[]
  /** Reason why no case detected the fault; undefined for `killed`. */
  readonly reason: string | undefined
}

/** A case that detected a fault. */
export interface Killer {
  readonly id: string
  /** First finding, in one sentence. */
  readonly reason: string
  readonly findings: readonly Finding[]
}

/** Report of a selftest. */
export interface SelftestReport {
  /** Version of the report format. */
  readonly schema: 'concordat-selftest-report/1'
  readonly milliseconds: number
  readonly faults: readonly FaultOutcome[]
  /** Cases that fail without a fault. They prove nothing and invalidate the selftest. */
  readonly broken: readonly { readonly id: string; readonly verdict: string; readonly reason: string }[]
  /**
   * Hand-written cases that no fault makes fail, so nothing shows that they can fail. Complete only after a
   * full run with all faults, and empty otherwise. Cases of exempted rules are left out.
   */
  readonly idle: readonly string[]
}

/** True when every fault was killed, no case is broken, and no case is idle. */
export function isProven({ faults, broken, idle }: SelftestReport): boolean {
  return broken.length === 0 && idle.length === 0 && faults.every(({ verdict }) => verdict === 'killed')
}
