import { failure } from '@concordat/node-access-contract/errors'
import type { JsonObject, JsonValue } from '@concordat/rpc'
import { isHash, isObject } from '../ethereum/index.js'
import type { NodeAnswer, NodeCall, NodeCallOptions, NodeError } from '../nodes/index.js'
import { isNewest } from '../nodes/index.js'
import { type CallSubject, type MethodProfile, nodeCall, profileOf } from '../profiles/index.js'
import { callerError, nodeCodes, nodeTrouble, resultOf } from './error-for-caller.js'
import { findBlock } from './known-block.js'
import type { Plan } from './method-code.js'

/** The answer to a call at a block. */
export type AnswerAtBlock = NodeAnswer & {
  /** The number of the block, or the selector of the call, if the node was asked for the block and has it. */
  readonly found?: JsonValue
}

/**
 * Calls a method about the state of a block. A block hash is sent in the form of EIP-1898, which most nodes
 * support. Nodes that do not support it receive the block's number.
 * @param isOwn returns true for an error that proves that the node has the block, such as a revert
 * @throws RpcError blockNotFound when the node lacks the block; this is checked by a block lookup, not by the
 * error's text
 */
export async function askAtBlock(
  call: NodeCall,
  profile: MethodProfile,
  params: readonly JsonValue[],
  options?: NodeCallOptions,
  isOwn: (error: NodeError) => boolean = isNone,
): Promise<AnswerAtBlock> {
  const answer = await call(profile.name, atBlock(profile.about, params), options)
  if (answer.error === undefined ? answer.result !== null : isOwn(answer.error)) return answer
  const selector = profile.about.selector(params)
  const trouble = answer.error && nodeTrouble(answer.error)
  if (trouble !== undefined) throw trouble
  if (isNewest(selector)) return answer
  const block = await findBlock(call, selector, options)
  if (block === undefined) throw failure('blockNotFound', { cause: answer.error })
  if (answer.error !== undefined && isObject(params[profile.about.mixedAt]))
    await requireCanonical(call, block, options)
  const byNumber = answer.error && numberedParams(profile.about, params, block['number'])
  if (byNumber === undefined) return { ...answer, found: selector }
  return { ...(await call(profile.name, byNumber, options)), found: block['number'] ?? selector }
}

const isNone = () => false

/**
 * Replaces a block object (EIP-1898) by the block's number or hash, so that all forms share one answer. An object that
 * requires a canonical block stays.
 */
export function withPlainBlock({ mixedAt }: CallSubject, params: readonly JsonValue[]): readonly JsonValue[] {
  const given = params[mixedAt]
  if (!isObject(given) || given['requireCanonical'] === true) return params
  return params.with(mixedAt, given['blockNumber'] ?? given['blockHash'] ?? null)
}

/**
 * Returns the parameters for a node. A hash is converted to EIP-1898 if the parameter also accepts numbers.
 */
export function atBlock({ mixedAt }: CallSubject, params: readonly JsonValue[]): readonly JsonValue[] {
  const selector = params[mixedAt]
  return isHash(selector) ? params.with(mixedAt, { blockHash: selector.toLowerCase() }) : params
}

/**
 * Checks that a block found by its hash is on the chain. The node has the block, so its head need not be asked for.
 * @throws RpcError blockNotFound when another block has its number
 */
async function requireCanonical(call: NodeCall, block: JsonObject, options?: NodeCallOptions): Promise<void> {
  const { number = null, hash } = block
  const onChain = resultOf(
    await call(...nodeCall('blockByNumber', { block: number, transactions: false }), options),
  )
  if (!isObject(onChain) || onChain['hash'] !== hash)
    throw failure('blockNotFound', { message: notCanonical })
}

const notCanonical = 'The block is not on the chain'

/**
 * Returns the number of the block that a call selects by its hash; other selectors stay. For methods whose nodes take
 * no hash.
 * @throws RpcError blockNotFound when the block is unknown or not on the chain
 */
export async function numberedSelector(
  call: NodeCall,
  selector: JsonValue,
  options?: NodeCallOptions,
): Promise<JsonValue> {
  const hash = isObject(selector) ? (selector['blockHash'] ?? null) : selector
  if (!isHash(hash)) return selector
  const block = await findBlock(call, hash, options)
  if (block === undefined) throw failure('blockNotFound')
  await requireCanonical(call, block, options)
  return block['number'] ?? null
}

/** Returns the parameters with the block's number instead of its hash; undefined if they contain no hash. */
export function numberedParams(
  { mixedAt }: CallSubject,
  params: readonly JsonValue[],
  number: JsonValue | undefined,
): readonly JsonValue[] | undefined {
  const given = params[mixedAt]
  const isByHash = isHash(given) || isObject(given)
  return isByHash && typeof number === 'string' ? params.with(mixedAt, number) : undefined
}

/**
 * Answers balance, code, storage and transaction count at a block (specification 4); null means empty state.
 */
export const stateAtBlock: Plan = async (call, profile, params, options) => {
  const answer = await askAtBlock(call, profile, params, options)
  if (answer.error === undefined) return answer.result ?? profile.empty
  if (answer.error.code === nodeCodes.internalError || isNewest(profile.about.selector(params)))
    throw callerError(answer.error)
  throw failure('blockNotFound', { message: stateGone, cause: answer.error })
}

const stateGone = 'The state of this block is not available'

/**
 * Checks that the node has a block.
 * @throws RpcError blockNotFound when the node lacks it; another error when no node answers
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
 * Checks that the node has the state of a block that it has. If so, an error of a call at this block comes from the call
 * itself.
 * @throws RpcError blockNotFound when the node lacks it; another error when no node answers
 */
export async function requireState(
  call: NodeCall,
  selector: JsonValue,
  options?: NodeCallOptions,
): Promise<void> {
  if (isNewest(selector)) return
  const [method, params] = nodeCall('stateProbe', { state: selector })
  const { error } = await call(method, atBlock(profileOf(method).about, params), options)
  if (error !== undefined)
    throw nodeTrouble(error) ?? failure('blockNotFound', { message: stateGone, cause: error })
}
