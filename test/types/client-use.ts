/**
 * Uses of the generated client, as types: this file only compiles. Lines that must not compile are marked as errors.
 * tsc checks it twice: with the project, and as browser code without Node.js types.
 */

import type {
  Block,
  BlockWithHashes,
  BlockWithTransactions,
  Hash,
  LogsRange,
  MinedBlock,
  MinedLog,
  MinedTransactionByIndex,
  ParameterProblems,
  Quantity,
  QuotaState,
  Receipt,
  Transaction,
} from '../../generated/types.js'
import type { Outcome, TransportError } from '../../src/runtime/client/index.js'
import {
  type Client,
  createClient,
  createProvider,
  type DecodedClient,
  isRpcError,
  type MethodError,
  type ServiceError,
} from '../../src/service/node-access/index.js'
import { fits, ok, same } from './expect.js'

const client = createClient('https://rpc.example/key', { timeoutMilliseconds: 1_000, headers: { a: 'b' } })
createClient('https://rpc.example/key', { headers: async () => ({ authorization: 'Bearer token' }) })
client.eth_chainId({ headers: { traceparent: '00-1-2-01' } })

export async function results(flag: boolean, signal: AbortSignal) {
  const hashes = await client.eth_getBlockByNumber('latest', false)
  same<typeof hashes, (BlockWithHashes & MinedBlock) | null>(ok)
  const first: Hash | undefined = hashes?.transactions[0]
  const objects = await client.eth_getBlockByNumber('latest', true)
  same<typeof objects, (BlockWithTransactions & MinedBlock) | null>(ok)
  const from: string | undefined = objects?.transactions[0]?.from
  const absent = await client.eth_getBlockByHash('0x1')
  same<typeof absent, (MinedBlock & BlockWithHashes) | null>(ok)
  const either = await client.eth_getBlockByNumber('latest', flag)
  same<typeof either, ((BlockWithHashes | BlockWithTransactions) & MinedBlock) | null>(ok)
  const block: Block | null = either
  const narrowed = await client.eth_getBlockByNumber('latest', undefined, { signal })
  same<typeof narrowed, (BlockWithHashes & MinedBlock) | null>(ok)

  const lookups = {
    byHash: await client.eth_getTransactionByHash('0x1'),
    byIndex: await client.eth_getTransactionByBlockHashAndIndex('0x1', '0x0', { timeoutMilliseconds: 5 }),
    receipt: await client.eth_getTransactionReceipt('0x1'),
    count: await client.eth_getUncleCountByBlockNumber('latest'),
  }
  same<
    typeof lookups,
    {
      byHash: Transaction | null
      byIndex: MinedTransactionByIndex | null
      receipt: Receipt | null
      count: Quantity | null
    }
  >(ok)
  const logs = await client.eth_getLogs({ fromBlock: '0x0', topics: [null, ['0x1']] })
  same<typeof logs, readonly MinedLog[]>(ok)
  const balance: string = await client.eth_getBalance('0x1', undefined, { signal, timeoutMilliseconds: 5 })
  return { first, from, block, balance, chain: await client.eth_chainId({ signal }) }
}

export async function mistakes() {
  // @ts-expect-error a method that the contract does not have
  client.eth_getBlocks()
  // @ts-expect-error a parameter is missing
  client.eth_call({ to: '0x1' })
  // @ts-expect-error a parameter of another type
  client.eth_getBalance(1)
  // @ts-expect-error a member that is required is missing
  client.eth_call({ gas: '0x1' }, 'latest')
  // @ts-expect-error one parameter too many
  client.eth_getLogs({}, {}, {})
  // @ts-expect-error options in the place of a parameter
  client.eth_getBalance('0x1', { timeoutMilliseconds: 5 })
  // @ts-expect-error an option that there is not
  client.eth_chainId({ timeout: 5 })
  // @ts-expect-error null for an optional parameter
  client.eth_getBalance('0x1', null)
  const hashes = await client.eth_getBlockByNumber('latest', false)
  // @ts-expect-error a block may be null
  hashes.number
  // @ts-expect-error hashes have no sender
  hashes?.transactions[0]?.from
  // @ts-expect-error results are read only
  if (hashes) hashes.number = '0x1'
  // @ts-expect-error the client's functions are read only
  client.eth_chainId = async () => '0x1'
  // @ts-expect-error a URL is needed
  createClient()
}

