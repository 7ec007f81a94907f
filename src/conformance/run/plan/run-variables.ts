import type { JsonValue } from '../../../contract/index.js'
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
 * The variables that every case of a run may use. `run.started` is the time in milliseconds as a quantity: with it,
 * cases of two runs that send from one account make different transactions.
 */
export function runVariables({ contract, started, given }: RunVariables): Map<string, JsonValue> {
  return new Map([...contract, ['run.started', `0x${started.getTime().toString(16)}`], ...given])
}
