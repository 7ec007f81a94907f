import type { JsonValue } from '../../rpc/index.js'
import { isHash, isObject, isQuantity } from '../ethereum/hex.js'

/**
 * For how long an answer is good: `kept` for what cannot change any more, `head` until there is a new block or this
 * process sends a transaction, `never`.
 */
export type Lifetime = 'kept' | 'head' | 'never'

/**
 * Where each method names its block, by position; methods that are about the most recent block alone have none. A nonce
 * (eth_getTransactionCount) is what the next transaction is built on, and is not here.
 */
const selectorAt: Readonly<Record<string, number | undefined>> = {
  eth_blockNumber: undefined,
  eth_call: 1,
  eth_estimateGas: 1,
  eth_gasPrice: undefined,
  eth_getBalance: 1,
  eth_getBlockByHash: 0,
  eth_getBlockByNumber: 0,
  eth_getBlockTransactionCountByHash: 0,
  eth_getBlockTransactionCountByNumber: 0,
  eth_getCode: 1,
  eth_getStorageAt: 2,
  eth_getTransactionByBlockHashAndIndex: 0,
  eth_getTransactionByBlockNumberAndIndex: 0,
  eth_getUncleCountByBlockHash: 0,
  eth_getUncleCountByBlockNumber: 0,
  eth_protocolVersion: undefined,
  web3_clientVersion: undefined,
}

/** Methods that find a transaction by its own hash: it may move to another block until that one is deep enough. */
const byTransaction = new Set(['eth_getTransactionByHash', 'eth_getTransactionReceipt'])

/**
 * Says for how long the answer to a call is good at most, before it is known.
 * @param head number of the most recent block; undefined when none is known
 * @param finalityDepth blocks; what is deeper cannot change
 */
export function lifetimeOf(
  method: string,
  params: readonly JsonValue[],
  head: bigint | undefined,
  finalityDepth: number,
): Lifetime {
  if (byTransaction.has(method)) return 'kept'
  if (!Object.hasOwn(selectorAt, method)) return 'never'
  const at = selectorAt[method]
  const selector = at === undefined ? 'latest' : (params[at] ?? 'latest')
  if (selector === 'pending') return 'never'
  const number = selector === 'earliest' ? '0x0' : selector
  if (isHash(number)) return 'kept'
  return isQuantity(number) && isDeep(number, head, finalityDepth) ? 'kept' : 'head'
}

/** Says for how long an answer is good, now that it is known: nothing that is missing is remembered. */
export function lifetimeOfResult(
  method: string,
  longest: Lifetime,
  result: JsonValue,
  head: bigint | undefined,
  finalityDepth: number,
): Lifetime {
  if (result === null) return 'never'
  if (!byTransaction.has(method)) return longest
  const number = isObject(result) ? result['blockNumber'] : undefined
  if (!isQuantity(number)) return 'never'
  return isDeep(number, head, finalityDepth) ? 'kept' : 'head'
}

function isDeep(number: string, head: bigint | undefined, finalityDepth: number): boolean {
  return head !== undefined && head - BigInt(number) > BigInt(finalityDepth)
}
