import { failure } from '@concordat/node-access-contract/errors'
import type { JsonValue } from '@concordat/rpc'
import { toQuantity } from '../../ethereum/index.js'
import type { NodeCall, NodeCallOptions, NodeError } from '../../nodes/index.js'
import { callerError, nodeTrouble } from '../error-for-caller.js'
import { findBlock } from '../known-block.js'
import type { LogCollector } from './log-collector.js'
import type { BlockRange, LogMatch } from './log-filter.js'
import type { RangeLimit } from './range-limit.js'
import {
  isTooMuch,
  isTooOften,
  mayBeTooMuch,
  type RangeRefusal,
  rangeRefusal,
  refusal,
} from './range-refusal.js'

/** Logs that a part should have at most, unless the node states its own limit. */
const logsInPart = 5_000

/** A part grows at most by this factor, and shrinks at most by its square. */
const growth = 2

/** Number of answered parts after which a refused size is tried again. */
const partsAfterRefusal = { forSize: 4, forUnknownReason: 16 } as const

/** Parts that take longer do not grow, in milliseconds. */
const longMs = 2_000

const lengthOf = ({ from, to }: BlockRange) => Number(to - from) + 1

/**
 * Requests logs in parts that the nodes can answer. The size of a part follows from the logs in the parts before, and
 * from the limits that nodes have shown. A single block over a node's limit is requested from another node.
 */
export class LogSearch {
  readonly #call: NodeCall
  readonly #match: LogMatch
  readonly #options: NodeCallOptions
  readonly #now: () => number
  /** The limit of the network's nodes. */
  readonly limit: RangeLimit
  /** Wanted length of the next part, in blocks. */
  #size: number
  /** Wanted number of logs in a part. */
  #logs = logsInPart
  /** Length of a part that was refused for other reasons than its length. */
  #refused = Number.POSITIVE_INFINITY
  /** Number of parts to answer before a part may be as long again. */
  #untilGrowth = 0

  /**
   * @param size maximum number of blocks in the first part
   * @param now a monotonic clock, in milliseconds
   */
  constructor(
    call: NodeCall,
    match: LogMatch,
    size: number,
    limit: RangeLimit,
    options: NodeCallOptions,
    now: () => number = () => performance.now(),
  ) {
    this.#call = call
    this.#match = match
    this.#size = size
    this.limit = limit
    this.#options = options
    this.#now = now
  }

  /** Returns the next part of a range. */
  partFrom(from: bigint, { to }: BlockRange): BlockRange {
    const last = from + BigInt(this.limit.part(this.#size)) - 1n
    return { from, to: last < to ? last : to }
  }

  /**
   * Collects the logs of a range, one part after another.
   * @param isEnough returns true when no more logs are needed
   * @throws RpcError when a part is unavailable, because partial answers are not allowed
   */
  async range(range: BlockRange, collector: LogCollector, isEnough: () => boolean): Promise<void> {
    for (let { from } = range; from <= range.to && !isEnough(); ) {
      const part = this.partFrom(from, range)
      if ((await this.part(part, collector)) === undefined) from = part.to + 1n
    }
  }

  /**
   * Collects the logs of one part.
   * @returns the reason why the part is too large for a node; undefined after its logs were collected
   * @throws RpcError when the part is unavailable
   */
  async part(part: BlockRange, collector: LogCollector): Promise<RangeRefusal | undefined> {
    const { from, to } = part
    collector.beginPart(part)
    const startedAt = this.#now()
    const isOneBlock = from === to
    const blocks = { fromBlock: toQuantity(from), toBlock: toQuantity(to) }
    const error = await this.#ask(blocks, collector, isOneBlock)
    if (error === undefined) {
      this.#answered(lengthOf(part), collector.logsInPart, this.#now() - startedAt)
      return undefined
    }
    if (isOneBlock && isTooMuch(error)) throw failure('logsOfBlockTooLarge', { cause: error })
    if (isOneBlock || !mayBeTooMuch(error)) throw refusal(error)
    return this.#tooLarge(lengthOf(part), error)
  }

  /** Collects the logs of one block; the result is empty if no node has the block. */
  async block(blockHash: JsonValue, collector: LogCollector): Promise<void> {
    collector.beginPart(undefined)
    const error = await this.#ask({ blockHash }, collector, true)
    if (error === undefined) return
    if (isTooMuch(error)) throw failure('logsOfBlockTooLarge', { cause: error })
    const trouble = isTooOften(error) ? refusal(error) : nodeTrouble(error)
    if (trouble !== undefined) throw trouble
    if ((await findBlock(this.#call, blockHash, this.#options)) !== undefined) throw callerError(error)
  }

  /** Chooses the size of the next part by the density of an answered one. */
  #answered(blocks: number, logs: number, milliseconds: number): void {
    this.limit.accepted(blocks)
    if (this.#untilGrowth > 0 && --this.#untilGrowth === 0) this.#refused = Number.POSITIVE_INFINITY
    const byDensity = logs === 0 ? Number.POSITIVE_INFINITY : (blocks * this.#logs) / logs
    const most = milliseconds > longMs ? blocks : blocks * growth
    const size = Math.max(1, Math.floor(Math.min(most, byDensity)))
    // A part that ends with its range tells nothing about longer parts.
    if (blocks < this.#size && size >= blocks && size < this.#size) return
    this.#size = Math.min(Math.max(size, Math.floor(blocks / growth ** 2), 1), this.#refused - 1)
  }

  #tooLarge(blocks: number, error: NodeError): RangeRefusal {
    const reason = rangeRefusal(error)
    if (reason.isTooLong) this.limit.refused(blocks, reason.mostBlocks)
    else {
      this.#refused = Math.min(this.#refused, blocks)
      const isForSize = reason.moreLogsThan !== undefined || isTooMuch(error)
      this.#untilGrowth = isForSize ? partsAfterRefusal.forSize : partsAfterRefusal.forUnknownReason
      this.#size = Math.min(this.#size, Math.max(1, Math.floor(blocks / growth ** 2)))
      if (reason.moreLogsThan !== undefined) this.#logs = Math.max(1, Math.floor(reason.moreLogsThan / 2))
    }
    return reason
  }

  async #ask(
    blocks: Readonly<Record<string, JsonValue>>,
    collector: LogCollector,
    isOneBlock: boolean,
  ): Promise<NodeError | undefined> {
    const { error } = await this.#call('eth_getLogs', [{ ...this.#match, ...blocks }], {
      ...this.#options,
      logs: collector,
      mayDoBetter: (error) => isOneBlock || !mayBeTooMuch(error),
    })
    if (error === undefined) collector.endPart()
    else if (!collector.restart()) throw refusal(error)
    return error
  }
}
