import type { CallOptions } from '@concordat/client'
import type * as decoded from '@concordat/node-access-contract/decoded'
import type {
  AddressInput,
  HashInput,
  Quantity,
  Receipt,
  Transaction,
} from '@concordat/node-access-contract/types'
import { delayAfter, intervalOf, newPoll, type PollOptions, pollDefaults } from './chain/poll.js'
import { longestTimer, sleep } from './chain/sleep.js'

/** A receipt with the values of the wire, or decoded. */
type AnyReceipt = Receipt | decoded.Receipt

/** The part of a client that {@link waitForReceipt} uses. */
export interface ReceiptClient<Found extends AnyReceipt = Receipt> {
  readonly eth_blockNumber: (options?: CallOptions) => Promise<Quantity | decoded.Quantity>
  readonly eth_getTransactionByHash: (
    hash: HashInput,
    options?: CallOptions,
  ) => Promise<Transaction | decoded.Transaction | null>
  readonly eth_getTransactionCount: (
    address: AddressInput,
    block: 'latest',
    options?: CallOptions,
  ) => Promise<Quantity | number>
  readonly eth_getTransactionReceipt: (hash: HashInput, options?: CallOptions) => Promise<Found | null>
}

/** Options of {@link waitForReceipt}. */
export interface ReceiptOptions extends PollOptions {
  /** Longest time to wait, in milliseconds; `Infinity` for no limit. Defaults to {@link receiptDefaults}. */
  readonly timeoutMilliseconds?: number | undefined
  /** Blocks that must contain or follow the transaction. 1, the default, is its own block. */
  readonly confirmations?: number | undefined
  /**
   * Sender and nonce of the transaction. They show that it was replaced, also if the service never knew it.
   * Without them, they are read while the transaction is pending.
   */
  readonly sent?: SentTransaction | undefined
}

/** What identifies the place of a transaction among those of its sender. */
export interface SentTransaction {
  readonly from: AddressInput
  readonly nonce: Quantity | number
}

/** Defaults of {@link ReceiptOptions}. */
export const receiptDefaults = {
  /** 5 minutes, about ten blocks of Rootstock. */
  timeoutMilliseconds: 300_000,
  confirmations: 1,
} as const

/**
 * A transaction has no receipt. `timeout`: it was not mined, or not confirmed, in time; it may still be mined
 * later. `replaced`: another transaction of the sender with the same nonce was mined, so it never will be.
 */
export class ReceiptError extends Error {
  override readonly name = 'ReceiptError'
  readonly kind: 'timeout' | 'replaced'
  readonly hash: HashInput

  constructor(kind: ReceiptError['kind'], hash: HashInput, message: string) {
    super(message)
    this.kind = kind
    this.hash = hash
  }
}

/**
 * Waits until a transaction is mined and confirmed, and returns its receipt. The receipt of a reverted
 * transaction is returned as well: its `status` is `0x0`. A reorganisation that removes the transaction
 * continues the wait. Temporary errors are reported to `onError`, and the poll is repeated.
 * @param client a client of `createClient`; with `decode`, results are decoded too
 * @param hash the hash that `eth_sendRawTransaction` returned
 * @param options interval and timeout in milliseconds, confirmations, `sent`, `signal` and `onError`
 * @throws ReceiptError if the time is over, or the transaction was replaced
 * @throws RangeError if `confirmations` is no whole number from 0, or a time is not greater than 0
 * @throws CallError, TransportError for errors that are not temporary
 */
export async function waitForReceipt<Found extends AnyReceipt>(
  client: ReceiptClient<Found>,
  hash: HashInput,
  options: ReceiptOptions = {},
): Promise<Found> {
  const { timeoutMilliseconds = receiptDefaults.timeoutMilliseconds, sent } = options
  const { confirmations = receiptDefaults.confirmations } = options
  if (!Number.isSafeInteger(confirmations) || confirmations < 0)
    throw new RangeError(`waitForReceipt: "confirmations" is ${confirmations}. Use a whole number from 0.`)
  const interval = intervalOf(options, pollDefaults.receiptMilliseconds)
  const deadline = timeoutMilliseconds > longestTimer ? undefined : AbortSignal.timeout(timeoutMilliseconds)
  const signal = AbortSignal.any([options.signal, deadline].filter((given) => given !== undefined))
  const wait: Wait<Found> = {
    client,
    hash,
    signal,
    sent,
    confirmations,
  }
  try {
    const state = newPoll()
    for (;;) {
      let delay = interval
      try {
        const receipt = await receiptOf(wait)
        if (receipt !== undefined) return receipt
        Object.assign(state, { failures: 0, hasAnswer: true })
      } catch (error) {
        delay = delayAfter(error, state, interval, { ...options, signal })
      }
      await sleep(delay, signal)
    }
  } catch (error) {
    if (!deadline?.aborted || error !== deadline.reason) throw error
    throw new ReceiptError(
      'timeout',
      hash,
      `${hash} was not mined and confirmed within ${timeoutMilliseconds} ms.`,
    )
  }
}

interface Wait<Found extends AnyReceipt> {
  readonly client: ReceiptClient<Found>
  readonly hash: HashInput
  readonly confirmations: number
  readonly signal: AbortSignal
  /** Known once the transaction was seen, unless the caller states it. */
  sent: SentTransaction | undefined
}

/** Returns the receipt if it is confirmed, and undefined if the transaction may still be mined. */
async function receiptOf<Found extends AnyReceipt>(wait: Wait<Found>): Promise<Found | undefined> {
  const { client, hash, signal, confirmations } = wait
  const receipt = await client.eth_getTransactionReceipt(hash, { signal })
  if (receipt === null) {
    await checkReplacement(wait)
    return undefined
  }
  if (confirmations <= 1) return receipt
  const head = Number(await client.eth_blockNumber({ signal }))
  if (head - Number(receipt.blockNumber) + 1 < confirmations) return undefined
  // The blocks may have been replaced since the receipt was read.
  const again = await client.eth_getTransactionReceipt(hash, { signal })
  return again?.blockHash === receipt.blockHash ? again : undefined
}

/** @throws ReceiptError if the sender's nonce was used by another transaction */
async function checkReplacement(wait: Wait<AnyReceipt>): Promise<void> {
  const { client, hash, signal } = wait
  const transaction = await client.eth_getTransactionByHash(hash, { signal })
  if (transaction !== null) {
    wait.sent ??= { from: transaction.from, nonce: transaction.nonce }
    return
  }
  if (wait.sent === undefined) return
  const { from, nonce } = wait.sent
  const used = Number(await client.eth_getTransactionCount(from, 'latest', { signal }))
  if (used <= Number(nonce)) return
  // The transaction may have been mined between the first call and the last.
  if ((await client.eth_getTransactionReceipt(hash, { signal })) !== null) return
  throw new ReceiptError(
    'replaced',
    hash,
    `${hash} was replaced: another transaction of ${from} with the nonce ${Number(nonce)} was mined.`,
  )
}
