/** Every method of a client and of a batch, where tests ask the language server what an editor shows. */

import type { BatchCalls, Client, CommonErrorName } from '../../generated/client.js'

export const ofClient = (client: Client) => [
  client.eth_accounts,
  client.eth_blockNumber,
  client.eth_call,
  client.eth_chainId,
  client.eth_estimateGas,
  client.eth_gasPrice,
  client.eth_getBalance,
  client.eth_getBlockByHash,
  client.eth_getBlockByNumber,
  client.eth_getBlockTransactionCountByHash,
  client.eth_getBlockTransactionCountByNumber,
  client.eth_getCode,
  client.eth_getLogs,
  client.eth_getStorageAt,
  client.eth_getTransactionByBlockHashAndIndex,
  client.eth_getTransactionByBlockNumberAndIndex,
  client.eth_getTransactionByHash,
  client.eth_getTransactionCount,
  client.eth_getTransactionReceipt,
  client.eth_getUncleCountByBlockHash,
  client.eth_getUncleCountByBlockNumber,
  client.eth_protocolVersion,
  client.eth_sendRawTransaction,
  client.net_version,
  client.web3_clientVersion,
  client.web3_sha3,
]

export const ofBatch = (call: BatchCalls) => [
  call.eth_accounts,
  call.eth_blockNumber,
  call.eth_call,
  call.eth_chainId,
  call.eth_estimateGas,
  call.eth_gasPrice,
  call.eth_getBalance,
  call.eth_getBlockByHash,
  call.eth_getBlockByNumber,
  call.eth_getBlockTransactionCountByHash,
  call.eth_getBlockTransactionCountByNumber,
  call.eth_getCode,
  call.eth_getLogs,
  call.eth_getStorageAt,
  call.eth_getTransactionByBlockHashAndIndex,
  call.eth_getTransactionByBlockNumberAndIndex,
  call.eth_getTransactionByHash,
  call.eth_getTransactionCount,
  call.eth_getTransactionReceipt,
  call.eth_getUncleCountByBlockHash,
  call.eth_getUncleCountByBlockNumber,
  call.eth_protocolVersion,
  call.eth_sendRawTransaction,
  call.net_version,
  call.web3_clientVersion,
  call.web3_sha3,
]

export const completed = (client: Client) => client.eth_getBalance('0x1', 'latest')

export const isCommon = (name: CommonErrorName | undefined) => name !== undefined
