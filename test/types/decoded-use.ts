/**
 * Uses of a client with decoded values, as types: this file only compiles. Lines that must not compile are marked as
 * errors.
 */

import type { Client as WireClient } from '../../generated/client.js'
import type {
  Block,
  BlockTag,
  Log,
  MinedLog,
  Receipt,
  Results,
  Transaction,
} from '../../generated/decoded.js'
import type { Hash, Block as WireBlock, Receipt as WireReceipt } from '../../generated/types.js'
import {
  type ChainCursor,
  createClient,
  type DecodedClient,
  isRpcError,
  logPages,
  logs,
  quantities,
  waitForReceipt,
  watchBlocks,
  watchLogs,
} from '../../src/service/node-access/index.js'
import { fits, ok, same } from './expect.js'

const client = createClient('https://rpc.example/key', { decode: quantities, timeoutMilliseconds: 1_000 })
same<typeof client, DecodedClient>(ok)
const wire = createClient('https://rpc.example/key', { timeoutMilliseconds: 1_000 })
same<typeof wire, WireClient>(ok)

const address = '0x00000000000000000000000000000000c0ffee01'
const hash: Hash = '0x1'

export async function results() {
  const values = {
    balance: await client.eth_getBalance(address, 'latest'),
    number: await client.eth_blockNumber(),
    chainId: await client.eth_chainId(),
    count: await client.eth_getBlockTransactionCountByNumber('latest'),
    nonce: await client.eth_getTransactionCount(address),
    code: await client.eth_getCode(address, 1n),
    word: await client.eth_getStorageAt(address, '0x0', 1),
    wordByNumber: await client.eth_getStorageAt(address, 0, 1),
    wordByBigint: await client.eth_getStorageAt(address, 2n ** 255n, 1),
    network: await client.net_version(),
  }
  same<
    typeof values,
    {
      balance: bigint
      number: bigint
      chainId: number
      count: number | null
      nonce: number
      code: `0x${string}`
      word: `0x${string}`
      wordByNumber: `0x${string}`
      wordByBigint: `0x${string}`
      network: string
    }
  >(ok)
  const found = await client.eth_getLogs({ fromBlock: 1n, toBlock: 'latest', topics: [null] })
  same<typeof found, readonly MinedLog[]>(ok)
  const mined = await client.eth_getBlockByNumber('latest')
  if (mined) same<typeof mined.number, bigint>(ok)
  const pending = await client.eth_getBlockByNumber('pending', true)
  if (pending) same<typeof pending.number, null>(ok)
  const requested = await client.request('eth_getBalance', [address, 5n])
  same<typeof requested, bigint>(ok)
  const [outcome] = await client.batch((call) => [call.eth_getBalance(address, 5n), call.eth_chainId()])
  if (outcome.status === 'fulfilled') same<typeof outcome.value, bigint>(ok)
  same<Results['eth_gasPrice'], bigint>(ok)
}

export function objects(block: Block, transaction: Transaction, receipt: Receipt, log: Log, raw: WireBlock) {
  same<Block['timestamp'], bigint>(ok)
  same<Block['number'], bigint | null>(ok)
  same<Block['hash'], Hash | null>(ok)
  same<Transaction['nonce'], number>(ok)
  same<Transaction['value'], bigint>(ok)
  same<Transaction['transactionIndex'], number | null>(ok)
  same<Receipt['status'], 0 | 1 | undefined>(ok)
  same<Log['logIndex'], number | null>(ok)
  if (block.hash !== null) same<typeof block.number, bigint>(ok)
  if (transaction.blockHash !== null) same<typeof transaction.transactionIndex, number>(ok)
  if (receipt.root !== undefined) same<typeof receipt.status, undefined>(ok)
  if (log.blockHash !== null) same<typeof log.blockNumber, bigint>(ok)
  // @ts-expect-error the wire form is not a decoded block
  const mistaken: Block = raw
  return mistaken
}

export async function chain(signal: AbortSignal) {
  for await (const log of logs(client, { address, fromBlock: 5n, toBlock: 'latest' })) {
    same<typeof log, MinedLog>(ok)
    same<typeof log.blockNumber, bigint>(ok)
  }
  for await (const page of logPages(client, { fromBlock: 5 }, { signal })) {
    if (page.kind === 'logs') same<typeof page.logs, readonly MinedLog[]>(ok)
    same<typeof page.cursor, ChainCursor>(ok)
    break
  }
  for await (const page of watchLogs(client, { fromBlock: 5n })) {
    if (page.kind === 'logs') same<typeof page.logs, readonly MinedLog[]>(ok)
    break
  }
  for await (const page of watchBlocks(client, { fromBlock: 5n })) {
    if (page.kind === 'block') same<typeof page.block.number, bigint>(ok)
    if (page.kind === 'block') fits<(typeof page.block.transactions)[number], Hash>()
    break
  }
  for await (const page of watchBlocks(client, { fullTransactions: true })) {
    if (page.kind === 'block') same<(typeof page.block.transactions)[number]['blockNumber'], bigint>(ok)
    break
  }
  for await (const page of watchBlocks(wire, { fullTransactions: true })) {
    if (page.kind === 'block') same<(typeof page.block.transactions)[number]['blockNumber'], Hash>(ok)
    break
  }
  const receipt = await waitForReceipt(client, hash, { sent: { from: address, nonce: 5 } })
  same<typeof receipt, Receipt>(ok)
  for await (const log of logs(wire, { fromBlock: '0x5' })) same<typeof log.blockNumber, Hash>(ok)
  same<Awaited<ReturnType<typeof waitForReceipt<WireReceipt>>>, WireReceipt>(ok)
  // @ts-expect-error a quantity of the wire
  logs(client, { fromBlock: '0x5' })
  // @ts-expect-error the wire client takes no bigint
  logs(wire, { fromBlock: 5n })
  // @ts-expect-error the wire client takes no bigint
  watchBlocks(wire, { fromBlock: 5n })
}

export async function parameters(tag: BlockTag) {
  await client.eth_getBalance(address, 5)
  await client.eth_getBalance(address, 5n)
  await client.eth_getBalance(address, tag)
  await client.eth_getBalance(address, hash)
  await client.eth_getBlockByNumber(5n, true)
  await client.eth_getTransactionByBlockHashAndIndex(hash, 0)
  await client.eth_call({ to: address, value: 1n, gas: 21_000, nonce: null }, 'latest')
  await client.eth_estimateGas({ to: address, value: 1n })
  // @ts-expect-error a quantity of the wire
  await client.eth_getBlockByNumber('0x5', true)
  // @ts-expect-error a quantity of the wire
  await client.eth_call({ to: address, value: '0x1' }, 'latest')
  // @ts-expect-error an unknown tag
  await client.eth_getBalance(address, 'finalized')
  // @ts-expect-error an address is not a quantity
  await client.eth_getBalance(5n, 'latest')
  // @ts-expect-error the wire client takes no bigint
  await wire.eth_getBalance(address, 5n)
}

export function errors(error: unknown) {
  if (isRpcError(error, 'invalidParams') && error.data && 'from' in error.data) {
    same<typeof error.data.from, `0x${string}`>(ok)
  }
}
