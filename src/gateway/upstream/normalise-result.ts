import type { JsonObject, JsonValue } from '../../rpc/index.js'
import { isObject } from '../hex.js'
import { block, logs, receipt, transaction } from './normalise-object.js'
import { data, quantity, text, word } from './normalise-scalar.js'

type Normalise = (result: JsonValue, params: readonly JsonValue[]) => JsonValue | undefined

const object =
  (make: (object: JsonObject, isPending: boolean) => JsonObject): Normalise =>
  (result, params) =>
    isObject(result) ? make(result, params[0] === 'pending') : undefined

/** How each method's result is made the contract's. Results of a method that is not here pass as they are. */
const rules: Readonly<Record<string, Normalise>> = {
  eth_blockNumber: quantity,
  eth_call: data,
  eth_chainId: quantity,
  eth_estimateGas: quantity,
  eth_gasPrice: quantity,
  eth_getBalance: quantity,
  eth_getBlockByHash: object(block),
  eth_getBlockByNumber: object(block),
  eth_getBlockTransactionCountByHash: quantity,
  eth_getBlockTransactionCountByNumber: quantity,
  eth_getCode: data,
  eth_getLogs: logs,
  eth_getStorageAt: word,
  eth_getTransactionByBlockHashAndIndex: object(transaction),
  eth_getTransactionByBlockNumberAndIndex: object(transaction),
  eth_getTransactionByHash: object(transaction),
  eth_getTransactionCount: quantity,
  eth_getTransactionReceipt: object((made) => receipt(made)),
  eth_getUncleCountByBlockHash: quantity,
  eth_getUncleCountByBlockNumber: quantity,
  eth_protocolVersion: quantity,
  eth_sendRawTransaction: word,
  web3_clientVersion: text,
}

/**
 * Makes a node's result the contract's: hexadecimal digits in lower case, quantities minimal, storage values of 32 bytes,
 * nothing but nulls for the place of what is pending, members of other chains left out.
 * @param method the method that was called
 * @param params what it was called with
 * @param result as the node sent it, not null
 * @returns undefined when the result is not of the method's kind
 */
export function normaliseResult(
  method: string,
  params: readonly JsonValue[],
  result: JsonValue,
): JsonValue | undefined {
  const rule = Object.hasOwn(rules, method) ? rules[method] : undefined
  return rule === undefined ? result : rule(result, params)
}
