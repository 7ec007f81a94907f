import { limits } from '@concordat/node-access-contract/contract'
import { errorTable, failure } from '@concordat/node-access-contract/errors'
import { type JsonObject, type JsonValue, RpcError } from '@concordat/rpc'
import { isObject, isQuantity, toQuantity } from '../ethereum/index.js'
import type { NodeCall, NodeCallOptions, NodeError } from '../nodes/index.js'
import { callObject } from './call-object.js'
import { callerError, nodeCodes, nodeTrouble } from './error-for-caller.js'
import { EstimateDeadline } from './estimate/estimate-deadline.js'
import { type Attempt, gasUpToFailure } from './estimate/failing-gas.js'
import { type IntrinsicGas, intrinsicGas } from './estimate/intrinsic-gas.js'
import { findBlock } from './known-block.js'
import type { Plan } from './method-code.js'
import { revertOf } from './revert.js'
import { numberedSelector, requireBlock, requireState } from './state.js'

/** Answers eth_estimateGas by the contract's limits; see {@link estimateGas}. */
export const ethEstimateGas: Plan = async (call, _, [given, selector = 'latest'], options) =>
  estimateGas(call, given, await numberedSelector(call, selector, options), limits, options)

/** The contract's limits for estimates of failing calls (specification 4.2). */
export interface EstimateLimits extends IntrinsicGas {
  /** Fallback estimate in gas, unless the block's gas limit is lower. */
  readonly estimateFallbackGas: number
  /** Maximum number of calls in the search for the gas up to a failing step. */
  readonly estimateBisectionCalls: number
  /** Deadline for all calls of one estimate, in seconds. */
  readonly estimateTimeoutSeconds: number
}

const millisecondsPerSecond = 1_000

/** More wei than any call can cost, and small enough to leave room for additions. */
const plenty = `0x${'f'.repeat(30)}`

const nobody = '0x0000000000000000000000000000000000000000'

/**
 * Answers eth_estimateGas, also when a step of the simulation fails (specification 4.2 rule 2). A result below
 * the intrinsic cost is a failure: RSKj returns 0 for a call whose own gas is lower. The first successful attempt
 * is the answer:
 * - the call as sent; if its gas is below the intrinsic cost, later attempts go without it
 * - with balance lent to the sender
 * - without the parts that the sender cannot pay
 * - the gas up to the failing step of a revert
 * - the call's own gas, or the lower of the block's gas limit and the contract's fallback, but at least the
 *   intrinsic cost
 *
 * Once the simulation is known to fail, the deadline ends only the search for a better estimate, and not the
 * call.
 * @param call the call object, as the caller sent it
 * @param selector number or tag of a block
 * @param now a monotonic clock, in milliseconds
 * @throws RpcError invalidParams and blockNotFound, because only failures of the simulation are tolerated;
 * nodeTooSlow if the deadline passes before the simulation is known to fail
 */
export async function estimateGas(
  node: NodeCall,
  call: JsonValue | undefined,
  selector: JsonValue,
  limits: EstimateLimits,
  options?: NodeCallOptions,
  now: () => number = () => performance.now(),
): Promise<JsonValue> {
  const asked = callObject(call)
  const intrinsic = intrinsicGas(asked, limits)
  const milliseconds = limits.estimateTimeoutSeconds * millisecondsPerSecond
  const deadline = new EstimateDeadline(milliseconds, options?.signal, now)
  const within = { ...options, signal: deadline, isOwnError: isRevert }

  const first = await node('eth_estimateGas', [asked, selector], within)
  if (isAtLeast(intrinsic, first.result)) return first.result
  const reverts = first.error !== undefined && isRevert(first.error)
  const isMissing = !reverts && (first.error !== undefined || first.result === null)
  if (isMissing) await requireSimulationFailure(node, first.error, selector, within)

  const runnable = withEnoughGas(asked, intrinsic)
  const afforded = reverts ? undefined : await afford(node, runnable, intrinsic, selector, deadline, within)
  if (afforded?.estimate !== undefined) return afforded.estimate
  const reverting = reverts ? { call: runnable } : afforded?.reverting
  const ceiling = await gasCeiling(node, runnable, intrinsic, selector, limits, deadline, within)
  const range = { intrinsic, ceiling }
  const calls = limits.estimateBisectionCalls
  const used = reverting && (await gasUpToFailure(node, reverting, selector, range, calls, deadline, within))
  return toQuantity(used ?? ceiling)
}

