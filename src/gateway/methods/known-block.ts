import { failure } from '../../../generated/errors.js'
import type { JsonObject, JsonValue } from '../../rpc/index.js'
import { isHash, isObject, isQuantity } from '../ethereum/hex.js'
import type { NodeCall, NodeCallOptions } from '../nodes/node-call.js'
import { resultOf } from './node-error.js'

/**
 * Looks a block up, by hash, number or tag, without its transactions.
 * @param selector as the caller named it
 * @returns undefined when the node does not have it, whatever the node says then
 * @throws RpcError when the node cannot be asked
 */
export async function findBlock(
  call: NodeCall,
  selector: JsonValue,
  options?: NodeCallOptions,
): Promise<JsonObject | undefined> {
  const byHash = isHash(selector)
  const isNumber = !byHash && isQuantity(selector)
  if (isNumber && BigInt(selector) > (await headNumber(call, options))) return undefined
  const method = byHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'
  const block = resultOf(await call(method, [selector, false], options))
  return isObject(block) ? block : undefined
}

/**
 * Asks for the number of the most recent block.
 * @throws RpcError when the node cannot be asked
 */
export async function headNumber(call: NodeCall, options?: NodeCallOptions): Promise<bigint> {
  const number = resultOf(await call('eth_blockNumber', [], options))
  if (!isQuantity(number)) throw failure('nodeAnsweredRubbish', { cause: number })
  return BigInt(number)
}
