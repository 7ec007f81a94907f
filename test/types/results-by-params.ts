/** Results that follow the parameters, by method, in batches and by name. This file only compiles. */

import type {
  Block,
  BlockSelector,
  BlockWithHashes,
  BlockWithTransactions,
  MinedBlock,
  MinedLog,
  MinedTransaction,
  MinedTransactionByIndex,
  Params,
  PendingBlock,
  PendingTransactionByIndex,
  Quantity,
  Receipt,
  ResultOf,
  Results,
  Transaction,
} from '../../generated/types.js'
import type { MethodName } from '../../src/service/node-access/index.js'
import { createClient, createProvider, sendRequest } from '../../src/service/node-access/index.js'
import { fits, ok, same } from './expect.js'

type Hex = `0x${string}`

const client = createClient('https://rpc.example/key')
const provider = createProvider(client)

type MinedHashes = (BlockWithHashes & MinedBlock) | null
type MinedObjects = (BlockWithTransactions & MinedBlock) | null
type PendingHashes = (BlockWithHashes & PendingBlock) | null
type PendingObjects = (BlockWithTransactions & PendingBlock) | null

export async function blocks(selector: BlockSelector, flag: boolean, either: 'latest' | 'pending') {
  const latest = await client.eth_getBlockByNumber('latest')
  same<typeof latest, MinedHashes>(ok)
  const numbered = await client.eth_getBlockByNumber('0x1', true)
  same<typeof numbered, MinedObjects>(ok)
  const first = await client.eth_getBlockByNumber('earliest', false)
  same<typeof first, MinedHashes>(ok)
  const pending = await client.eth_getBlockByNumber('pending')
  same<typeof pending, PendingHashes>(ok)
  const pendingObjects = await client.eth_getBlockByNumber('pending', true)
  same<typeof pendingObjects, PendingObjects>(ok)
  if (latest) same<typeof latest.number, Hex>(ok)
  if (latest) same<typeof latest.hash, Hex>(ok)
  if (pending) same<typeof pending.number, null>(ok)
  if (pending) same<typeof pending.hash, null>(ok)
  if (pending) same<typeof pending.logsBloom, null>(ok)
  const known = await client.eth_getBlockByHash('0x1')
  if (known) same<typeof known.number, Hex>(ok)
  const objects = await client.eth_getBlockByHash('0x1', true)
  if (objects) same<(typeof objects.transactions)[number]['from'], Hex>(ok)
  if (latest) fits<(typeof latest.transactions)[number], Hex>()
  for (const full of [numbered, objects]) {
    for (const transaction of full?.transactions ?? []) {
      same<typeof transaction.blockHash, Hex>(ok)
      same<typeof transaction.blockNumber, Hex>(ok)
      same<typeof transaction.transactionIndex, Hex>(ok)
      fits<typeof transaction, MinedTransaction>()
    }
    full?.transactions.map(({ blockNumber }) => same<typeof blockNumber, Hex>(ok))
  }
  const ofPending = pendingObjects?.transactions[0]
  if (ofPending) same<typeof ofPending.blockHash, Hex | null>(ok)

  const any = await client.eth_getBlockByNumber(selector)
  if (any) {
    same<typeof any.number, Hex | null>(ok)
    if (any.number !== null) same<typeof any.hash, Hex>(ok)
    else same<typeof any.hash, null>(ok)
  }
  const two = await client.eth_getBlockByNumber(either)
  fits<NonNullable<typeof two>, Block>()
  if (two?.number === null) same<typeof two.hash, null>(ok)
  const flagged = await client.eth_getBlockByNumber('latest', flag)
  if (flagged) same<typeof flagged.number, Hex>(ok)
  fits<typeof flagged, MinedHashes | MinedObjects>()
  const both = await client.eth_getBlockByNumber(selector, flag)
  fits<NonNullable<typeof both>, Block>()
  const ofAny = await client.eth_getBlockByNumber(selector, true)
  if (ofAny) fits<(typeof ofAny.transactions)[number], Transaction>()
  if (ofAny && ofAny.number !== null) fits<(typeof ofAny.transactions)[number], MinedTransaction>()
  // @ts-expect-error a block may be absent
  latest.number
  // @ts-expect-error a pending block has no number
  if (pending) pending.number satisfies Hex
  // @ts-expect-error any selector may mean the pending block
  if (any) any.number satisfies Hex
  // @ts-expect-error hashes have no sender
  latest?.transactions[0]?.from
  // @ts-expect-error the flag is a boolean
  client.eth_getBlockByNumber('latest', 'true')
}

