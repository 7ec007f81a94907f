/** Results go into viem without casts, and the provider into viem and ethers. This file only compiles. */

import { BrowserProvider, type Eip1193Provider } from 'ethers'
import {
  concat,
  createPublicClient,
  createWalletClient,
  custom,
  decodeEventLog,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  formatBlock,
  formatLog,
  formatTransactionReceipt,
  getAddress,
  hexToBigInt,
  hexToNumber,
  keccak256,
  numberToHex,
  padHex,
  parseTransaction,
  recoverMessageAddress,
  size,
  slice,
  toEventSelector,
  type Address as ViemAddress,
  type Hash as ViemHash,
  type Hex as ViemHex,
  type EIP1193Provider as ViemProvider,
} from 'viem'
import type { Address, Data, Hash, Quantity } from '../../generated/types.js'
import { createClient, createProvider } from '../../src/service/node-access/index.js'
import { fits, ok, same } from './expect.js'

const client = createClient('https://rpc.example/key')
const account: ViemAddress = '0xa6f10b224886bce8fc263d47885f1d474a764b71'

same<Hash, ViemHash>(ok)
same<Data, ViemHex>(ok)
same<Address, ViemAddress>(ok)
same<Quantity, ViemHex>(ok)

export async function reads() {
  hexToBigInt(await client.eth_getBalance(account))
  hexToNumber(await client.eth_chainId())
  hexToBigInt(await client.eth_gasPrice())
  keccak256(await client.eth_getCode(account, 'latest'))
  size(await client.eth_getCode(account, 'latest'))
  slice(await client.eth_getStorageAt(account, padHex('0x1'), 'latest'), 0, 4)
  concat([await client.web3_sha3('0x'), await client.eth_protocolVersion()])
  const block = await client.eth_getBlockByNumber('latest', true)
  if (block) hexToBigInt(block.number)
  if (block) hexToNumber(block.timestamp)
  if (block?.transactions[0]) getAddress(block.transactions[0].from)
  if (block?.miner) getAddress(block.miner)
  const hashes = await client.eth_getBlockByNumber(numberToHex(5n))
  const hash: ViemHash | undefined = hashes?.transactions[0]
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] })
  const returned = await client.eth_call({ to: account, data }, 'latest')
  decodeFunctionResult({ abi: erc20Abi, functionName: 'balanceOf', data: returned }) satisfies bigint
  // @ts-expect-error viem's type of a block requires members that this service does not have
  if (block) formatBlock(block)
  parseTransaction(await client.eth_getCode(account, 'latest'))
  recoverMessageAddress({ message: 'x', signature: returned })
  return hash
}

export async function logs() {
  const selector = toEventSelector('Transfer(address,address,uint256)')
  const found = await client.eth_getLogs({ address: account, topics: [selector], fromBlock: numberToHex(1) })
  for (const log of found) {
    const event = decodeEventLog({ abi: erc20Abi, data: log.data, topics: log.topics })
    event.eventName satisfies 'Transfer' | 'Approval'
    decodeEventLog({ abi: erc20Abi, eventName: 'Transfer', data: log.data, topics: log.topics })
    formatLog(log)
    hexToBigInt(log.blockNumber)
    hexToNumber(log.logIndex)
    getAddress(log.address)
    const topics: [ViemHex, ...ViemHex[]] | [] = log.topics
    const list: readonly ViemHex[] = log.topics
    topics satisfies ViemHex[]
    list satisfies readonly string[]
  }
  const receipt = await client.eth_getTransactionReceipt('0x1')
  for (const log of receipt?.logs ?? []) {
    decodeEventLog({ abi: erc20Abi, data: log.data, topics: log.topics })
    hexToBigInt(log.blockNumber)
  }
  if (receipt?.contractAddress) getAddress(receipt.contractAddress)
  if (receipt) hexToBigInt(receipt.gasUsed)
  // @ts-expect-error viem's type of a receipt requires members that this service does not have
  if (receipt) formatTransactionReceipt(receipt)
  // @ts-expect-error the number of a pending transaction's block is null
  hexToBigInt((await client.eth_getTransactionByHash('0x1'))?.blockNumber)
}

export function providers() {
  const provider = createProvider(client)
  createPublicClient({ transport: custom(provider) })
  createWalletClient({ account, transport: custom(provider) })
  new BrowserProvider(provider)
  fits<typeof provider, Eip1193Provider>()
  fits<typeof provider, Pick<ViemProvider, never>>()
  fits<Parameters<typeof custom>[0], { request: unknown }>()
}