export async function batches(list: readonly Hash[], flag: boolean) {
  const [chainId, block, receipt] = await client.batch((call) => [
    call.eth_chainId(),
    call.eth_getBlockByNumber('latest', true),
    call.eth_getTransactionReceipt('0x1'),
  ])
  type Reason = ServiceError | TransportError
  same<typeof chainId, Outcome<Quantity, Reason>>(ok)
  same<typeof block, Outcome<(BlockWithTransactions & MinedBlock) | null, Reason>>(ok)
  same<typeof receipt, Outcome<Receipt | null, Reason>>(ok)
  if (block.status === 'fulfilled') same<typeof block.value, (BlockWithTransactions & MinedBlock) | null>(ok)
  else if (block.reason.name === 'TransportError') block.reason.kind satisfies string
  else block.reason.code satisfies number

  const many = await client.batch((call) => list.map((hash) => call.eth_getTransactionReceipt(hash)))
  same<typeof many, readonly Outcome<Receipt | null, Reason>[]>(ok)
  const none = await client.batch(() => [])
  same<typeof none, readonly []>(ok)
  await client.batch((call) => (flag ? [call.eth_chainId()] : [call.net_version()]), {
    timeoutMilliseconds: 9,
  })

  // @ts-expect-error there is no fourth outcome
  ;(await client.batch((call) => [call.eth_chainId()]))[3]
  // @ts-expect-error a batch takes calls that its argument makes, not promises
  client.batch(() => [client.eth_chainId()])
  // @ts-expect-error a list of calls is needed
  client.batch((call) => call.eth_chainId())
  // @ts-expect-error the calls of a batch share its options
  client.batch((call) => [call.eth_chainId({ timeoutMilliseconds: 5 })])
}

/** Every error of the contract has a branch. A new error does not compile without one. */
export function told(error: ServiceError): string {
  switch (error.error) {
    case 'parseError':
    case 'invalidRequest':
    case 'methodNotFound':
    case 'unauthorized':
    case 'unavailable':
    case 'blockNotFound':
    case 'transactionRejected':
      return error.message
    case 'invalidParams':
      same<typeof error.data, ParameterProblems | LogsRange | undefined>(ok)
      same<typeof error.code, -32602>(ok)
      return error.data && 'from' in error.data ? error.data.to : (error.data?.[0]?.path ?? '')
    case 'internalError':
      return error.data?.reference ?? ''
    case 'limitExceeded':
      same<typeof error.data, QuotaState | undefined>(ok)
      return `${error.data?.resetAt} ${error.retryAfterSeconds ?? 0} ${error.httpStatus}`
    case 'executionReverted':
      same<typeof error.code, 3>(ok)
      return error.data ?? ''
    case undefined:
      fits<typeof error.code, number>()
      return String(error.code)
    default:
      return error satisfies never
  }
}

export function caught(error: unknown) {
  if (isRpcError(error, 'limitExceeded')) same<typeof error.data, QuotaState | undefined>(ok)
  if (isRpcError(error, 'unauthorized')) same<typeof error.code, -32016>(ok)
  if (isRpcError(error)) told(error)
  // @ts-expect-error a name that the contract does not have
  isRpcError(error, 'tooBad')
  if (isRpcError(error, 'limitExceeded')) {
    // @ts-expect-error a member that this error's data does not have
    error.data?.reference
  }
}

export function ofMethod(error: MethodError<'eth_chainId'>, other: MethodError<'eth_call'>) {
  if (other.error === 'executionReverted') same<typeof other.code, 3>(ok)
  // @ts-expect-error eth_chainId declares no revert
  error.error === 'executionReverted'
}

export function providers(other: Client, decoded: DecodedClient) {
  createProvider('https://rpc.example/key', { timeoutMilliseconds: 5 })
  createProvider(other)
  createProvider(decoded, { accounts: ['0x00000000000000000000000000000000c0ffee01'] })
  // @ts-expect-error a client has its options already
  createProvider(other, { timeoutMilliseconds: 5 })
}

/** Other fetch implementations are accepted. */
createClient(new URL('https://rpc.example/key'), { fetch })
createClient('https://rpc.example/key', {
  fetch: (url, request) => fetch(url, { ...request, keepalive: true }),
})
