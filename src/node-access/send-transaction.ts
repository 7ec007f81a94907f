import type { CallOptions } from '@concordat/client'
import type * as decoded from '@concordat/node-access-contract/decoded'
import type { AddressInput, Data, HashInput, Quantity, Receipt } from '@concordat/node-access-contract/types'
import { type ReceiptClient, type ReceiptOptions, waitForReceipt } from './wait-for-receipt.js'

/** An account that signs: a viem account, an ethers wallet, or an object of your own. */
export interface Signer {
  readonly address: string
  /** Returns the signed transaction, in hexadecimal. */
  readonly signTransaction: (transaction: UnsignedTransaction) => Promise<string> | string
}

/** A legacy transaction, which is the only kind that the networks take. Amounts are in wei. */
export interface UnsignedTransaction {
  readonly chainId: number
  readonly nonce: number
  readonly gasPrice: bigint
  readonly gas: bigint
  /** The same as `gas`, by the name that ethers uses. */
  readonly gasLimit: bigint
  readonly to?: `0x${string}`
  readonly value: bigint
  readonly data?: `0x${string}`
}

/** A transaction to send. Amounts are in wei. */
export interface TransactionToSend {
  /** Without it, the transaction creates a contract from `data`. */
  readonly to?: AddressInput | undefined
  readonly data?: Data | undefined
  readonly value?: bigint | undefined
  /** The largest amount of gas. Default: what `eth_estimateGas` returns. */
  readonly gas?: bigint | undefined
  /** Default: what `eth_gasPrice` returns. */
  readonly gasPrice?: bigint | undefined
  /** Default: the number of transactions of the sender, pending ones included. */
  readonly nonce?: number | undefined
}

/** Options of {@link sendTransaction}. */
export interface SendOptions extends Omit<ReceiptOptions, 'sent'> {
  /** Called with the hash as soon as the service has accepted the transaction. */
  readonly onSent?: ((hash: HashInput) => void) | undefined
  /**
   * False sends a transaction that would fail now, such as one that depends on a pending one. Default: true: its error
   * rejects the call, and nothing is signed.
   */
  readonly simulate?: boolean | undefined
}

type Amount = Quantity | bigint | number

/** The part of a client that {@link sendTransaction} uses. Clients with decoded values type calls in another way. */
export interface SendClient<Found extends Receipt | decoded.Receipt = Receipt>
  extends Omit<ReceiptClient<Found>, 'eth_getTransactionCount'> {
  readonly eth_chainId: (options?: CallOptions) => Promise<Amount>
  readonly eth_gasPrice: (options?: CallOptions) => Promise<Amount>
  readonly eth_getTransactionCount: (
    address: AddressInput,
    block: 'latest' | 'pending',
    options?: CallOptions,
  ) => Promise<Quantity | number>
  readonly eth_estimateGas: (call: never, block: 'latest', options?: CallOptions) => Promise<Amount>
  readonly eth_call: (call: never, block: 'latest', options?: CallOptions) => Promise<Data>
  readonly eth_sendRawTransaction: (transaction: Data, options?: CallOptions) => Promise<HashInput>
  readonly web3_sha3: (data: Data, options?: CallOptions) => Promise<HashInput>
}

/**
 * Fills a transaction (nonce, gas, gas price), simulates, signs and sends it, and waits for its receipt. The receipt of
 * a reverted transaction is returned as well: its `status` is `0x0`. If the answer to the signed transaction is lost,
 * the same transaction is sent again, which cannot execute it twice.
 * @param client a client of `createClient`; with `decode`, the receipt is decoded too
 * @param signer the account that signs
 * @param transaction the transaction
 * @param options those of `waitForReceipt`, `onSent` and `simulate`
 * @returns the receipt
 * @throws CallError, TransportError for a transaction that would fail now, and for errors that are not temporary
 * @throws ReceiptError if the time is over, or the transaction was replaced
 */
export async function sendTransaction<Found extends Receipt | decoded.Receipt>(
  client: SendClient<Found>,
  signer: Signer,
  transaction: TransactionToSend,
  { onSent, simulate = true, ...options }: SendOptions = {},
): Promise<Found> {
  const { to, data, value = 0n } = transaction
  const from = signer.address as AddressInput
  const target = { ...(to !== undefined && { to }), ...(data !== undefined && { data }) }
  const call = { from, ...target, value: `0x${value.toString(16)}` } as never
  const own: CallOptions = { signal: options.signal }
  const [chainId, nonce, gasPrice, gas] = await Promise.all([
    client.eth_chainId(own),
    transaction.nonce ?? client.eth_getTransactionCount(from, 'pending', own),
    transaction.gasPrice ?? client.eth_gasPrice(own),
    transaction.gas ?? client.eth_estimateGas(call, 'latest', own),
    simulate && client.eth_call(call, 'latest', own),
  ])
  const signed = await signer.signTransaction({
    ...{ chainId: Number(chainId), nonce: Number(nonce), value, ...target },
    ...{ gasPrice: BigInt(gasPrice), gas: BigInt(gas), gasLimit: BigInt(gas) },
  })
  const hash = await send(client, signed as Data, own)
  onSent?.(hash)
  return waitForReceipt(client as ReceiptClient<Found>, hash, {
    ...options,
    sent: { from, nonce: Number(nonce) },
  })
}

/** Sends a signed transaction. A repeated one is refused once a node has it, so an error may hide a success. */
async function send<Found extends Receipt | decoded.Receipt>(
  client: SendClient<Found>,
  signed: Data,
  options: CallOptions,
): Promise<HashInput> {
  try {
    return await client.eth_sendRawTransaction(signed, { ...options, retry: { writes: true } })
  } catch (error) {
    const hash = await client.web3_sha3(signed, options)
    if ((await client.eth_getTransactionByHash(hash, options)) === null) throw error
    return hash
  }
}
