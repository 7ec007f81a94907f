import type { JsonObject, JsonValue } from '../../rpc/index.js'
import { isList, isObject, isQuantity, toQuantity } from '../ethereum/hex.js'
import type { NodeAnswer, NodeCall, NodeCallOptions } from '../nodes/node-call.js'
import { genesisState, hasGenesisState } from './genesis-state.js'
import { refusalOf } from './legacy-transaction.js'
import { rootstockBlock, rootstockPendingBlock } from './rootstock-block.js'
import { rootstockLogs, rootstockReceipt, rootstockTransaction } from './rootstock-objects.js'
import { minimumGasPrice } from './seed-facts.js'

/** What makes anvil answer as a Rootstock node does: a call of anvil in, a call of the network's node out. */
export type NodeProfile = (anvil: NodeCall) => NodeCall

type Rule = (
  anvil: NodeCall,
  method: string,
  params: readonly JsonValue[],
  options?: NodeCallOptions,
) => Promise<NodeAnswer>

/**
 * Makes anvil answer as a Rootstock node does: its blocks, transactions, receipts and logs (specification 2.4 to 2.7),
 * its gas price, legacy transactions only, and the state at the chain's beginning, which anvil forgets.
 * @param network the network's number
 */
export function rootstockProfile(network: { readonly chainId: number }): NodeProfile {
  const rules: Readonly<Record<string, Rule>> = {
    eth_gasPrice: async () => ({ result: toQuantity(minimumGasPrice) }),
    eth_getBlockByHash: block,
    eth_getBlockByNumber: block,
    eth_getTransactionByHash: object(rootstockTransaction),
    eth_getTransactionByBlockHashAndIndex: object(rootstockTransaction),
    eth_getTransactionByBlockNumberAndIndex: object(rootstockTransaction),
    eth_getTransactionReceipt: object(rootstockReceipt),
    eth_getLogs: logs,
    eth_getBalance: state,
    eth_getCode: state,
    eth_getStorageAt: state,
    eth_getTransactionCount: state,
    eth_call: state,
    eth_estimateGas: state,
    eth_sendRawTransaction: async (anvil, method, params, options) => {
      const error = refusalOf(String(params[0]), network.chainId)
      return error === undefined ? anvil(method, params, options) : { error }
    },
  }
  return (anvil) => async (method, params, options) => {
    const rule = Object.hasOwn(rules, method) ? rules[method] : undefined
    return rule === undefined ? anvil(method, params, options) : rule(anvil, method, params, options)
  }
}

/** The rule of a method whose result is one object or null. */
const object =
  (make: (object: JsonObject) => JsonObject): Rule =>
  async (anvil, method, params, options) => {
    const answer = await anvil(method, params, options)
    return isObject(answer.result) ? { result: make(answer.result) } : answer
  }

const logs: Rule = async (anvil, method, params, options) => {
  const answer = await anvil(method, params, options)
  return isList(answer.result) ? { result: rootstockLogs(answer.result) } : answer
}

const block: Rule = async (anvil, method, params, options) => {
  const answer = await anvil(method, params, options)
  if (!isObject(answer.result)) return answer
  if (params[0] === 'pending') return { result: rootstockPendingBlock(answer.result) }
  const { transactions, hash } = answer.result
  const isEmpty = isList(transactions) && transactions.length === 0
  const paid = isEmpty ? 0n : await paidFees(anvil, hash ?? null, options)
  return typeof paid === 'bigint' ? { result: rootstockBlock(answer.result, paid) } : paid
}

/** The fees of a block's transactions, in wei, from their receipts; the answer when there are none to be had. */
async function paidFees(
  anvil: NodeCall,
  blockHash: JsonValue,
  options?: NodeCallOptions,
): Promise<bigint | NodeAnswer> {
  const answer = await anvil('eth_getBlockReceipts', [blockHash], options)
  if (!isList(answer.result)) return answer
  let sum = 0n
  for (const receipt of answer.result) {
    if (!isObject(receipt)) continue
    sum += BigInt(String(receipt['gasUsed'])) * BigInt(String(receipt['effectiveGasPrice']))
  }
  return sum
}

/** The rule of the methods that have a block as their last parameter. */
const state: Rule = async (anvil, method, params, options) => {
  const answer = await anvil(method, params, options)
  if (answer.error === undefined || params.length > 3) return answer
  const number = await blockNumber(anvil, method, params, options)
  if (number === undefined || !hasGenesisState(number) || !(await isForgotten(anvil, number, options))) {
    return answer
  }
  return genesisState(anvil, method, params, options)
}

/** The number of the block that a state method is asked at; undefined for the newest ones and for unknown ones. */
async function blockNumber(
  anvil: NodeCall,
  method: string,
  params: readonly JsonValue[],
  options?: NodeCallOptions,
): Promise<bigint | undefined> {
  const selector = params[method === 'eth_getStorageAt' ? 2 : 1]
  if (selector === 'earliest') return 0n
  if (isQuantity(selector) && selector.length < 66) return BigInt(selector)
  const hash = isObject(selector) ? selector['blockHash'] : selector
  if (!isQuantity(hash)) return undefined
  const { result } = await anvil('eth_getBlockByHash', [hash, false], options)
  return isObject(result) ? BigInt(String(result['number'])) : undefined
}

/** True where anvil has no state for a block any more, so that the error is not the call's own. */
async function isForgotten(anvil: NodeCall, number: bigint, options?: NodeCallOptions): Promise<boolean> {
  const nobody = '0x0000000000000000000000000000000000000000'
  const answer = await anvil('eth_getBalance', [nobody, toQuantity(number)], options)
  return answer.error !== undefined
}