/** True for an estimate that is a quantity of at least the given gas. */
function isAtLeast(intrinsic: bigint, estimate: JsonValue | undefined): estimate is string {
  return isQuantity(estimate) && BigInt(estimate) >= intrinsic
}

/** Removes gas that is below the intrinsic cost from a call: with it, the call cannot start. */
function withEnoughGas(call: JsonObject, intrinsic: bigint): JsonObject {
  const { gas, ...ungassed } = call
  return isQuantity(gas) && BigInt(gas) < intrinsic ? ungassed : call
}

const isRevert = (error: NodeError) => revertOf(error) !== undefined

/**
 * Distinguishes a failing simulation from other reasons for a missing estimate.
 * @param error the node's error; undefined for a null result
 * @throws RpcError when the node refused the parameters or lacks the state
 */
async function requireSimulationFailure(
  node: NodeCall,
  error: NodeError | undefined,
  selector: JsonValue,
  options: NodeCallOptions & { readonly signal: EstimateDeadline },
): Promise<void> {
  const trouble = error && nodeTrouble(error)
  if (trouble !== undefined) throw trouble
  const unlessMissing = (reason: unknown) => {
    if (options.signal.aborted || isBlockNotFound(reason)) throw reason
  }
  const require = async () => {
    await requireBlock(node, selector, options)
    await requireState(node, selector, options)
  }
  await require().catch(unlessMissing)
  if (error === undefined) throw failure('nodeAnsweredRubbish', { cause: 'the estimate is null' })
  if (error.code === nodeCodes.invalidParams || error.code === nodeCodes.invalidRequest)
    throw callerError(error)
}

const isBlockNotFound = (reason: unknown) =>
  reason instanceof RpcError && reason.code === errorTable.blockNotFound.code

/** The outcome with a sender who can pay: an estimate, or the attempt that reverts. */
interface Afforded {
  readonly estimate?: JsonValue
  readonly reverting?: Attempt
}

/** Retries the estimate with each variant of the call that the sender can pay. */
async function afford(
  node: NodeCall,
  asked: JsonObject,
  intrinsic: bigint,
  selector: JsonValue,
  deadline: EstimateDeadline,
  options: NodeCallOptions,
): Promise<Afforded> {
  for (const attempt of affordable(asked)) {
    const { call, overrides } = attempt
    const again = () =>
      overrides === undefined
        ? node('eth_estimateGas', [call, selector], options)
        : node('eth_estimateGas', [call, selector, overrides], { ...options, technique: 'stateOverride' })
    const { error, result } = (await deadline.during(again)) ?? {}
    if (isAtLeast(intrinsic, result)) return { estimate: result }
    if (error !== undefined && isRevert(error)) return { reverting: attempt }
  }
  return {}
}

/**
 * Returns variants of the call that a sender can pay: with lent balance, without prices and nonce, without
 * value.
 */
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

/**
 * Returns the maximum gas of a call: its own limit, else the lower of the block's limit and the fallback. It is at
 * least the intrinsic cost.
 */
async function gasCeiling(
  node: NodeCall,
  call: JsonObject,
  intrinsic: bigint,
  selector: JsonValue,
  limits: EstimateLimits,
  deadline: EstimateDeadline,
  options: NodeCallOptions,
): Promise<bigint> {
  if (isQuantity(call['gas'])) return BigInt(call['gas'])
  const fallback = BigInt(limits.estimateFallbackGas)
  const block = await deadline.during(() => findBlock(node, selector, options))
  const limit = isObject(block) && isQuantity(block['gasLimit']) ? BigInt(block['gasLimit']) : fallback
  const ceiling = limit < fallback ? limit : fallback
  if (ceiling < intrinsic) return intrinsic
  return ceiling
}
