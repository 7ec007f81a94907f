import type { RunOptions } from '../run/plan/run-options.js'
import type { Scenario } from '../scenario/scenario.js'
import type { Fault } from './fault.js'
import type { FaultOutcome } from './selftest-report.js'

/** What the judge is tried with. */
export interface SelftestOptions
  extends Pick<
    RunOptions,
    'tool' | 'contract' | 'contractSha256' | 'fixtures' | 'checks' | 'functions' | 'signal'
  > {
  /** All the cases there are; each fault gets those that claim its rule. */
  readonly scenarios: readonly Scenario[]
  /** The faults of the contract, in the order of the report. */
  readonly faults: readonly Fault[]
  /** The service that is right. */
  readonly service: SelftestService
  /**
   * All cases that claim a rule are run, also when some have noticed the fault already, and with them all written cases
   * that read, whatever they claim: only a few of those are run otherwise.
   */
  readonly isFull: boolean
  /** Ids of rules that no fault can break: a case of theirs need not be made to fail. */
  readonly unbreakable: ReadonlySet<string>
  /** The faults are all there are: a written case that none of them makes fail is reported. */
  readonly isWhole: boolean
  /** Told of each fault that was tried. */
  readonly onOutcome: (outcome: FaultOutcome, done: number) => void
}

/** A running service, and keys for it. */
export interface SelftestService {
  readonly origin: string
  /**
   * Makes the keys of a new user: what one fault spends, another has still to spend.
   * @param isNearlySpent only a few requests are left of the daily limit
   */
  newUser(isNearlySpent: boolean): Promise<SelftestUser>
  /** A private key whose account has funds. */
  readonly fundedKey: string | undefined
}

/** URLs of a user's keys, on the service itself. */
export interface SelftestUser {
  readonly url: string
  readonly secondUrl?: string | undefined
  readonly revokedUrl?: string | undefined
  /** URLs of keys with lists or limits of their own, by the names that cases call them. */
  readonly keyUrls?: Readonly<Record<string, string>> | undefined
  /** Address of this machine that the user calls from, where there are several: services count by it, too. */
  readonly address?: string | undefined
}

/** Bounds of the runs. */
export const selftestDefaults = {
  /** Faults at the same time. */
  faultsAtOnce: 3,
  /** Cases of one fault at the same time. */
  casesAtOnce: 4,
  /** Time for a whole answer: plenty, since no fault is about time and machines may be busy. */
  timeoutMilliseconds: 60_000,
  /** Bytes of an answer. */
  maximumBytes: 64 * 1024 * 1024,
} as const
