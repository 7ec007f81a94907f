import { failure } from '../../../generated/errors.js'
import type { JsonValue } from '../../rpc/index.js'
import { isHash } from '../ethereum/index.js'
import type { NodeAnswer, NodeCall, NodeCallOptions, NodeError } from '../nodes/index.js'
import { isNewest } from '../nodes/index.js'
import { type CallSubject, type MethodProfile, nodeCall, profileOf } from '../profiles/index.js'
import { findBlock } from './known-block.js'
import type { Plan } from './method-code.js'
import { callerError, nodeCodes, nodeTrouble } from './node-error.js'

/**
 * Asks a method about the state of a block. A block named by hash goes to the node as EIP-1898 has it, which most nodes
 * take, and by its number to those that do not.
 * @param isOwn true for an error that shows by itself that the node has the block, such as a revert
 * @throws RpcError blockNotFound when there is an error, or null, because the node does not have the block: recognised
 *   by asking for the block, not by the error's text
 */
export async function askAtBlock(
  call: NodeCall,
  profile: MethodProfile,
  params: readonly JsonValue[],
  options?: NodeCallOptions,
  isOwn: (error: NodeError) => boolean = isNone,
): Promise<NodeAnswer> {
  const answer = await call(profile.name, atBlock(profile.about, params), options)
  if (answer.error === undefined ? answer.result !== null : isOwn(answer.error)) return answer
  const selector = profile.about.selector(params)
  const trouble = answer.error && nodeTrouble(answer.error)
  if (trouble !== undefined) throw trouble
  if (isNewest(selector)) return answer
  const block = await findBlock(call, selector, options)
  if (block === undefined) throw failure('blockNotFound', { cause: answer.error })
  const byNumber = answer.error && numberedParams(profile.about, params, block['number'])
  return byNumber === undefined ? answer : call(profile.name, byNumber, options)
}

const isNone = () => false

/** The parameters as they go to a node: a hash, where the parameter also takes numbers, as EIP-1898 has it. */
export function atBlock({ mixedAt }: CallSubject, params: readonly JsonValue[]): readonly JsonValue[] {
  const selector = params[mixedAt]
  return isHash(selector) ? params.with(mixedAt, { blockHash: selector.toLowerCase() }) : params
}

/** The parameters with the number of the block in place of its hash; undefined where there was no hash to replace. */
export function numberedParams(
  { mixedAt }: CallSubject,
  params: readonly JsonValue[],
  number: JsonValue | undefined,
): readonly JsonValue[] | undefined {
  return isHash(params[mixedAt]) && typeof number === 'string' ? params.with(mixedAt, number) : undefined
}

/** Answers balance, code, storage and transaction count at a block (specification 4): null means that nothing is there. */
export const stateAtBlock: Plan = async (call, profile, params, options) => {
  const answer = await askAtBlock(call, profile, params, options)
  if (answer.error === undefined) return answer.result ?? profile.empty
  if (answer.error.code === nodeCodes.internalError || isNewest(profile.about.selector(params)))
    throw callerError(answer.error)
  throw failure('blockNotFound', { message: stateGone, cause: answer.error })
}

const stateGone = 'The state of this block is not kept'

/**
 * Makes sure that the node has a block.
 * @throws RpcError blockNotFound when it has not, another one when the node cannot be asked
 */
export async function requireBlock(
  call: NodeCall,
  selector: JsonValue,
  options?: NodeCallOptions,
): Promise<void> {
  if (isNewest(selector)) return
  if ((await findBlock(call, selector, options)) === undefined) throw failure('blockNotFound')
}

/**
 * Makes sure that the node has the state of a block: an error of a call at it is then the call's own.
 * @throws RpcError blockNotFound when it has not, another one when the node cannot be asked
 */
export async function requireState(
  call: NodeCall,
  selector: JsonValue,
  options?: NodeCallOptions,
): Promise<void> {
  if (isNewest(selector)) return
  const [method, params] = nodeCall('stateProbe', { state: selector })
  const { error } = await askAtBlock(call, profileOf(method), params, options)
  if (error !== undefined) throw failure('blockNotFound', { message: stateGone, cause: error })
}
