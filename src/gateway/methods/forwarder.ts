import { failure } from '../../../generated/errors.js'
import type { JsonValue } from '../../rpc/index.js'
import type { NodeCall, NodeCallOptions } from '../nodes/node-call.js'
import { completeResult } from './complete-result.js'
import { call as ethCall } from './eth-call.js'
import { type EstimateLimits, estimateGas } from './eth-estimate-gas.js'
import { sendRawTransaction } from './eth-send-raw-transaction.js'
import { blockByNumber, countOf, type Plan, passOn, transactionByIndex } from './lookup.js'
import { stateOr } from './state.js'

/** What a network's calls are answered with. */
export interface ForwarderOptions {
  /** Asks the network's nodes; their results are normalised already. */
  readonly call: NodeCall
  /** The contract's limits (`x-limits`). */
  readonly limits: EstimateLimits
}

/**
 * Answers a method of the contract with the nodes' help.
 * @param method its name
 * @param params positional, valid, defaults filled in
 * @throws RpcError in the contract's codes
 */
export type Forward = (
  method: string,
  params: readonly JsonValue[],
  options?: NodeCallOptions,
) => Promise<JsonValue>

const zeroWord = `0x${'0'.repeat(64)}`

/**
 * Composes what the service does for a call that is admitted and valid, and needs a node: it is asked in the way that
 * the contract's rules want.
 */
export function createForwarder({ call, limits }: ForwarderOptions): Forward {
  const plans: ReadonlyMap<string, Plan> = new Map<string, Plan>(
    Object.entries({
      eth_blockNumber: passOn,
      eth_call: ethCall,
      eth_estimateGas: (node, _, [given, selector = 'latest'], options) =>
        estimateGas(node, given, selector, limits, options),
      eth_gasPrice: passOn,
      eth_getBalance: stateOr('0x0'),
      eth_getBlockByHash: passOn,
      eth_getBlockByNumber: blockByNumber,
      eth_getBlockTransactionCountByHash: countOf('transactions'),
      eth_getBlockTransactionCountByNumber: countOf('transactions'),
      eth_getCode: stateOr('0x'),
      eth_getStorageAt: stateOr(zeroWord),
      eth_getTransactionByBlockHashAndIndex: transactionByIndex,
      eth_getTransactionByBlockNumberAndIndex: transactionByIndex,
      eth_getTransactionByHash: passOn,
      eth_getTransactionCount: stateOr('0x0'),
      eth_getTransactionReceipt: passOn,
      eth_getUncleCountByBlockHash: countOf('uncles'),
      eth_getUncleCountByBlockNumber: countOf('uncles'),
      eth_protocolVersion: passOn,
      eth_sendRawTransaction: sendRawTransaction,
      web3_clientVersion: passOn,
    }),
  )
  return async (method, params, options) => {
    const plan = plans.get(method)
    if (plan === undefined) throw failure('methodNotFound')
    const result = await plan(call, method, params, options)
    return completeResult(call, method, params, result, options)
  }
}
