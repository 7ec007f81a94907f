import { failure } from '../../../generated/errors.js'
import type { JsonValue } from '../../rpc/index.js'
import { isHash } from '../ethereum/hex.js'
import type { NodeAnswer, NodeCall, NodeCallOptions, NodeError } from '../nodes/node-call.js'
import { findBlock } from './known-block.js'
import type { Plan } from './lookup.js'
import { callerError, nodeCodes, nodeTrouble } from './node-error.js'

const nobody = '0x0000000000000000000000000000000000000000'

/**
 * Asks a method whose last parameter is a block. A block named by hash goes to the node as EIP-1898 has it, which most
 * nodes take, and by its number to those that do not.
 * @param isOwn true for an error that shows by itself that the node has the block, such as a revert
 * @throws RpcError blockNotFound when there is an error, or null, because the node does not have the block: recognised
 *   by asking for the block, not by the error's text
 */
export async function askAtBlock(
  call: NodeCall,
  method: string,
  params: readonly JsonValue[],
  options?: NodeCallOptions,
  isOwn: (error: NodeError) => boolean = isNone,
): Promise<NodeAnswer> {
  const answer = await call(method, atBlock(params), options)
  if (answer.error === undefined ? answer.result !== null : isOwn(answer.error)) return answer
  return explained(call, method, params, answer, options)
}

const isNone = () => false

/** The parameters as they go to a node: the same list where the block is not named by hash. */
function atBlock(params: readonly JsonValue[]): readonly JsonValue[] {
  const selector = params[params.length - 1]
  return isHash(selector) ? [...params.slice(0, -1), { blockHash: selector.toLowerCase() }] : params
}

/** What an error or null comes from. */
async function explained(
  call: NodeCall,
  method: string,
  params: readonly JsonValue[],
  answer: NodeAnswer,
  options?: NodeCallOptions,
): Promise<NodeAnswer> {
  const selector = params.at(-1) ?? 'latest'
  const trouble = answer.error && nodeTrouble(answer.error)
  if (trouble !== undefined) throw trouble
  if (isNewest(selector)) return answer
  const block = await findBlock(call, selector, options)
  if (block === undefined) throw failure('blockNotFound', { cause: answer.error })
  const { number } = block
  if (!isHash(selector) || answer.error === undefined || typeof number !== 'string') return answer
  return call(method, [...params.slice(0, -1), number], options)
}

/** True for the blocks that every node has, with their state. */
const isNewest = (selector: JsonValue) => selector === 'latest' || selector === 'pending'

/**
 * Answers balance, code, storage and transaction count at a block (specification 4).
 * @param empty what a node means with null: nothing is there
 */
export const stateOr =
  (empty: string): Plan =>
  (call, method, params, options) =>
    call(method, atBlock(params), options).then((answer) =>
      answer.error === undefined && answer.result !== null
        ? answer.result
        : stateWithout(call, method, params, answer, empty, options),
    )

async function stateWithout(
  call: NodeCall,
  method: string,
  params: readonly JsonValue[],
  given: NodeAnswer,
  empty: string,
  options?: NodeCallOptions,
): Promise<JsonValue> {
  const answer = await explained(call, method, params, given, options)
  if (answer.error === undefined) return answer.result ?? empty
  if (answer.error.code === nodeCodes.internalError || isNewest(params.at(-1) ?? null))
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
  const { error } = await askAtBlock(call, 'eth_getBalance', [nobody, selector], options)
  if (error !== undefined) throw failure('blockNotFound', { message: stateGone, cause: error })
}
