export {
  type CallOptions,
  type ClientOptions,
  clientDefaults,
  createResultValidator,
  type Fetch,
  isTransportError,
  type Middleware,
  type MiddlewareCall,
  type Next,
  type Outcome,
  type OwnMethod,
  type PlainCallOptions,
  type PlainClientOptions,
  type Quota,
  type ResultValidatorOptions,
  type RetryOptions,
  sendRequest,
  TransportError,
  type TransportTrouble,
  tolerances,
} from '@concordat/client'
export {
  type BatchCalls,
  type Client,
  createClient,
  createPlainClient,
  isRpcError,
  type MethodError,
  type MethodName,
  type PlainClient,
  type ServiceError,
  type ServiceErrorName,
} from '@concordat/node-access-contract/client'
export { type Client as DecodedClient, quantities } from '@concordat/node-access-contract/decoded'
export type * from '@concordat/node-access-contract/types'
export { type BlockPosition, type ChainCursor, ReorgError, type Rollback } from './chain/chain-cursor.js'
export type { AnyBlock, AnySelector, BlockReader, MinedBlock } from './chain/chain-reader.js'
export { type PollOptions, pollDefaults } from './chain/poll.js'
export {
  type AnyLog,
  type LogClient,
  type LogPage,
  type LogRange,
  type LogsOptions,
  logsDefaults,
  type MinedLog,
} from './chain/read-logs.js'
export {
  createProvider,
  type Provider,
  type ProviderListener,
  type ProviderOptions,
  type ProviderParams,
} from './create-provider.js'
export { logPages, logs } from './logs.js'
export { ProviderError } from './provider-error.js'
export {
  type SendClient,
  type SendOptions,
  type Signer,
  sendTransaction,
  type TransactionToSend,
  type UnsignedTransaction,
} from './send-transaction.js'
export {
  type ReceiptClient,
  ReceiptError,
  type ReceiptOptions,
  receiptDefaults,
  type SentTransaction,
  waitForReceipt,
} from './wait-for-receipt.js'
export { type BlockPage, type WatchBlocksOptions, watchBlocks } from './watch-blocks.js'
export { type WatchLogsOptions, watchLogs } from './watch-logs.js'
