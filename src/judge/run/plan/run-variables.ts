import type { JsonValue } from '../../../toolkit/contract/index.js'
import type { Variables } from '../../scenario/fill.js'

/** The sources of a run's variables. */
export interface RunVariables {
  /** From the contract: `network.…` and `limit.…`. */
  readonly contract: Variables
  /** Start of the run. The report contains it, so that `verify` uses the same value. */
  readonly started: Date
  /** From the environment, such as the funded key. */
  readonly given: Variables
}

/**
 * Combines the variables of every case in a run. `run.started` is the start time in milliseconds as a
 * quantity. With it, two runs that send from one account create different transactions.
 */
export function runVariables({ contract, started, given }: RunVariables): Map<string, JsonValue> {
  return new Map([...contract, ['run.started', `0x${started.getTime().toString(16)}`], ...given])
}
