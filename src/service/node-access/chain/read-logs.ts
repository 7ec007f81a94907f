import { type CallOptions, isTransportError } from '@concordat/client'
import { isRpcError } from '@concordat/node-access-contract/client'
import { limits } from '@concordat/node-access-contract/contract'
import type * as decoded from '@concordat/node-access-contract/decoded'
import type { BlockSelector, Hash, Log, LogFilter, Quantity } from '@concordat/node-access-contract/types'
import type { BlockPosition, ChainCursor, Rollback } from './chain-cursor.js'
import { type AnySelector, type BlockReader, blockAt, positionOf, toQuantity } from './chain-reader.js'
import { ReadPosition } from './read-position.js'
import { sleep } from './sleep.js'

/** A log that is part of the chain: its position is not null. */
export type MinedLog = Extract<Log, { readonly blockHash: Hash }>

/** A mined log with the values of the wire, or decoded. */
export type AnyLog = MinedLog | decoded.MinedLog

/** The filter that a client takes which returns such logs. */
type FilterOf<Item extends AnyLog> = Item extends MinedLog ? LogFilter : decoded.LogFilter

/** The part of a client that reads logs. */
export interface LogClient<Item extends AnyLog = MinedLog>
  extends BlockReader<NonNullable<FilterOf<Item>['fromBlock']>> {
  readonly eth_getLogs: (filter: FilterOf<Item>, options?: CallOptions) => Promise<readonly Item[]>
}

/** Which logs to read. As in `eth_getLogs`, absent bounds and `pending` mean `latest`. */
export type LogRange<Item extends AnyLog = MinedLog> = Pick<
  FilterOf<Item>,
  'address' | 'topics' | 'fromBlock' | 'toBlock'
>

/** Options for reading logs. */
export interface LogsOptions {
  /** Resumes after the last block of this cursor. `fromBlock` should be the same as in the first run. */
  readonly after?: ChainCursor | undefined
  /** Largest range of one request, in blocks. Defaults to {@link logsDefaults}. */
  readonly maxBlocks?: number | undefined
  /** Ends the function, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** Defaults of {@link LogsOptions}. */
export const logsDefaults = { maxBlocks: 100_000 } as const

/**
 * All matching logs of a range of blocks. The logs have decoded values, as the client returns them. Positions
 * have the values as sent, so that they can be stored as JSON.
 */
export interface LogPage<Item extends AnyLog = MinedLog> {
  readonly kind: 'logs'
  /** First block of the range. */
  readonly from: Quantity
  /** Last block of the range. */
  readonly to: Quantity
  /** The logs, ordered by block and position. */
  readonly logs: readonly Item[]
  /** The position after this page. */
  readonly cursor: ChainCursor
}

/** The last block of a range. */
interface Top extends BlockPosition {
  readonly parentHash: Hash
}

/** Pause before a range is read again that changed while it was read. */
const rereadMilliseconds = 1_000

/**
 * Reads logs in ranges that the service accepts. Each call of {@link LogSource.pages} continues where the
 * last one ended, also after an error.
 */
export class LogSource<Item extends AnyLog> {
  readonly #client: LogClient
  readonly #match: Omit<LogRange, 'fromBlock' | 'toBlock'>
  readonly #toBlock: number
  readonly #signal: AbortSignal | undefined
  readonly #position: ReadPosition
  /** Number of blocks in the next request. */
  #step: number = limits.blockSpanWithoutLogLimit
  /** Largest number of blocks in a request. */
  #maxStep: number

