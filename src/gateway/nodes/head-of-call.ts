import type { JsonValue } from '../../rpc/index.js'
import { isHash, isObject, isQuantity } from '../ethereum/hex.js'

/** Where each method names its block, by position; -1 for what is always about the most recent block. */
const selectors: ReadonlyMap<string, number> = new Map(
  Object.entries({
    debug_traceCall: 1,
    eth_blockNumber: -1,
    eth_call: 1,
    eth_estimateGas: 1,
    eth_gasPrice: -1,
    eth_getBalance: 1,
    eth_getBlockByNumber: 0,
    eth_getBlockTransactionCountByNumber: 0,
    eth_getCode: 1,
    eth_getStorageAt: 2,
    eth_getTransactionByBlockNumberAndIndex: 0,
    eth_getTransactionCount: 1,
    eth_getUncleCountByBlockNumber: 0,
  }),
)

/**
 * The lowest head that a node must have for its answer to be right: the network's head for what is about the most recent
 * block, the block itself for what is about an older one, 0 for everything else.
 * @param latest number of the network's most recent block
 */
export function neededHead(method: string, params: readonly JsonValue[], latest: number): number {
  if (method === 'eth_getLogs') {
    const [filter] = params
    return isObject(filter) && filter['blockHash'] === undefined ? neededFor(filter['toBlock'], latest) : 0
  }
  const at = selectors.get(method)
  if (at === undefined) return 0
  return at < 0 ? latest : neededFor(params[at], latest)
}

function neededFor(selector: JsonValue | undefined, latest: number): number {
  if (selector === undefined || selector === 'latest' || selector === 'pending') return latest
  if (!isQuantity(selector) || isHash(selector)) return 0
  return Math.min(Number(selector), latest)
}

/** What a node may have dropped, or never had: the state of an older block, or the block itself. */
export interface OlderData {
  readonly kind: 'state' | 'block'
  /** The block as the call names it. */
  readonly selector: JsonValue
  /** Its number; undefined where null does not tell that the node lacks the block. */
  readonly number: number | undefined
}

/** Methods that read a block that may not exist, by its hash, or a transaction in it that may not exist. */
const mayBeNull = new Set([
  'eth_getBlockByHash',
  'eth_getBlockTransactionCountByHash',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getUncleCountByBlockHash',
])

/** What a call needs of an older block; undefined for the state of a block that is named by hash, and for other calls. */
export function olderData(method: string, params: readonly JsonValue[]): OlderData | undefined {
  const at = mayBeNull.has(method) ? 0 : (selectors.get(method) ?? -1)
  const selector = params[at]
  if (selector === undefined || selector === 'latest' || selector === 'pending') return undefined
  if (mayBeNull.has(method)) return { kind: 'block', selector, number: undefined }
  const number = selector === 'earliest' ? 0 : Number(selector)
  if (isHash(selector) || !Number.isSafeInteger(number)) return undefined
  return { kind: at === 0 ? 'block' : 'state', selector, number }
}

/** What an answer tells of the node's chain. */
export interface ToldHead {
  /** The node has this block. */
  readonly number: number
  /** Its hash, where that is told. */
  readonly hash: string | undefined
  /** True when it is the node's most recent one. */
  readonly isLatest: boolean
}

/** Methods whose answers tell a block that the node has, and the member that holds its number. */
const tellers: ReadonlyMap<string, string> = new Map(
  Object.entries({
    eth_getBlockByNumber: 'number',
    eth_getTransactionByHash: 'blockNumber',
    eth_getTransactionReceipt: 'blockNumber',
  }),
)

/** Reads a node's head out of an answer in passing; undefined when it tells none. */
export function toldHead(
  method: string,
  params: readonly JsonValue[],
  result: JsonValue,
): ToldHead | undefined {
  if (method === 'eth_blockNumber')
    return isQuantity(result) ? { number: Number(result), hash: undefined, isLatest: true } : undefined
  const member = tellers.get(method)
  if (member === undefined || !isObject(result)) return undefined
  const number = result[member]
  if (!isQuantity(number) || !Number.isSafeInteger(Number(number)) || params[0] === 'pending')
    return undefined
  const { hash } = result
  const isBlock = member === 'number'
  return {
    number: Number(number),
    hash: isBlock && typeof hash === 'string' ? hash : undefined,
    isLatest: isBlock && params[0] === 'latest',
  }
}
