import type { Block, Receipt, Transaction } from '../../../generated/types.js'
import type { JsonValue } from '../../rpc/index.js'
import { isObject } from '../hex.js'

/** What the contract requires of a block; the last six are Rootstock's own, of merged mining. */
export const blockMembers = [
  'number',
  'hash',
  'parentHash',
  'sha3Uncles',
  'logsBloom',
  'transactionsRoot',
  'stateRoot',
  'receiptsRoot',
  'miner',
  'difficulty',
  'totalDifficulty',
  'extraData',
  'size',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'transactions',
  'uncles',
  'minimumGasPrice',
  'bitcoinMergedMiningHeader',
  'bitcoinMergedMiningCoinbaseTransaction',
  'bitcoinMergedMiningMerkleProof',
  'hashForMergedMining',
  'paidFees',
  'cumulativeDifficulty',
] as const satisfies readonly (keyof Block)[]

/** What it requires of a transaction. */
export const transactionMembers = [
  'blockHash',
  'blockNumber',
  'from',
  'to',
  'gas',
  'gasPrice',
  'hash',
  'input',
  'nonce',
  'v',
  'r',
  's',
  'transactionIndex',
  'type',
  'value',
] as const satisfies readonly (keyof Transaction)[]

/** What it requires of a receipt, but for `effectiveGasPrice`, which is added where a node does not say it. */
export const receiptMembers = [
  'blockHash',
  'blockNumber',
  'contractAddress',
  'cumulativeGasUsed',
  'from',
  'gasUsed',
  'logs',
  'logsBloom',
  'to',
  'transactionHash',
  'transactionIndex',
  'type',
] as const satisfies readonly (keyof Receipt)[]

const required: Readonly<Record<string, readonly string[]>> = {
  eth_getBlockByHash: blockMembers,
  eth_getBlockByNumber: blockMembers,
  eth_getTransactionByBlockHashAndIndex: transactionMembers,
  eth_getTransactionByBlockNumberAndIndex: transactionMembers,
  eth_getTransactionByHash: transactionMembers,
  eth_getTransactionReceipt: receiptMembers,
}

/**
 * The members that the contract requires of a method's result and that a node did not send: such an answer is passed on
 * as it is, and told of.
 * @param result normalised
 * @returns undefined when none is missing
 */
export function missingMembers(method: string, result: JsonValue): readonly string[] | undefined {
  const members = Object.hasOwn(required, method) ? required[method] : undefined
  if (members === undefined || !isObject(result)) return undefined
  let missing: string[] | undefined
  for (const member of members) {
    if (result[member] !== undefined) continue
    missing ??= []
    missing.push(member)
  }
  return missing
}