export async function others(selector: BlockSelector) {
  const mined = await client.eth_getTransactionByBlockNumberAndIndex('latest', '0x0')
  same<typeof mined, MinedTransactionByIndex | null>(ok)
  if (mined) same<typeof mined.blockNumber, Hex>(ok)
  const pending = await client.eth_getTransactionByBlockNumberAndIndex('pending', '0x0')
  same<typeof pending, PendingTransactionByIndex | null>(ok)
  if (pending) same<typeof pending.blockHash, null>(ok)
  const any = await client.eth_getTransactionByBlockNumberAndIndex(selector, '0x0')
  same<typeof any, MinedTransactionByIndex | PendingTransactionByIndex | null>(ok)
  const byHash = await client.eth_getTransactionByBlockHashAndIndex('0x1', '0x0')
  same<typeof byHash, MinedTransactionByIndex | null>(ok)
  const known = await client.eth_getTransactionByHash('0x1')
  same<typeof known, Transaction | null>(ok)
  const logs = await client.eth_getLogs({ fromBlock: '0x1', toBlock: '0x2' })
  same<typeof logs, readonly MinedLog[]>(ok)
  const ofBlock = await client.eth_getLogs({ blockHash: '0x1' })
  same<typeof ofBlock, readonly MinedLog[]>(ok)
  const receipt = await client.eth_getTransactionReceipt('0x1')
  if (receipt) same<(typeof receipt.logs)[number]['blockNumber'], Hex>(ok)
}

export async function batches() {
  const [mined, pending, balance] = await client.batch((call) => [
    call.eth_getBlockByNumber('0x1', true),
    call.eth_getBlockByNumber('pending'),
    call.eth_getBalance('0x1'),
  ])
  if (mined.status === 'fulfilled') same<typeof mined.value, MinedObjects>(ok)
  if (pending.status === 'fulfilled') same<typeof pending.value, PendingHashes>(ok)
  if (balance.status === 'fulfilled') same<typeof balance.value, Quantity>(ok)
  // @ts-expect-error the calls of a batch have no options of their own
  client.batch((call) => [call.eth_getBalance('0x1', 'latest', {})])
  // @ts-expect-error parameters are checked in a batch
  client.batch((call) => [call.eth_getBalance('1')])
}

