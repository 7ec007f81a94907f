import type { RunOptions } from '../run/plan/run-options.js'
import type { Scenario } from '../scenario/scenario.js'
import type { Fault } from './fault.js'
import type { FaultOutcome } from './selftest-report.js'

/** Options of running cases with a fault. */
export interface FaultyRunOptions
  extends Pick<
    RunOptions,
    | 'tool'
    | 'contract'
    | 'contractSha256'
    | 'fixtures'
    | 'invariants'
    | 'checks'
    | 'functions'
    | 'repeat'
    | 'signal'
  > {
  readonly scenarios: readonly Scenario[]
  /** Correct service, which the faults change. */
  readonly service: SelftestService
  /** True if answers are not shown. Their secrets are then not replaced, which takes long. */
  readonly isUnshown?: boolean
}

/** Options of a selftest. Each fault runs the cases that claim its rule. */
export interface SelftestOptions extends FaultyRunOptions {
  /** Faults to try, in the order of the report. */
  readonly faults: readonly Fault[]
  /**
   * Runs all cases that claim a rule, even after the fault is detected. Also runs all hand-written read-only
   * cases about other rules, instead of a few.
   */
  readonly isFull: boolean
  /** Ids of rules that no fault can violate. Their cases are exempt from failing. */
  readonly unbreakable: ReadonlySet<string>
  /** True when `faults` has all faults. A hand-written case that none of them makes fail is then reported. */
  readonly isWhole: boolean
  /** Called after each fault. */
  readonly onOutcome: (outcome: FaultOutcome, done: number) => void
}

/** A running service that can create keys. */
export interface SelftestService {
  /**
   * Creates a user with keys, so that faults do not share quotas.
   * @param isNearlySpent true to leave only a few requests of the daily limit
   * @param needs names in `needs` of the cases to run, such as `contracts-key`; other keys may be absent
   */
  newUser(isNearlySpent: boolean, needs: ReadonlySet<string>): Promise<SelftestUser>
  /** Private key of a funded account. */
  readonly fundedKey: string | undefined
}

/** URLs of a user's keys, on the service itself. */
export interface SelftestUser {
  readonly url: string
  readonly secondUrl?: string | undefined
  readonly revokedUrl?: string | undefined
  /** URLs of keys with their own lists or limits, by the names used in cases. */
  readonly keyUrls?: Readonly<Record<string, string>> | undefined
  /** Local address of the user, if there are several. Services may also count requests by address. */
  readonly address?: string | undefined
}

/** Default limits of a selftest. */
export const selftestDefaults = {
  /** Faults tried concurrently. */
  faultsAtOnce: 3,
  /** Concurrent cases for each fault. */
  casesAtOnce: 4,
  /** Timeout for a complete answer. It is generous, since no fault concerns time and machines may be busy. */
  timeoutMilliseconds: 60_000,
  /** Maximum answer size in bytes. */
  maximumBytes: 64 * 1024 * 1024,
} as const
