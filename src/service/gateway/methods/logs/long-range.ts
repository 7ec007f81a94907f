import type { RpcError } from '@concordat/rpc'
import { ByteQueue } from './byte-queue.js'
import type { CollectorOptions, LogCollector } from './log-collector.js'
import type { BlockRange } from './log-filter.js'
import type { LogSearch } from './log-search.js'
import type { RangeRefusal } from './range-refusal.js'
import type { RangeTime } from './range-time.js'

/** Parts that are requested concurrently: the fewest, and the most while parts have few logs. */
const partsAtOnce = { fewest: 3, most: 16 } as const

/** A part with at most this many logs allows one more concurrent part. */
const fewLogs = 100

/** Parts that may be known or requested after the first part that is not yet read. */
const partsAhead = 64

/** A part of the range. Parts that were read without a log have no collector. */
interface Part {
  readonly from: bigint
  to: bigint
  state: 'wanted' | 'asked' | 'read'
  logs: LogCollector | undefined
}

/** What the reading of a long range needs. */
export interface LongRangeOptions {
  readonly search: LogSearch
  readonly range: BlockRange
  /** Maximum number of logs in the range, inclusive. */
  readonly mostLogs: number
  /** Length of a range without a limit of logs, in blocks. */
  readonly unlimitedBlocks: number
  /** Decides whether the rest can be read in time. */
  readonly time: RangeTime
  readonly collector: (options: Pick<CollectorOptions, 'isEnough' | 'earlyTo'>) => LogCollector
  /** Creates the error for too many logs, from the block with the first log over the limit. */
  readonly overLimit: (passing: bigint) => RpcError
  /** Returns true when the call is refused for another reason. */
  readonly isRefused: () => boolean
}

/**
 * Reads a range over the span without a log limit. Several parts are read concurrently, because no log is sent before
 * the end. Reading stops when the answer is certain: after the first log over the limit, or when the span without a
 * limit alone has more logs.
 */
export class LongRange {
  readonly #options: LongRangeOptions
  /** The parts after those that are read, in order. */
  readonly #parts: Part[] = []
  /** The logs of the parts that are read, separated by commas. */
  readonly #found = new ByteQueue()
  /** Number of these logs. */
  #before = 0
  /** Logs in these parts, up to the end of the span without a limit. */
  #early = 0
  /** The last block of the span without a limit. */
  readonly #earlyTo: bigint
  /** The first block that belongs to no part. */
  #next: bigint
  #inFlight = 0
  #atOnce: number = partsAtOnce.fewest
  #hasEnded = false
  #resolve: (logs: ByteQueue) => void = () => undefined
  #reject: (reason: unknown) => void = () => undefined

  constructor(options: LongRangeOptions) {
    this.#options = options
    this.#next = options.range.from
    this.#earlyTo = options.range.from + BigInt(options.unlimitedBlocks) - 1n
  }

  /**
   * Returns the logs of the range, separated by commas.
   * @throws RpcError the error of `overLimit`, or that of a part
   */
  read(): Promise<ByteQueue> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#advance()
    })
  }

  #advance(): void {
    if (this.#hasEnded) return
    try {
      this.#takeRead()
      if (this.#options.isRefused()) this.#inFlight = 0
      else this.#askMore()
    } catch (error) {
      this.#fail(error)
      return
    }
    if (this.#inFlight > 0) return
    this.#hasEnded = true
    this.#resolve(this.#found)
  }

  #fail(reason: unknown): void {
    this.#hasEnded = true
    this.#reject(reason)
  }

  /** Moves the logs of the parts that are read to those found. */
  #takeRead(): void {
    const { mostLogs, overLimit } = this.#options
    for (let [part] = this.#parts; part?.state === 'read'; [part] = this.#parts) {
      this.#parts.shift()
      const { logs } = part
      if (logs === undefined) continue
      const passing = logs.blocks[mostLogs - this.#before]
      if (passing !== undefined) throw overLimit(BigInt(passing))
      this.#before += logs.blocks.length
      this.#early += logs.early
      if (logs.queue.size === 0) continue
      if (this.#found.size > 0) this.#found.append(separator)
      this.#found.append(logs.queue.from(0))
    }
  }

  #askMore(): void {
    const { range, search, time } = this.#options
    time.requireFor(this.#parts[0]?.from ?? this.#next, search.limit.known)
    for (let at = 0; this.#inFlight < this.#atOnce && at < partsAhead; at++) {
      if (at === this.#parts.length) {
        if (this.#next > range.to) return
        const { from, to } = search.partFrom(this.#next, range)
        this.#parts.push({ from, to, state: 'wanted', logs: undefined })
        this.#next = to + 1n
      }
      const part = this.#parts[at]
      if (part?.state === 'wanted') this.#ask(part, at)
    }
  }

  /** Requests a part. If it is longer than parts are by now, the rest becomes a part of its own. */
  #ask(part: Part, at: number): void {
    const { search, collector } = this.#options
    const { to } = search.partFrom(part.from, part)
    if (to < part.to) {
      this.#parts.splice(at + 1, 0, { from: to + 1n, to: part.to, state: 'wanted', logs: undefined })
      part.to = to
    }
    const logs = collector({ isEnough: () => this.#isEnough(logs), earlyTo: Number(this.#earlyTo) })
    part.state = 'asked'
    part.logs = logs
    this.#inFlight++
    search.part({ from: part.from, to }, logs).then(
      (refusal) => this.#answered(part, logs, refusal),
      (reason) => this.#fail(reason),
    )
  }

  #answered(part: Part, logs: LogCollector, refusal: RangeRefusal | undefined): void {
    if (this.#hasEnded) return
    this.#inFlight--
    const count = refusal === undefined ? logs.blocks.length : Number.POSITIVE_INFINITY
    this.#atOnce = count > fewLogs ? partsAtOnce.fewest : Math.min(this.#atOnce + 1, partsAtOnce.most)
    if (count === 0 || refusal !== undefined) part.logs = undefined
    part.state = refusal === undefined ? 'read' : 'wanted'
    const moreThan = refusal?.moreLogsThan ?? -1
    if (moreThan >= this.#options.mostLogs && part.to <= this.#earlyTo) this.#failEarly()
    else this.#advance()
  }

  /** Returns true when a part in flight decides the answer. */
  #isEnough(logs: LogCollector): boolean {
    if (this.#hasEnded) return true
    const { mostLogs } = this.#options
    let early = this.#early
    for (const each of this.#parts) if (each.from <= this.#earlyTo) early += each.logs?.early ?? 0
    if (early > mostLogs) {
      this.#failEarly()
      return true
    }
    return logs.isOrdered && this.#before + logs.blocks.length > mostLogs
  }

  /** The span without a limit has more logs than the limit, so it is the longest range that works. */
  #failEarly(): void {
    this.#fail(this.#options.overLimit(this.#options.range.from))
  }
}

const separator = Buffer.from(',')
