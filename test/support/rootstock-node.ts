import type { JsonObject, JsonValue } from '../../src/runtime/rpc/index.js'
import {
  isObject,
  type NodeReply,
  type ReplyingNode,
  recordedAnswers,
  startReplyingNode,
} from './recorded-node.js'

const listOf = (value: JsonValue | undefined) => (Array.isArray(value) ? (value as readonly JsonValue[]) : [])

/** Answers a call with the chain's own answer. */
type Ask = (method: string, params: readonly JsonValue[]) => Promise<NodeReply>

/** The REMASC transaction of the recorded pending block. */
const remasc = recordedAnswers
  .filter(({ calls }) => JSON.stringify(calls).includes('["eth_getBlockByNumber",["pending",true]]'))
  .map(({ result }) => (isObject(result) ? listOf(result['transactions'])[0] : undefined))[0] as JsonObject

const internal: NodeReply = { error: { code: -32603, message: 'Internal server error' } }
const notFound: NodeReply = { status: 400, error: { code: -32600, message: 'Block not found' } }

/** Position at which the second sublist of a block begins; undefined for a block with one list. */
const edgeOf = (length: number) => (length < 2 ? undefined : Math.floor(length / 2))

/** A block as RSKj 9 sends it: with the edges of its sublists, and a REMASC transaction while it is pending. */
function blockOf(block: JsonObject, isWhole: boolean): JsonObject {
  const transactions = listOf(block['transactions'])
  if (block['number'] === null) {
    const { hash } = remasc
    return {
      ...block,
      transactions: [...transactions, isWhole ? remasc : (hash ?? null)],
      rskPteEdges: [],
      baseEvent: null,
    }
  }
  const edge = edgeOf(transactions.length)
  return { ...block, rskPteEdges: edge === undefined ? [] : [edge], baseEvent: null }
}

/** A receipt whose cumulative gas starts again at the second sublist of its block. */
async function receiptOf(receipt: JsonObject, ask: Ask): Promise<JsonObject> {
  const { result: block } = await ask('eth_getBlockByHash', [receipt['blockHash'] ?? null, false])
  const hashes = listOf(isObject(block) ? block['transactions'] : [])
  const edge = edgeOf(hashes.length)
  if (edge === undefined || Number(receipt['transactionIndex']) < edge) return receipt
  const { result: last } = await ask('eth_getTransactionReceipt', [hashes[edge - 1] ?? null])
  const before = Number(isObject(last) ? last['cumulativeGasUsed'] : 0)
  return {
    ...receipt,
    cumulativeGasUsed: `0x${(Number(receipt['cumulativeGasUsed']) - before).toString(16)}`,
  }
}

/** The gas that a call needs to start. */
function intrinsicGas({ to, data }: JsonObject): number {
  const bytes = Buffer.from(String(data ?? '0x').slice(2), 'hex')
  return bytes.reduce((sum, byte) => sum + (byte === 0 ? 4 : 16), to === undefined ? 53_000 : 21_000)
}

/** The errors of a live node, in its codes and words. */
function errorOf(method: string, { code, message, data }: NonNullable<NodeReply['error']>): NodeReply {
  if (code === 3) {
    const reason = message
      .replace('execution reverted', 'transaction reverted')
      .replace('transaction reverted: ', 'revert ')
    return {
      error: {
        code: -32015,
        message: `VM Exception while processing transaction: ${reason}`,
        data: data ?? '0x',
      },
    }
  }
  if (code === -32001) return method === 'eth_getCode' ? { result: null } : notFound
  if (method === 'eth_call' && code === -32003) return { result: '0x' }
  return { error: { code, message } }
}

/** Answers a call as a live Rootstock node does, with the data of another chain. */
export async function answerAsRootstock(
  method: string,
  params: readonly JsonValue[],
  ask: Ask,
): Promise<NodeReply> {
  const [first, second] = params
  const isCall = method === 'eth_call' || method === 'eth_estimateGas'
  const block = method === 'eth_getStorageAt' ? params[2] : second
  const isState = isCall || /^eth_get(?:Balance|Code|StorageAt|TransactionCount)$/.test(method)
  if (isState && isObject(block) && block['requireCanonical'] !== undefined) return internal
  if (isCall && typeof block === 'string' && block.length === 66) return internal
  if (method === 'eth_estimateGas' && isObject(first)) {
    const gas = first['gas']
    if (gas !== undefined && Number(gas) < intrinsicGas(first)) return { result: '0x0' }
    const called = await ask('eth_call', [first, block ?? 'latest'])
    if (called.error?.code === 3) return errorOf('eth_call', called.error)
  }
  if (method === 'eth_getTransactionByBlockNumberAndIndex' && first === 'pending') return { result: null }
  const { result, error } = await ask(method, params)
  if (error !== undefined) return errorOf(method, error)
  if (/^eth_get(?:Block|Uncle).*Count/.test(method) && result === null) return notFound
  if (method === 'eth_getLogs') return { result: listOf(result).map(withoutRemoved) }
  if (!isObject(result)) return { result: result ?? null }
  if (method.startsWith('eth_getBlockBy')) return { result: blockOf(result, second === true) }
  if (method === 'eth_getTransactionReceipt') {
    const receipt = await receiptOf(result, ask)
    return { result: { ...receipt, logs: listOf(receipt['logs']).map(withoutRemoved) } }
  }
  const { _id, ...transaction } = result
  return { result: transaction as JsonObject }
}

const withoutRemoved = (log: JsonValue): JsonValue => {
  const { removed, ...rest } = log as JsonObject
  return rest as JsonObject
}

/** Returns a function that calls a chain. */
export const askOf =
  (chain: string): Ask =>
  async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    return (await fetch(chain, { method: 'POST', headers, body })).json()
  }

/**
 * Starts a node with the data of a chain and the habits that were recorded of a live Rootstock node. They are its
 * errors, empty results for calls without gas, gas used as estimate, sublists of blocks, and its pending block.
 * @param chain URL of the chain
 */
export function startRootstockNode(chain: string): Promise<ReplyingNode> {
  const ask = askOf(chain)
  return startReplyingNode((method, params) => answerAsRootstock(method, params, ask))
}
