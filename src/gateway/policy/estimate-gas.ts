import type { JsonObject, JsonValue } from '../../rpc/index.js'
import { isObject, isQuantity, toQuantity } from '../hex.js'
import type { NodeAnswer, NodeCall, NodeCallOptions, NodeError } from '../node-call.js'
import { callObject } from './call-object.js'
import { type Attempt, gasUpToFailure } from './failing-gas.js'
import { findBlock } from './known-block.js'
import { callerError, nodeCodes } from './node-error.js'
import { revertOf } from './revert.js'
import { askAtBlock, requireState } from './state.js'

/** The contract's numbers for estimates of calls that fail (specification 4.2). */
export interface EstimateLimits {
  /** The estimate of last resort, in gas, where the block's limit is not lower. */
  readonly estimateFallbackGas: number
  /** Calls that a search for the gas up to a failing step may make. */
  readonly estimateBisectionCalls: number
}

/** More than any call can cost, in wei, and far from overflowing when more is added. */
const plenty = `0x${'f'.repeat(30)}`

const nobody = '0x0000000000000000000000000000000000000000'

/**
 * Answers eth_estimateGas with an estimate also when a step of the simulation fails (specification 4.2 rule 2). The
 * first success wins: as asked; with balance lent to the sender; without what the sender cannot pay; the gas up to the
 * failing step of a revert; the call's own gas, or the lower of the block's limit and the contract's.
 * @param call the call object, as the caller sent it
 * @param selector number or tag of a block
 * @throws RpcError invalidParams and blockNotFound: only failures of the simulation are forgiven
 */
export async function estimateGas(
  node: NodeCall,
  call: JsonValue | undefined,
  selector: JsonValue,
  limits: EstimateLimits,
  options?: NodeCallOptions,
): Promise<JsonValue> {
  const asked = callObject(call)
  const ask = (given: JsonObject, overrides?: JsonObject) =>
    node('eth_estimateGas', [given, selector, ...(overrides === undefined ? [] : [overrides])], options)

  const first = await askAtBlock(node, 'eth_estimateGas', [asked, selector], options, isRevert)
  if (first.error === undefined) return first.result
  await requireSimulationFailure(node, first.error, selector, options)

  let reverting: Attempt | undefined = isRevert(first.error) ? { call: asked } : undefined
  for (const attempt of reverting === undefined ? affordable(asked) : []) {
    const answer: NodeAnswer = await ask(attempt.call, attempt.overrides)
    if (answer.error === undefined) return answer.result
    if (!isRevert(answer.error)) continue
    reverting = attempt
    break
  }
  const ceiling = await gasCeiling(node, asked, selector, limits, options)
  const used =
    reverting &&
    (await gasUpToFailure(node, reverting, selector, ceiling, limits.estimateBisectionCalls, options))
  return toQuantity(used ?? ceiling)
}

const isRevert = (error: NodeError) => revertOf(error) !== undefined

/** @throws RpcError when the node refused the parameters or does not have the state, which is no failing step */
async function requireSimulationFailure(
  node: NodeCall,
  error: NodeError,
  selector: JsonValue,
  options?: NodeCallOptions,
): Promise<void> {
  if (isRevert(error)) return
  await requireState(node, selector, options)
  if (error.code === nodeCodes.invalidParams || error.code === nodeCodes.invalidRequest)
    throw callerError(error)
}

/** The call as a sender could pay for it: with balance lent, without prices and nonce, without value. */
function affordable(call: JsonObject): readonly Attempt[] {
  const sender = typeof call['from'] === 'string' ? call['from'] : nobody
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, nonce, ...free } = call
  const { value, ...worthless } = free
  return [
    { call, overrides: { [sender]: { balance: plenty } } },
    { call: free, overrides: { [sender]: { balance: plenty } } },
    { call: free },
    { call: worthless },
  ]
}

/** The most gas that a call can use: its own, else the lower of the block's limit and the contract's number. */
async function gasCeiling(
  node: NodeCall,
  call: JsonObject,
  selector: JsonValue,
  limits: EstimateLimits,
  options?: NodeCallOptions,
): Promise<bigint> {
  if (isQuantity(call['gas'])) return BigInt(call['gas'])
  const fallback = BigInt(limits.estimateFallbackGas)
  const block = await findBlock(node, selector, options)
  const limit = isObject(block) && isQuantity(block['gasLimit']) ? BigInt(block['gasLimit']) : fallback
  return limit < fallback ? limit : fallback
}
