import type { JsonValue } from '../../contract/index.js'
import type { Variables } from '../scenario/fill.js'

/** What the variables of a run come from. */
export interface RunVariables {
  /** Of the contract: `network.…` and `limit.…`. */
  readonly contract: Variables
  /** When the run started. It is in the report, so that `verify` has the same value. */
  readonly started: Date
  /** Of the environment, such as the funded key. */
  readonly given: Variables
}

/**
 * The variables that every case of a run may use. `run.started` is the time in milliseconds as a quantity: with it,
 * cases of two runs that send from one account make different transactions.
 */
export function runVariables({ contract, started, given }: RunVariables): Map<string, JsonValue> {
  return new Map([...contract, ['run.started', `0x${started.getTime().toString(16)}`], ...given])
}
