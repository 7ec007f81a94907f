import { failure } from '@concordat/node-access-contract/errors'
import type { JsonObject, JsonValue } from '@concordat/rpc'
import { isHash, isObject, isQuantity } from '../ethereum/index.js'
import type { NodeCall, NodeCallOptions } from '../nodes/index.js'
import { nodeCall } from '../profiles/index.js'
import { resultOf } from './error-for-caller.js'

/**
 * Looks up a block by hash, number or tag.
 * @param selector as the caller sent it
 * @param transactions true for full transactions instead of their hashes
 * @returns undefined when the node lacks the block
 * @throws RpcError when no node answers
 */
export async function findBlock(
  call: NodeCall,
  selector: JsonValue,
  options?: NodeCallOptions,
  transactions = false,
): Promise<JsonObject | undefined> {
  const byHash = isHash(selector)
  const isNumber = !byHash && isQuantity(selector)
  if (isNumber && BigInt(selector) > (await headNumber(call, options))) return undefined
  const purpose = byHash ? 'blockByHash' : 'blockByNumber'
  const block = resultOf(await call(...nodeCall(purpose, { block: selector, transactions }), options))
  return isObject(block) ? block : undefined
}

/**
 * Returns the number of the most recent block.
 * @throws RpcError when no node answers
 */
export async function headNumber(call: NodeCall, options?: NodeCallOptions): Promise<bigint> {
  const number = resultOf(await call(...nodeCall('headNumber'), options))
  if (!isQuantity(number)) throw failure('nodeAnsweredRubbish', { cause: number })
  return BigInt(number)
}
