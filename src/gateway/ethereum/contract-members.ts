import type { Block, Receipt, Transaction } from '../../../generated/types.js'

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
