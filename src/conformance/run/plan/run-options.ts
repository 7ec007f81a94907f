import type { Contract, JsonValue } from '../../../contract/index.js'
import type { Checks } from '../../checks/checks.js'
import type { Variables } from '../../scenario/fill.js'
import type { Effect, Fixture, Scenario } from '../../scenario/scenario.js'
import type { Redactor } from '../../send/redactor.js'
import type { Sender } from '../../send/sender.js'
import type { Target } from '../../send/target.js'
import type { CaseResult, Report } from '../result/report.js'
import type { ComputeFunction } from '../run-steps.js'
import type { KnownFailure } from './known-failures.js'

/** What a run is made of. */
export interface RunOptions {
  readonly tool: Report['tool']
  readonly contract: Contract
  /** SHA-256 of the contract's file, hexadecimal. */
  readonly contractSha256: string
  /** The cases to run, in the order of the report; those that they run after are among them. */
  readonly scenarios: readonly Scenario[]
  readonly fixtures: readonly Fixture[]
  /** Ids of all the cases there are, chosen or not: a known failure must name one of them. */
  readonly catalogue: readonly string[]
  readonly known: readonly KnownFailure[]
  readonly target: Target
  readonly sender: Sender
  /** Headers that the sender adds to every request; their values are secrets. */
  readonly headers: Readonly<Record<string, string>>
  readonly checks: Checks
  readonly functions: Readonly<Record<string, ComputeFunction>>
  readonly redactor: Redactor
  /** What every scenario knows, beside what the contract states. */
  readonly variables: Variables
  /** Facts beside those of the target: `funded-key`. */
  readonly facts: ReadonlySet<string>
  readonly mode: {
    readonly allowed: ReadonlySet<Effect>
    /** Billed requests at most. */
    readonly budget: number | undefined
    /** Requests a second. */
    readonly perSecond: number | undefined
    /** Cases that run at the same time. */
    readonly concurrency: number
  }
  /** What fixtures found in an earlier run, by the fixture's name; they are not looked for again. */
  readonly profile: ReadonlyMap<string, Readonly<Record<string, JsonValue>>>
  /** Told why the profile is left aside, where it was made on something else than the target serves now. */
  readonly onReset?: ((reason: string) => void) | undefined
  /** Told of each fixture that was found. */
  readonly onFound: ((fixture: string, captures: Readonly<Record<string, JsonValue>>) => void) | undefined
  readonly onProgress: ((progress: Progress) => void) | undefined
  /** Stops the run: nothing more is sent, and what did not run is reported so. */
  readonly signal: AbortSignal | undefined
}

/** How far a run is. */
export interface Progress {
  readonly done: number
  readonly total: number
  /** The case that ended last. */
  readonly last: CaseResult
}