  /**
   * @param caller the function whose options these are
   * @throws RangeError when a bound is neither a tag nor a block number, or `maxBlocks` is no count
   */
  constructor(
    caller: string,
    client: LogClient<Item>,
    { fromBlock, toBlock, ...match }: LogRange | LogRange<decoded.MinedLog>,
    options: LogsOptions,
  ) {
    // Clients with decoded values send quantities of the wire as they are.
    this.#client = client as object as LogClient
    this.#match = match
    this.#toBlock = blockNumber(caller, 'toBlock', toBlock) ?? Number.POSITIVE_INFINITY
    this.#signal = options.signal
    this.#maxStep = options.maxBlocks ?? logsDefaults.maxBlocks
    if (
      !(this.#maxStep === Number.POSITIVE_INFINITY || Number.isSafeInteger(this.#maxStep)) ||
      this.#maxStep < 1
    )
      throw new RangeError(
        `${caller}: "maxBlocks" is ${this.#maxStep}. Use a whole number from 1, or Infinity.`,
      )
    this.#position = new ReadPosition(blockNumber(caller, 'fromBlock', fromBlock), options.after)
  }

  /** Reads up to the head that the chain has at the start of the call, or to `toBlock` if it is lower. */
  async *pages(): AsyncGenerator<LogPage<Item> | Rollback, void, undefined> {
    const position = this.#position
    let head = await this.#head()
    const last = Math.min(this.#toBlock, Number(head.number))
    let isReplaced = position.isReplacedBy(head)
    for (;;) {
      if (isReplaced) {
        const rollback = await position.rollBack(this.#client, this.#signal)
        if (rollback) yield rollback
        else await sleep(rereadMilliseconds, this.#signal)
        head = await this.#head()
      }
      const from = position.nextFrom(head)
      const to = Math.min(last, Number(head.number), from + Math.min(this.#step, this.#maxStep) - 1)
      if (to < from) return
      const top = to === Number(head.number) ? head : await this.#block(to)
      const logs = top && (await this.#read(from, top))
      isReplaced = top === undefined || (logs !== undefined && (await this.#hasChanged(from, top)))
      if (isReplaced || top === undefined || logs === undefined) continue
      position.advance(positionsOf(logs, top))
      yield { kind: 'logs', from: toQuantity(from), to: top.number, logs, cursor: position.cursor }
    }
  }

  /** Reads the logs of a range, or makes the step smaller and returns undefined. */
  async #read(from: number, top: Top): Promise<readonly Item[] | undefined> {
    const to = Number(top.number)
    // The hash of a single block guarantees that the logs belong to it.
    const range = from === to ? { blockHash: top.hash } : { fromBlock: toQuantity(from), toBlock: top.number }
    try {
      const logs = await this.#client.eth_getLogs({ ...this.#match, ...range }, { signal: this.#signal })
      if (logs.length * 2 <= limits.logsPerAnswer) this.#step = Math.max(this.#step, 2 * (to - from + 1))
      return logs as readonly AnyLog[] as readonly Item[]
    } catch (error) {
      const suggested = suggestedEnd(error)
      if (suggested !== undefined && suggested >= from && suggested < to) {
        this.#step = suggested - from + 1
      } else if (isTooMuch(error) && from < to && !this.#signal?.aborted) {
        this.#maxStep = Math.ceil((to - from + 1) / 2)
      } else throw error
      return undefined
    }
  }

  /** Returns true if the range, or the last block before it, was replaced while the logs were read. */
  async #hasChanged(from: number, top: Top): Promise<boolean> {
    const [before] = this.#position.cursor
    if (from === Number(top.number)) return before !== undefined && before.hash !== top.parentHash
    const [again, linked] = await Promise.all([
      this.#block(Number(top.number)),
      before && this.#block(Number(before.number)),
    ])
    return again?.hash !== top.hash || linked?.hash !== before?.hash
  }

  #block(number: number): Promise<Top | undefined> {
    return this.#blockAt(toQuantity(number))
  }

  async #blockAt(selector: BlockSelector): Promise<Top | undefined> {
    const block = await blockAt(this.#client, selector, this.#signal)
    return block && { ...positionOf(block), parentHash: block.parentHash }
  }

  async #head(): Promise<Top> {
    const head = await this.#blockAt('latest')
    if (head === undefined) throw new TypeError('eth_getBlockByNumber: the service has no latest block')
    return head
  }
}

/**
 * Returns the number of a block that an option selects, or undefined for the head.
 * @param caller the function that has the option
 * @param option the option's name
 * @throws RangeError unless it is a tag, or a whole number of at most 53 bits
 */
export function blockNumber(
  caller: string,
  option: string,
  selector: AnySelector | null | undefined,
): number | undefined {
  if (selector === 'earliest') return 0
  if (selector === null || selector === undefined || selector === 'latest' || selector === 'pending')
    return undefined
  const isNumber = typeof selector !== 'string' || /^0x[0-9a-f]+$/i.test(selector)
  const number = isNumber ? Number(selector) : Number.NaN
  if (Number.isSafeInteger(number) && number >= 0) return number
  const shown = typeof selector === 'string' ? JSON.stringify(selector) : String(selector)
  throw new RangeError(
    `${caller}: "${option}" is ${shown}. Use a tag, or a whole number from 0 to ${Number.MAX_SAFE_INTEGER}.`,
  )
}

/** The blocks that contain the logs, and the last block of the range; newest first. */
function positionsOf(logs: readonly AnyLog[], top: Top): ChainCursor {
  const hashes = new Map(logs.map(({ blockNumber, blockHash }) => [Number(blockNumber), blockHash]))
  hashes.delete(Number(top.number))
  const earlier = [...hashes].map(([number, hash]) => ({ number: toQuantity(number), hash }))
  return [{ number: top.number, hash: top.hash }, ...earlier.reverse()]
}

/** The last block of the range that the service suggests when a range has too many logs. */
function suggestedEnd(error: unknown): number | undefined {
  if (!isRpcError(error, 'invalidParams')) return undefined
  return error.data && 'to' in error.data ? Number(error.data.to) : undefined
}

/** Returns true if a smaller range may succeed: the answer came too late or was too large. */
const isTooMuch = (error: unknown): boolean =>
  isTransportError(error, 'timeout') ||
  isTransportError(error, 'malformed') ||
  (isRpcError(error, 'unavailable') && error.httpStatus === 504)
