import { failure } from '@concordat/node-access-contract/errors'
import type { JsonValue } from '@concordat/rpc'
import { isList, toQuantity } from '../ethereum/index.js'
import { type NodeAnswer, normaliseResult } from '../nodes/index.js'
import { callerError, nodeCodes, nodeTrouble, resultOf } from './error-for-caller.js'
import { findBlock } from './known-block.js'
import type { Plan } from './method-code.js'
import { atBlock, numberedParams } from './state.js'

/**
 * Looks up a block or an entry of a block. The result is null for a missing block or entry (specification
 * 7.3), even if a node returns an error. Without a count from the node, the block's own list is counted.
 * Entries of the pending block are also searched in its list, and the count is the length of its list. A Rootstock node
 * counts only waiting transactions, and the list has one more.
 */
export const lookUpInBlock: Plan = async (call, profile, params, options) => {
  const { name, about } = profile
  const { list, index } = about
  const isCount = list !== undefined && index === undefined
  const selector = about.selector(params)
  const isCountOfPending = isCount && selector === 'pending'
  const { error, result = null }: NodeAnswer = isCountOfPending
    ? { result: null }
    : await call(name, atBlock(about, params), options)
  if (result !== null) return result
  const trouble = error && nodeTrouble(error)
  if (trouble !== undefined && !(isCount && error?.code === nodeCodes.methodNotFound)) throw trouble
  const isPendingEntry = index !== undefined && selector === 'pending'
  if (error === undefined && !isCount && !isPendingEntry) return null
  const block = await findBlock(call, selector, options, isPendingEntry)
  if (block === undefined) return null
  const byNumber = numberedParams(about, params, block['number'])
  if (byNumber !== undefined && !isCount) return resultOf(await call(name, byNumber, options))
  const found = list === undefined ? undefined : block[list]
  if (isList(found)) {
    if (isCount) return toQuantity(found.length)
    const entry = found[Number(index?.(params))] ?? null
    if (entry === null) return null
    if (error === undefined) return ofMethod(name, params, entry)
  }
  if (error !== undefined) throw callerError(error)
  return null
}

/**
 * Makes an entry of a block's list the result of a method. The list may hold anything, such as hashes instead of
 * transactions.
 * @throws RpcError nodeAnsweredRubbish for an entry that is no result of the method
 */
function ofMethod(name: string, params: readonly JsonValue[], entry: JsonValue): JsonValue {
  const result = normaliseResult(name, params, entry)
  if (result === undefined) throw failure('nodeAnsweredRubbish', { cause: entry })
  return result
}
