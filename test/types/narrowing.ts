/** Types of conditions: filters, calls, blocks, transactions, logs and receipts. This file only compiles. */

import type {
  Block,
  Log,
  LogFilter,
  MinedBlock,
  MinedLog,
  PendingBlock,
  Receipt,
  Transaction,
} from '../../generated/types.js'
import { createClient } from '../../src/service/node-access/index.js'
import { fits, ok, same } from './expect.js'

type Hex = `0x${string}`

const client = createClient('https://rpc.example/key')
const hash: Hex = '0x01'

export function filters(topics: Hex[], range: { fromBlock: Hex; toBlock: Hex }) {
  client.eth_getLogs({})
  client.eth_getLogs({ blockHash: hash })
  client.eth_getLogs({ blockHash: hash, address: hash, topics: [hash] })
  client.eth_getLogs({ blockHash: hash, fromBlock: null, toBlock: null })
  client.eth_getLogs({ blockHash: null, fromBlock: '0x1' })
  client.eth_getLogs({ fromBlock: '0x1', toBlock: 'latest' })
  client.eth_getLogs(range)
  client.eth_getLogs({ address: [hash, hash] })
  client.eth_getLogs({ topics: [] })
  client.eth_getLogs({ topics: [hash, null, [hash], [hash, hash]] })
  client.eth_getLogs({ topics: [topics, topics, null, hash] })
  client.eth_getLogs({ chainId: 31 })
  // @ts-expect-error a hash beside the first block of a range
  client.eth_getLogs({ blockHash: hash, fromBlock: '0x1' })
  // @ts-expect-error a hash beside the last block of a range
  client.eth_getLogs({ blockHash: hash, toBlock: 'latest' })
  // @ts-expect-error a hash beside a range
  client.eth_getLogs({ blockHash: hash, ...range })
  // @ts-expect-error five topics
  client.eth_getLogs({ topics: [null, null, null, null, hash] })
  // @ts-expect-error a list of any length as topics
  client.eth_getLogs({ topics })
  // @ts-expect-error a topic without 0x
  client.eth_getLogs({ topics: ['ab'] })
  // @ts-expect-error a tag that the contract lacks
  client.eth_getLogs({ fromBlock: 'safe' })
  // @ts-expect-error a member that the contract lacks
  client.eth_getLogs({ fromBlok: '0x1' })
  // @ts-expect-error an address without 0x
  client.eth_getLogs({ address: ['ab'] })
  // @ts-expect-error no filter
  client.eth_getLogs()
}

export function calls() {
  client.eth_estimateGas({ to: hash })
  client.eth_estimateGas({ data: hash })
  client.eth_estimateGas({ input: hash })
  client.eth_estimateGas({ to: null, data: hash })
  client.eth_estimateGas({ to: hash, data: null, value: '0x1' })
  client.eth_estimateGas({ from: hash, data: hash, input: hash })
  client.eth_call({ to: hash }, 'latest')
  client.eth_call({ to: hash, data: null }, '0x1')
  // @ts-expect-error a creation without code
  client.eth_estimateGas({})
  // @ts-expect-error a creation without code
  client.eth_estimateGas({ from: hash })
  // @ts-expect-error a creation without code
  client.eth_estimateGas({ to: null })
  // @ts-expect-error code that is null
  client.eth_estimateGas({ data: null })
  // @ts-expect-error code that is null, twice
  client.eth_estimateGas({ to: null, data: null, input: null })
  // @ts-expect-error a member that the contract lacks
  client.eth_estimateGas({ to: hash, gasLimit: '0x1' })
  client.eth_call({ data: hash }, 'latest')
  client.eth_call({ to: null, input: hash }, 'latest')
  // @ts-expect-error a call of null without data
  client.eth_call({ to: null }, 'latest')
  // @ts-expect-error a call without a block
  client.eth_call({ to: hash })
  // @ts-expect-error an access list without keys
  client.eth_call({ to: hash, accessList: [{ address: hash }] }, 'latest')
}

export function blocks(block: Block) {
  same<Block['number'], Hex | null>(ok)
  if (block.number === null) {
    same<typeof block.hash, null>(ok)
    same<typeof block.logsBloom, null>(ok)
    same<typeof block.miner, Hex | null>(ok)
  } else {
    same<typeof block.hash, Hex>(ok)
    same<typeof block.logsBloom, Hex>(ok)
    same<typeof block.miner, Hex>(ok)
  }
  if (block.hash !== null) same<typeof block.number, Hex>(ok)
  if (block.hash === null) same<typeof block.number, null>(ok)
  same<MinedBlock['number'], Hex>(ok)
  same<MinedBlock['hash'], Hex>(ok)
  same<MinedBlock['logsBloom'], Hex>(ok)
  same<MinedBlock['miner'], Hex>(ok)
  same<PendingBlock['number'], null>(ok)
  same<PendingBlock['hash'], null>(ok)
  same<PendingBlock['logsBloom'], null>(ok)
  same<PendingBlock['parentHash'], Hex>(ok)
  fits<MinedBlock, Block>()
  fits<PendingBlock, Block>()
  // @ts-expect-error a block may be pending
  fits<Block, MinedBlock>()
  // @ts-expect-error a mined block is not pending
  fits<MinedBlock, PendingBlock>()
  // @ts-expect-error results are read only
  block.gasUsed = '0x1'
}

export function transactions(transaction: Transaction) {
  if (transaction.blockHash !== null) {
    same<typeof transaction.blockNumber, Hex>(ok)
    same<typeof transaction.transactionIndex, Hex>(ok)
  } else {
    same<typeof transaction.blockNumber, null>(ok)
    same<typeof transaction.transactionIndex, null>(ok)
  }
  if (transaction.transactionIndex === null) same<typeof transaction.blockHash, null>(ok)
  same<Transaction['to'], Hex | null>(ok)
  same<Transaction['value'], Hex>(ok)
}

export function logs(log: Log, mined: MinedLog) {
  if (log.blockHash !== null) {
    same<typeof log.blockNumber, Hex>(ok)
    same<typeof log.logIndex, Hex>(ok)
    same<typeof log.transactionHash, Hex>(ok)
  } else same<typeof log.transactionIndex, null>(ok)
  if (log.logIndex !== null) same<typeof log.blockHash, Hex>(ok)
  same<typeof mined.blockNumber, Hex>(ok)
  same<typeof mined.blockHash, Hex>(ok)
  same<typeof mined.transactionIndex, Hex>(ok)
  same<Log['topics'], [] | [Hex, ...Hex[]]>(ok)
  fits<MinedLog, Log>()
  // @ts-expect-error a log may be pending
  fits<Log, MinedLog>()
  // @ts-expect-error a log may have no topics
  log.topics[0] satisfies Hex
}

export function receipts(receipt: Receipt) {
  if (receipt.status !== undefined) {
    same<typeof receipt.status, '0x0' | '0x1'>(ok)
    same<typeof receipt.root, undefined>(ok)
  } else same<typeof receipt.root, Hex>(ok)
  if (receipt.status === '0x1') same<typeof receipt.root, undefined>(ok)
  if (receipt.root !== undefined) same<typeof receipt.status, undefined>(ok)
  same<Receipt['logs'], readonly MinedLog[]>(ok)
  same<Receipt['blockNumber'], Hex>(ok)
  same<Receipt['contractAddress'], Hex | null>(ok)
  // @ts-expect-error a status that the contract lacks
  receipt.status === '0x2'
}

export function kept(filter: LogFilter) {
  if (filter.blockHash) same<typeof filter.fromBlock, null | undefined>(ok)
}
