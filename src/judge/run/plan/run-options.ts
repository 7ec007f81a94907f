import type { Contract, JsonValue } from '../../../toolkit/contract/index.js'
import type { Checks } from '../../checks/checks.js'
import type { LatencyLimit } from '../../latency/latency-limits.js'
import type { CaseResult, Effect, Report } from '../../report/index.js'
import type { ComputeFunction } from '../../scenario/compute-function.js'
import type { Variables } from '../../scenario/fill.js'
import type { Invariants } from '../../scenario/invariant.js'
import type { Fixture, Scenario } from '../../scenario/scenario.js'
import type { Redactor } from '../../send/redact/redactor.js'
import type { Sender } from '../../send/sender.js'
import type { Target } from '../../send/target.js'
import type { KnownFailure } from './known-failures.js'

/** Options of a run. */
export interface RunOptions {
  readonly tool: Report['tool']
  readonly contract: Contract
  /** SHA-256 of the contract file, hexadecimal. */
  readonly contractSha256: string
  /** Cases to run, in the order of the report, including the dependencies of selected cases. */
  readonly scenarios: readonly Scenario[]
  readonly fixtures: readonly Fixture[]
  /** Statements about all answers. None by default. */
  readonly invariants?: Invariants | undefined
  /** Returns true for an invariant that is reported even if it holds. By default, each is. */
  readonly isReported?: ((invariant: string) => boolean) | undefined
  /** True to report the invariants alone. The cases then only send what the invariants judge. */
  readonly isOnlyInvariants?: boolean | undefined
  /** All cases, selected or not. Each known failure must match one. Spellings are assigned over all of them. */
  readonly catalogue: readonly Scenario[]
  readonly known: readonly KnownFailure[]
  readonly target: Target
  readonly sender: Sender
  /** Headers added to every request. Their values are secrets. */
  readonly headers: Readonly<Record<string, string>>
  readonly checks: Checks
  readonly functions: Readonly<Record<string, ComputeFunction>>
  readonly redactor: Redactor
  /** Variables of every scenario, in addition to those from the contract. */
  readonly variables: Variables
  /** Facts in addition to those of the target, such as `funded-key`. */
  readonly facts: ReadonlySet<string>
  readonly mode: {
    readonly allowed: ReadonlySet<Effect>
    /** Budget of billed requests. */
    readonly budget: number | undefined
    /** Requests per second. */
    readonly perSecond: number | undefined
    /** Number of cases that run concurrently. */
    readonly concurrency: number
  }
  /** Number of times that each case that only reads runs; 1 by default. */
  readonly repeat?: number | undefined
  /** Limits of latency in addition to those of the contract. */
  readonly latencyLimits?: readonly LatencyLimit[]
  /** Captures of fixtures from an earlier run, by fixture name. These fixtures are not searched again. */
  readonly profile: ReadonlyMap<string, Readonly<Record<string, JsonValue>>>
  /** Called with the reason when the profile is discarded because the target now serves different data. */
  readonly onReset?: ((reason: string) => void) | undefined
  /** Called for each fixture found. */
  readonly onFound: ((fixture: string, captures: Readonly<Record<string, JsonValue>>) => void) | undefined
  readonly onProgress: ((progress: Progress) => void) | undefined
  /** Stops the run. Cases that did not run are reported as `not-run`. */
  readonly signal: AbortSignal | undefined
}

/** Progress of a run. */
export interface Progress {
  readonly done: number
  readonly total: number
  /** Latest finished case. */
  readonly last: CaseResult
}