export async function requests(signal: AbortSignal) {
  same<Awaited<ReturnType<typeof client.request<'eth_getBalance', Params['eth_getBalance']>>>, Hex>(ok)
  const balance = await client.request('eth_getBalance', ['0x1', 'latest'])
  same<typeof balance, Hex>(ok)
  const chain = await client.request('eth_chainId')
  same<typeof chain, Hex>(ok)
  const logs = await client.request('eth_getLogs', [{ fromBlock: '0x1' }], { signal })
  same<typeof logs, readonly MinedLog[]>(ok)
  const latest = await client.request('eth_getBlockByNumber', ['latest'])
  same<typeof latest, MinedHashes>(ok)
  const objects = await client.request('eth_getBlockByNumber', ['0x1', true])
  same<typeof objects, MinedObjects>(ok)
  const pending = await client.request('eth_getBlockByNumber', ['pending', false])
  same<typeof pending, PendingHashes>(ok)
  const receipt = await client.request('eth_getTransactionReceipt', ['0x1'])
  same<typeof receipt, Receipt | null>(ok)
  await client.request('net_version', [], { timeoutMilliseconds: 5 })
  const other = await sendRequest(client, 'debug_traceTransaction', ['0x1'])
  same<typeof other, unknown>(ok)
  type Trace = {
    readonly method: 'debug_traceTransaction'
    readonly params: readonly [Hex]
    readonly result: { readonly gas: number }
  }
  const sent = await sendRequest<Trace>(client, 'debug_traceTransaction', ['0x1'])
  same<typeof sent, Trace['result']>(ok)
  const trace = await client.request<Trace>('debug_traceTransaction', ['0x1'], { signal })
  same<typeof trace, Trace['result']>(ok)
  const provided = await provider.request<Trace>({ method: 'debug_traceTransaction', params: ['0x1'] })
  same<typeof provided, Trace['result']>(ok)
  // @ts-expect-error parameters that the caller's type refuses
  client.request<Trace>('debug_traceTransaction', [1])
  // @ts-expect-error another name than that of the caller's type
  client.request<Trace>('debug_traceBlock', ['0x1'])
  // @ts-expect-error a method that the contract lacks, without types
  client.request('debug_traceTransaction', ['0x1'])
  // @ts-expect-error parameters are missing
  client.request('eth_getBalance')
  // @ts-expect-error a required parameter is missing
  client.request('eth_getBalance', [])
  // @ts-expect-error an address without 0x
  client.request('eth_getBalance', ['1'])
  // @ts-expect-error a tag that the contract lacks
  client.request('eth_getBlockByNumber', ['safe'])
  // @ts-expect-error one parameter too many
  client.request('eth_chainId', ['0x1'])
  // @ts-expect-error a member that the contract lacks
  client.request('eth_getLogs', [{ fromBlok: '0x1' }])
  // @ts-expect-error a hash beside a range
  client.request('eth_getLogs', [{ blockHash: '0x1', fromBlock: '0x1' }])
}

export async function provided(method: string, signal: AbortSignal) {
  const balance = await provider.request({ method: 'eth_getBalance', params: ['0x1', 'latest'] })
  same<typeof balance, Hex>(ok)
  const chain = await provider.request({ method: 'eth_chainId' }, { signal })
  same<typeof chain, Hex>(ok)
  const pending = await provider.request({ method: 'eth_getBlockByNumber', params: ['pending', true] })
  same<typeof pending, PendingObjects>(ok)
  const other = await provider.request({ method: 'wallet_addEthereumChain', params: [{}] })
  same<typeof other, unknown>(ok)
  const any = await provider.request({ method })
  same<typeof any, unknown>(ok)
  // @ts-expect-error an index in place of the address
  provider.request({ method: 'eth_getBalance', params: [1, 'latest'] })
  // @ts-expect-error a tag that the contract lacks
  provider.request({ method: 'eth_getBlockByNumber', params: ['finalized', true] })
}

/** Results and parameters by the name of a method. */
same<MethodName, keyof Results>(ok)
same<ResultOf<'eth_getBalance'>, Hex>(ok)
same<ResultOf<'eth_getBlockByNumber', ['latest', true]>, MinedObjects>(ok)
same<ResultOf<'eth_getBlockByNumber', readonly ['pending']>, PendingHashes>(ok)
same<ResultOf<'eth_getBlockByNumber', ['0x1', undefined]>, MinedHashes>(ok)
same<ResultOf<'eth_getTransactionByBlockNumberAndIndex', ['pending', Hex]>, PendingTransactionByIndex | null>(
  ok,
)
fits<ResultOf<'eth_getBlockByNumber'>, Results['eth_getBlockByNumber']>()
same<ResultOf<'eth_getLogs'>, readonly MinedLog[]>(ok)
same<ResultOf<'eth_chainId' | 'net_version'>, string>(ok)
same<Params['eth_chainId'], readonly []>(ok)
same<Params['eth_getBlockByNumber'], readonly [blockSelector: BlockSelector, fullTransactions?: boolean]>(ok)
// @ts-expect-error a method that the contract lacks
fits<ResultOf<'eth_mining'>, unknown>()
