import type { JsonValue } from '../../rpc/index.js'
import { isList, isObject } from '../ethereum/hex.js'
import type { NodeAnswer, NodeCall, NodeCallOptions } from '../nodes/node-call.js'
import { findBlock } from './known-block.js'
import { callerError, nodeCodes, nodeTrouble, resultOf } from './node-error.js'

/** Answers one method with the node's help. */
export type Plan = (
  call: NodeCall,
  method: string,
  params: readonly JsonValue[],
  options?: NodeCallOptions,
) => Promise<JsonValue>

/** Asks the node and answers what it answers. */
export const passOn: Plan = (call, method, params, options) => call(method, params, options).then(resultOf)

/** A block by number or tag: null when the node does not have it (specification 7.3), also where nodes give an error. */
export const blockByNumber: Plan = async (call, method, params, options) => {
  const answer = await call(method, params, options)
  if (answer.error === undefined) return answer.result
  await blockOrThrow(call, params[0] ?? null, answer, options)
  return null
}

/**
 * Counts the transactions or the uncles of a block: null when the node does not have the block. Where the node gives no
 * count, or lacks the method, the block's own list is counted.
 * @param member the list's name in the block
 */
export const countOf =
  (member: 'transactions' | 'uncles'): Plan =>
  async (call, method, params, options) => {
    const answer = await call(method, params, options)
    if (answer.error === undefined && answer.result !== null) return answer.result
    const { error } = answer
    const isLacking = error?.code === nodeCodes.methodNotFound
    const trouble = error && !isLacking ? nodeTrouble(error) : undefined
    if (trouble !== undefined) throw trouble
    const block = await findBlock(call, params[0] ?? null, options)
    const list = block?.[member]
    if (error && isLacking && block !== undefined && !isList(list)) throw callerError(error)
    return isList(list) ? `0x${list.length.toString(16)}` : null
  }

/** A transaction by block and position: null when there is none. */
export const transactionByIndex: Plan = async (call, method, params, options) => {
  const [selector = null, index = '0x0'] = params
  const answer = await call(method, params, options)
  return selector === 'pending' && answer.result === null
    ? pendingTransaction(call, Number(index), options)
    : knownTransaction(call, selector, Number(index), answer, options)
}

/** What the node answered, or null where it gave an error for a block or a position that does not exist. */
async function knownTransaction(
  call: NodeCall,
  selector: JsonValue,
  index: number,
  answer: NodeAnswer,
  options?: NodeCallOptions,
): Promise<JsonValue> {
  if (answer.error === undefined) return answer.result
  const trouble = nodeTrouble(answer.error)
  if (trouble !== undefined) throw trouble
  const block = await findBlock(call, selector, options)
  const list = block?.['transactions']
  if (isList(list) && index < list.length) throw callerError(answer.error)
  return null
}

/** Nodes that list the pending block's transactions do not always answer them one by one. */
async function pendingTransaction(
  call: NodeCall,
  index: number,
  options?: NodeCallOptions,
): Promise<JsonValue> {
  const block = resultOf(await call('eth_getBlockByNumber', ['pending', true], options))
  const list = isObject(block) ? block['transactions'] : undefined
  return (isList(list) ? list[index] : undefined) ?? null
}

/** Ends well when the node does not have the block; else the node's error is the caller's. */
async function blockOrThrow(
  call: NodeCall,
  selector: JsonValue,
  answer: NodeAnswer,
  options?: NodeCallOptions,
): Promise<void> {
  if (answer.error === undefined) return
  const trouble = nodeTrouble(answer.error)
  if (trouble !== undefined) throw trouble
  if ((await findBlock(call, selector, options)) !== undefined) throw callerError(answer.error)
}
