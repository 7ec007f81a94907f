import type { JsonObject, JsonValue } from '../../rpc/index.js'
import { isObject, isQuantity, toQuantity } from '../hex.js'
import type { NodeCall, NodeCallOptions } from '../node-call.js'
import { revertOf } from './revert.js'

/** A call as it is tried, with the accounts that are given something for it. */
export interface Attempt {
  readonly call: JsonObject
  /** State override: address to what it is given. */
  readonly overrides?: JsonObject
}

/** What every transaction costs before its first step (Ethereum yellow paper, G_transaction). */
const intrinsicGas = 21_000n

/**
 * Finds the gas that a reverting call uses up to its failing step: by a trace where the node has one, else by a search
 * over the gas limit, with eth_call, for the least that still ends in the same revert.
 * @param ceiling the most gas that the call can use
 * @param calls the most calls that the search may make
 * @returns undefined when neither finds it
 */
export async function gasUpToFailure(
  node: NodeCall,
  attempt: Attempt,
  selector: JsonValue,
  ceiling: bigint,
  calls: number,
  options?: NodeCallOptions,
): Promise<bigint | undefined> {
  const traced = await tracedGas(node, attempt, selector, options)
  return traced ?? searchedGas(node, attempt, selector, ceiling, calls, options)
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
  const { result } = await node('debug_traceCall', [call, selector, tracing], options)
  const used = isObject(result) ? result['gasUsed'] : undefined
  return isQuantity(used) && BigInt(used) >= intrinsicGas ? BigInt(used) : undefined
}

/** Halves the ratio, not the difference: the answer lies anywhere between thousands and millions. */
async function searchedGas(
  node: NodeCall,
  { call, overrides }: Attempt,
  selector: JsonValue,
  ceiling: bigint,
  calls: number,
  options?: NodeCallOptions,
): Promise<bigint | undefined> {
  const outcome = async (gas: bigint) => {
    const params = [
      { ...call, gas: toQuantity(gas) },
      selector,
      ...(overrides === undefined ? [] : [overrides]),
    ]
    const { error } = await node('eth_call', params, options)
    return error && revertOf(error)?.data
  }
  const wanted = await outcome(ceiling)
  if (wanted === undefined) return undefined
  let tooLittle = intrinsicGas - 1n
  let enough = ceiling
  for (let call = 1; call < calls && enough - tooLittle > 1n; call++) {
    const middle = BigInt(Math.floor(Math.sqrt(Number(tooLittle) * Number(enough))))
    const gas = middle > tooLittle ? middle : tooLittle + 1n
    if ((await outcome(gas)) === wanted) enough = gas
    else tooLittle = gas
  }
  return enough
}
