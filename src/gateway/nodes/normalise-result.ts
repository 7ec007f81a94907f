import type { JsonObject, JsonValue } from '../../rpc/index.js'
import { isHash, isObject, isQuantity } from '../ethereum/hex.js'
import { block, logs, receipt, transaction } from './normalise-object.js'
import { data, quantity, text, word } from './normalise-scalar.js'

type Normalise = (result: JsonValue, params: readonly JsonValue[]) => JsonValue | undefined

/** An object whose member, where it has it, is what the first parameter asks for: another object is no answer. */
const object =
  (name: string, make: (object: JsonObject, isPending: boolean) => JsonObject): Normalise =>
  (result, params) =>
    isObject(result) && isAsked(result[name], params[0]) ? make(result, params[0] === 'pending') : undefined

function isAsked(value: JsonValue | undefined, asked: JsonValue | undefined): boolean {
  if (!isQuantity(value) || !isQuantity(asked)) return true
  return value.toLowerCase() === asked.toLowerCase() || (!isHash(asked) && BigInt(value) === BigInt(asked))
}

/** A number that a block can have. */
const blockNumber: Normalise = (result) => {
  const number = quantity(result)
  return number !== undefined && Number.isSafeInteger(Number(number)) ? number : undefined
}

/** How each method's result is made the contract's. Results of a method that is not here pass as they are. */
const rules: ReadonlyMap<string, Normalise> = new Map<string, Normalise>(
  Object.entries({
    eth_blockNumber: blockNumber,
    eth_call: data,
    eth_chainId: quantity,
    eth_estimateGas: quantity,
    eth_gasPrice: quantity,
    eth_getBalance: quantity,
    eth_getBlockByHash: object('hash', block),
    eth_getBlockByNumber: object('number', block),
    eth_getBlockTransactionCountByHash: quantity,
    eth_getBlockTransactionCountByNumber: quantity,
    eth_getCode: data,
    eth_getLogs: logs,
    eth_getStorageAt: word,
    eth_getTransactionByBlockHashAndIndex: object('blockHash', transaction),
    eth_getTransactionByBlockNumberAndIndex: object('blockNumber', transaction),
    eth_getTransactionByHash: object('hash', transaction),
    eth_getTransactionCount: quantity,
    eth_getTransactionReceipt: object('transactionHash', (made) => receipt(made)),
    eth_getUncleCountByBlockHash: quantity,
    eth_getUncleCountByBlockNumber: quantity,
    eth_protocolVersion: quantity,
    eth_sendRawTransaction: word,
    web3_clientVersion: text,
  }),
)

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
  const rule = rules.get(method)
  return rule === undefined ? result : rule(result, params)
}
