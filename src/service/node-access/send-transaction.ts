import type { CallOptions } from '@concordat/client'
import type * as decoded from '@concordat/node-access-contract/decoded'
import type { AddressInput, Data, HashInput, Quantity, Receipt } from '@concordat/node-access-contract/types'
import { toQuantity } from './chain/chain-reader.js'
import { type ReceiptClient, type ReceiptOptions, waitForReceipt } from './wait-for-receipt.js'

/** A signing account: a viem account, an ethers wallet, or a custom object. */
export interface Signer {
  readonly address: string
  /** Returns the RLP-encoded signed transaction as 0x-prefixed hex. */
  readonly signTransaction: (transaction: UnsignedTransaction) => Promise<string> | string
}

/** A legacy transaction with replay protection (EIP-155), the only type that the networks accept. Amounts are in wei. */
export interface UnsignedTransaction {
  readonly chainId: number
  readonly nonce: number
  readonly gasPrice: bigint
  readonly gas: bigint
  /** Alias of `gas` for ethers. */
  readonly gasLimit: bigint
  readonly to?: `0x${string}`
  readonly value: bigint
  readonly data?: `0x${string}`
}

/** A transaction to send. Amounts are in wei. */
export interface TransactionToSend {
  /** Omit it to create a contract from `data`. */
  readonly to?: AddressInput | undefined
  readonly data?: Data | undefined
  readonly value?: bigint | undefined
  /** Gas limit. Default: the result of `eth_estimateGas`. */
  readonly gas?: bigint | undefined
  /** Wei per gas. Default: the result of `eth_gasPrice`. */
  readonly gasPrice?: bigint | undefined
  /** Default: the sender's transaction count, including pending transactions. */
  readonly nonce?: number | undefined
}

/** Options of {@link sendTransaction}. */
export interface SendOptions extends Omit<ReceiptOptions, 'sent'> {
  /** Called with the hash as soon as the service has accepted the transaction. */
  readonly onSent?: ((hash: HashInput) => void) | undefined
  /**
   * If true (the default), `eth_call` runs first, and its error rejects before the transaction is signed. Use false for
   * transactions that depend on pending ones.
   */
  readonly simulate?: boolean | undefined
}

type Amount = Quantity | bigint | number

/** The client methods that {@link sendTransaction} uses. The type of a call depends on whether the client decodes values. */
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
 * Fills nonce, gas and gas price of a transaction, simulates, signs and sends it, and waits for its receipt
 * (specification 4, eth_sendRawTransaction). Reverted transactions return a receipt with status `0x0`. After a lost
 * response the same signed transaction is sent again; its nonce prevents a second execution.
 * @param client a client of `createClient`; with `decode`, the receipt is decoded too
 * @param signer the account that signs
 * @param transaction destination, data and amounts in wei
 * @param options those of `waitForReceipt`, `onSent` and `simulate`
 * @returns the receipt
 * @throws CallError if the simulation fails or the service rejects the transaction; TransportError if the service is
 * unreachable
 * @throws ReceiptError on a timeout, or if the transaction was replaced
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
  const call = { from, ...target, value: toQuantity(value) } as never
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

/** Sends a signed transaction. Nodes reject a repeated one, so after an error it is looked up by its hash. */
async function send<Found extends Receipt | decoded.Receipt>(
  client: SendClient<Found>,
  signed: Data,
  options: CallOptions,
): Promise<HashInput> {
  try {
    return await client.eth_sendRawTransaction(signed, { ...options, retry: { writes: true } })
  } catch (error) {
    const hash = await hashOfKnown(client, signed, options).catch(() => undefined)
    if (hash === undefined) throw error
    return hash
  }
}

/** Returns the hash of a signed transaction if the service knows the transaction. */
async function hashOfKnown<Found extends Receipt | decoded.Receipt>(
  client: SendClient<Found>,
  signed: Data,
  options: CallOptions,
): Promise<HashInput | undefined> {
  const hash = await client.web3_sha3(signed, options)
  return (await client.eth_getTransactionByHash(hash, options)) === null ? undefined : hash
}
