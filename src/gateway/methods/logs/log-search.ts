import { failure } from '@concordat/node-access-contract/errors'
import type { JsonValue } from '@concordat/rpc'
import { toQuantity } from '../../ethereum/index.js'
import type { NodeCall, NodeCallOptions, NodeError } from '../../nodes/index.js'
import { findBlock } from '../known-block.js'
import { callerError, nodeCodes, nodeTrouble } from '../node-error.js'
import type { LogCollector } from './log-collector.js'
import type { BlockRange, LogMatch } from './log-filter.js'

/** Error codes of nodes for a request over their limits. */
const tooMuchCodes: ReadonlySet<number> = new Set([
  nodeCodes.limitExceeded,
  nodeCodes.executionTimeout,
  nodeCodes.overLimit,
])

/** Messages of nodes and providers about too many results or a too long range. */
const tooMuchWords =
  /exceed|more than|too (?:many|large|wide|big|long)|limited to|ranges? over|time[d -]*out|size limit/i

/** Messages about rate limits, often with the same codes. Splitting the range would make these worse. */
const tooOftenWords =
  /\brate|per (?:second|minute|day)|request count|too many requests|daily|quota|credit|capacity/i

const isTooOften = ({ message }: NodeError) => tooOftenWords.test(message)

const isTooMuch = (error: NodeError) =>
  !isTooOften(error) && (tooMuchCodes.has(error.code) || tooMuchWords.test(error.message))

/**
 * True also for refused parameters: they passed the contract's validation, and nodes report their limits in
 * many ways.
 */
const mayBeTooMuch = (error: NodeError) =>
  isTooMuch(error) || (error.code === nodeCodes.invalidParams && !isTooOften(error))

const refusal = (error: NodeError) =>
  isTooOften(error) ? failure('overloaded', { cause: error }) : callerError(error)

/**
 * Requests logs in parts that the nodes can answer. A part over a node's limit is halved, down to one block.
 * A single block over a node's limit is requested from another node.
 */
export class LogSearch {
  readonly #call: NodeCall
  readonly #match: LogMatch
  readonly #options: NodeCallOptions
  #step: bigint

  /** @param step maximum number of blocks in a part */
  constructor(call: NodeCall, match: LogMatch, step: number, options: NodeCallOptions) {
    this.#call = call
    this.#match = match
    this.#step = BigInt(step)
    this.#options = options
  }

  /** Returns the next part of a range. Its size never exceeds a size that a node refused before. */
  partFrom(from: bigint, { to }: BlockRange): BlockRange {
    const last = from + this.#step - 1n
    return { from, to: last < to ? last : to }
  }

  /**
   * Collects the logs of a range.
   * @throws RpcError when a part is unavailable, because partial answers are not allowed
   */
  async range(range: BlockRange, collector: LogCollector): Promise<void> {
    const { from, to } = range
    collector.beginPart(range)
    const blocks = { fromBlock: toQuantity(from), toBlock: toQuantity(to) }
    const error = await this.#ask(blocks, collector, from === to)
    if (error === undefined) return
    if (from === to && isTooMuch(error)) throw failure('logsOfBlockTooLarge', { cause: error })
    if (from === to || !mayBeTooMuch(error)) throw refusal(error)
    const middle = from + (to - from) / 2n
    if (middle - from + 1n < this.#step) this.#step = middle - from + 1n
    await this.range({ from, to: middle }, collector)
    await this.range({ from: middle + 1n, to }, collector)
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
