/** Types of hexadecimal strings and tags: this file only compiles. */

import type {
  Address,
  AddressInput,
  BlockByHash,
  BlockByNumber,
  BlockNumberInput,
  BlockSelector,
  BlockTag,
  Bloom,
  Data,
  DataInput,
  Hash,
  HashInput,
  IndexPosition,
  MinedBlockSelector,
  NetworkNumber,
  Quantity,
  QuantityInput,
  RawTransactionInput,
  SignaturePart,
  StateSelector,
  StoragePosition,
  StorageWord,
  Topic,
  TopicInput,
} from '../../generated/types.js'
import { createClient } from '../../src/service/node-access/index.js'
import { ok, same } from './expect.js'

type Hex = `0x${string}`

const client = createClient('https://rpc.example/key')

/** Strings with the prefix of the contract's pattern are template types. */
same<Quantity, Hex>(ok)
same<QuantityInput, Hex>(ok)
same<Hash, Hex>(ok)
same<HashInput, Hex>(ok)
same<Address, Hex>(ok)
same<AddressInput, Hex>(ok)
same<Data, Hex>(ok)
same<DataInput, Hex>(ok)
same<RawTransactionInput, Hex>(ok)
same<Topic, Hex>(ok)
same<TopicInput, Hex>(ok)
same<Bloom, Hex>(ok)
same<StorageWord, Hex>(ok)
same<SignaturePart, Hex>(ok)
same<BlockNumberInput, Hex>(ok)
same<IndexPosition, Hex>(ok)
same<StoragePosition, Hex>(ok)

/** A pattern without a fixed prefix is a string. */
same<NetworkNumber, string>(ok)

/** Tags stay literals beside a template, so that editors complete them. */
same<BlockTag, 'latest' | 'earliest' | 'pending'>(ok)
same<BlockSelector, Hex | 'latest' | 'earliest' | 'pending'>(ok)
same<StateSelector, Hex | 'latest' | 'earliest' | 'pending' | BlockByHash | BlockByNumber>(ok)
same<MinedBlockSelector, Hex | 'latest' | 'earliest'>(ok)

export async function results() {
  same<Awaited<ReturnType<typeof client.eth_blockNumber>>, Hex>(ok)
  same<Awaited<ReturnType<typeof client.eth_getBalance>>, Hex>(ok)
  same<Awaited<ReturnType<typeof client.eth_call>>, Hex>(ok)
  same<Awaited<ReturnType<typeof client.eth_getCode>>, Hex>(ok)
  same<Awaited<ReturnType<typeof client.eth_getStorageAt>>, Hex>(ok)
  same<Awaited<ReturnType<typeof client.eth_sendRawTransaction>>, Hex>(ok)
  same<Awaited<ReturnType<typeof client.web3_sha3>>, Hex>(ok)
  same<Awaited<ReturnType<typeof client.eth_getTransactionCount>>, Hex>(ok)
  same<Awaited<ReturnType<typeof client.eth_getUncleCountByBlockHash>>, Hex | null>(ok)
  same<Awaited<ReturnType<typeof client.net_version>>, string>(ok)
  same<Awaited<ReturnType<typeof client.web3_clientVersion>>, string>(ok)
  same<Awaited<ReturnType<typeof client.eth_accounts>>, readonly []>(ok)
}

export async function accepted(address: Hex, number: bigint) {
  await client.eth_getBalance(address, 'latest')
  await client.eth_getBalance(address, 'earliest')
  await client.eth_getBalance(address, 'pending')
  await client.eth_getBalance(address, `0x${number.toString(16)}`)
  await client.eth_getBalance(address, `0x${'ab'.repeat(32)}`)
  await client.eth_getBlockByNumber(`0x${number.toString(16)}`)
}

export async function refused(text: string) {
  // @ts-expect-error an address without 0x
  client.eth_getBalance('a6f10b224886bce8fc263d47885f1d474a764b71')
  // @ts-expect-error any string as an address
  client.eth_getBalance(text)
  // @ts-expect-error a number as an address
  client.eth_getBalance(1)
  // @ts-expect-error a tag that the contract lacks
  client.eth_getBalance('0x1', 'safe')
  // @ts-expect-error a tag that the contract lacks
  client.eth_getBalance('0x1', 'finalized')
  // @ts-expect-error a tag in another case
  client.eth_getBalance('0x1', 'Latest')
  // @ts-expect-error a decimal number
  client.eth_getBalance('0x1', '5')
  // @ts-expect-error a bigint
  client.eth_getBalance('0x1', 5n)
  // @ts-expect-error any string as a tag
  client.eth_getBlockByNumber(text)
  // @ts-expect-error a tag that the contract lacks
  client.eth_getBlockByNumber('safe')
  // @ts-expect-error a tag that the contract lacks
  client.eth_call({ to: '0x1' }, 'finalized')
  // @ts-expect-error a tag where a hash is needed
  client.eth_getBlockByHash('latest')
  // @ts-expect-error a hash without 0x
  client.eth_getTransactionByHash('ab')
  // @ts-expect-error a hash without 0x
  client.eth_getTransactionReceipt(text)
  // @ts-expect-error data without 0x
  client.eth_call({ to: '0x1', data: 'a9059cbb' }, 'latest')
  // @ts-expect-error a number as a quantity
  client.eth_call({ to: '0x1', value: 5 }, 'latest')
  // @ts-expect-error a position without 0x
  client.eth_getStorageAt('0x1', '0', 'latest')
  // @ts-expect-error an index without 0x
  client.eth_getTransactionByBlockHashAndIndex('0x1', '0')
  // @ts-expect-error a raw transaction without 0x
  client.eth_sendRawTransaction('f86c')
  // @ts-expect-error text to hash
  client.web3_sha3('hello')
  // @ts-expect-error a decimal network number as hexadecimal
  const id: Hex = await client.net_version()
  return id
}
