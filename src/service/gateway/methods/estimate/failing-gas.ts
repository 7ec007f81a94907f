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

/** The gas limits between which a call is searched. */
export interface GasRange {
  /** Gas of the call before its first step. */
  readonly intrinsic: bigint
  /** Maximum gas of the call. */
  readonly ceiling: bigint
}

/**
 * Finds the gas that a reverting call uses up to its failing step. A trace gives it, where the node supports
 * traces. Otherwise a search with eth_call finds the lowest gas limit with the same revert.
 * @param range the gas that the call can have
 * @param calls the maximum number of calls in the search
 * @param deadline at this time the search returns its best result so far
 * @returns undefined when both fail
 */
export async function gasUpToFailure(
  node: NodeCall,
  attempt: Attempt,
  selector: JsonValue,
  range: GasRange,
  calls: number,
  deadline: EstimateDeadline,
  options: NodeCallOptions,
): Promise<bigint | undefined> {
  const traced = await deadline.during(() => tracedGas(node, attempt, selector, range, options))
  return traced ?? searchedGas(node, attempt, selector, range, calls, deadline, options)
}

async function tracedGas(
  node: NodeCall,
  { call, overrides }: Attempt,
  selector: JsonValue,
  { intrinsic }: GasRange,
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
  return isQuantity(used) && BigInt(used) >= intrinsic ? BigInt(used) : undefined
}

/**
 * Searches the lowest gas limit. It halves the ratio instead of the difference, because the result ranges
 * from thousands to millions.
 */
async function searchedGas(
  node: NodeCall,
  { call, overrides }: Attempt,
  selector: JsonValue,
  range: GasRange,
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
  const wanted = (await deadline.during(() => outcome(range.ceiling)))?.data
  if (wanted === undefined) return undefined
  let tooLittle = range.intrinsic - 1n
  let enough = range.ceiling
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
