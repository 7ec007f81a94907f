import type { JsonObject, JsonValue } from '@concordat/rpc'
import { isObject, isQuantity, toQuantity } from '../../ethereum/index.js'
import type { NodeCall, NodeCallOptions } from '../../nodes/index.js'
import { nodeCall } from '../../profiles/index.js'
import { revertOf } from '../revert.js'
import type { EstimateDeadline } from './estimate-deadline.js'

/** A variant of a call, with balances lent to accounts. */
export interface Attempt {
  readonly call: JsonObject
  /** State override: maps addresses to their changed state. */
  readonly overrides?: JsonObject
}

/** Gas of every transaction before its first step (Ethereum yellow paper, G_transaction). */
const intrinsicGas = 21_000n

/**
 * Finds the gas that a reverting call uses up to its failing step. A trace gives it, where the node supports
 * traces. Otherwise a search with eth_call finds the lowest gas limit with the same revert.
 * @param ceiling the maximum gas of the call
 * @param calls the maximum number of calls in the search
 * @param deadline at this time the search returns its best result so far
 * @returns undefined when both fail
 */
export async function gasUpToFailure(
  node: NodeCall,
  attempt: Attempt,
  selector: JsonValue,
  ceiling: bigint,
  calls: number,
  deadline: EstimateDeadline,
  options: NodeCallOptions,
): Promise<bigint | undefined> {
  const traced = await deadline.during(() => tracedGas(node, attempt, selector, options))
  return traced ?? searchedGas(node, attempt, selector, ceiling, calls, deadline, options)
}

async function tracedGas(
  node: NodeCall,
  { call, overrides }: Attempt,
  selector: JsonValue,
  options?: NodeCallOptions,
): Promise<bigint | undefined> {
  const tracing = {
    tracer: 'callTracer',
    tracerConfig: { onlyTopCall: true },
    ...(overrides === undefined ? {} : { stateOverrides: overrides }),
  }
  const asked = { ...options, technique: overrides === undefined ? 'trace' : 'traceOverridden' }
  const { result } = await node(...nodeCall('trace', { call, state: selector, tracing }), asked)
  const used = isObject(result) ? result['gasUsed'] : undefined
  return isQuantity(used) && BigInt(used) >= intrinsicGas ? BigInt(used) : undefined
}

/**
 * Searches the lowest gas limit. It halves the ratio instead of the difference, because the result ranges
 * from thousands to millions.
 */
async function searchedGas(
  node: NodeCall,
  { call, overrides }: Attempt,
  selector: JsonValue,
  ceiling: bigint,
  calls: number,
  deadline: EstimateDeadline,
  options: NodeCallOptions,
): Promise<bigint | undefined> {
  const outcome = async (gas: bigint) => {
    const limited = { ...call, gas: toQuantity(gas) }
    const { error } =
      overrides === undefined
        ? await node('eth_call', [limited, selector], options)
        : await node('eth_call', [limited, selector, overrides], { ...options, technique: 'stateOverride' })
    return { data: error && revertOf(error)?.data }
  }
  const wanted = (await deadline.during(() => outcome(ceiling)))?.data
  if (wanted === undefined) return undefined
  let tooLittle = intrinsicGas - 1n
  let enough = ceiling
  for (let call = 1; call < calls && enough - tooLittle > 1n; call++) {
    const middle = BigInt(Math.floor(Math.sqrt(Number(tooLittle) * Number(enough))))
    const gas = middle > tooLittle ? middle : tooLittle + 1n
    const found = await deadline.during(() => outcome(gas))
    if (found === undefined) break
    if (found.data === wanted) enough = gas
    else tooLittle = gas
  }
  return enough
}
