import { failure } from '@concordat/node-access-contract/errors'
import type { LogFlow, LogReceiver, LogText } from '../../nodes/index.js'
import { ByteQueue } from './byte-queue.js'
import type { LogDeadline } from './log-deadline.js'
import type { BlockRange } from './log-filter.js'
import type { LogStream } from './log-stream.js'

/** Options of a log collector. */
export interface CollectorOptions {
  /** Reserves memory, or releases it if negative; returns false when the budget is exceeded. */
  readonly hold: (bytes: number) => boolean
  /**
   * Handles logs over the memory budget: stream them after the held logs, only count them from now on, or
   * stop.
   */
  readonly overflow: (held: ByteQueue) => LogStream | 'count' | 'enough'
  /** The deadline pauses while the caller receives logs. */
  readonly deadline: Pick<LogDeadline, 'pause' | 'resume'>
  /** Returns true when no more logs of the part are needed. */
  readonly isEnough?: (() => boolean) | undefined
  /** Logs up to this block are counted in `early`. */
  readonly earlyTo?: number | undefined
}

const separator = Buffer.from(',')

/** Maximum number of logs in a part that the collector sorts; sorting more takes too long. */
const unorderedMost = 20_000

/** Collects the logs of a range, part by part. Checks that they belong to the range, and sorts them. */
export class LogCollector implements LogReceiver {
  /** The logs in order, with commas between them. */
  readonly queue = new ByteQueue()
  /** The block of each held log; streamed logs are not included. */
  readonly blocks: number[] = []
  /** Number of held logs up to the block `earlyTo`. */
  early = 0
  /** Number of logs in the current part. */
  logsInPart = 0
  readonly #options: CollectorOptions
  #range: BlockRange | undefined
  /** Start of the current part. */
  #partFrom = { logs: 0, bytes: 0, early: 0 }
  /** Index in its block and length in bytes of each log of the current part. */
  #part: { readonly index: number; readonly length: number }[] = []
  #partHeld = 0
  #last: LogText | undefined
  #isOrdered = true
  #isFirst = true
  #isCounting = false
  #stream: LogStream | undefined
  /** True when logs of the part may have been streamed. */
  #isPassedOn = false

  constructor(options: CollectorOptions) {
    this.#options = options
  }

  /**
   * Starts a new part.
   * @param range its blocks; undefined for a single block that is identified by its hash
   */
  beginPart(range: BlockRange | undefined): void {
    this.#range = range
    this.#partFrom = { logs: this.blocks.length, bytes: this.queue.size, early: this.early }
    this.logsInPart = 0
    this.#part = []
    this.#partHeld = 0
    this.#last = undefined
    this.#isOrdered = true
    this.#isPassedOn = false
  }

  /**
   * Completes the part, and sorts its logs if needed.
   * @throws RpcError nodeAnsweredRubbish for two logs with the same position
   */
  endPart(): void {
    if (this.#isOrdered) return
    const { logs, bytes } = this.#partFrom
    const blocks = this.blocks.splice(logs)
    if (this.#isCounting) {
      for (const block of blocks.sort((a, b) => a - b)) this.blocks.push(block)
      return
    }
    const text = this.queue.from(bytes)
    let from = bytes === 0 ? 0 : separator.length
    const unordered = this.#part.map(({ index, length }, at) => {
      const log = { block: blocks[at] ?? 0, index, text: text.subarray(from, from + length) }
      from += length + separator.length
      return log
    })
    this.queue.truncate(bytes)
    this.#isFirst = bytes === 0
    unordered.sort(compare)
    for (const [at, log] of unordered.entries()) {
      const before = unordered[at - 1]
      if (before !== undefined && compare(log, before) === 0)
        throw failure('nodeAnsweredRubbish', { cause: 'two logs with the same position' })
      this.blocks.push(log.block)
      this.#append(log.text)
    }
  }

  /** True while the logs of the part are in the chain's order. */
  get isOrdered(): boolean {
    return this.#isOrdered
  }

  take(logs: readonly LogText[]): LogFlow {
    let bytes = 0
    for (const log of logs) {
      if (!this.#belongs(log)) return 'rubbish'
      const order = this.#last === undefined ? 1 : compare(log, this.#last)
      if (order === 0) return 'rubbish'
      if (order < 0) this.#isOrdered = false
      this.#last = log
      bytes += log.text.length + separator.length
    }
    this.logsInPart += logs.length
    if (!this.#isOrdered && this.logsInPart > unorderedMost) return 'rubbish'
    if (this.#stream !== undefined) return this.#isOrdered ? this.#send(this.#stream, logs) : 'rubbish'
    if (!this.#isCounting && !this.#options.hold(bytes)) return this.#overflow(logs)
    this.#partHeld += this.#isCounting ? 0 : bytes
    return this.#keep(logs)
  }

  restart(): boolean {
    if (this.#isPassedOn) return false
    const { logs, bytes, early } = this.#partFrom
    this.#options.hold(-this.#partHeld)
    this.blocks.length = logs
    this.early = early
    this.queue.truncate(bytes)
    this.#isFirst = bytes === 0
    this.beginPart(this.#range)
    return true
  }

  async pausedFor(turn: Promise<void>): Promise<void> {
    const { deadline } = this.#options
    deadline.pause()
    await turn
    deadline.resume()
  }

  #keep(logs: readonly LogText[]): LogFlow {
    const { earlyTo = -1, isEnough } = this.#options
    for (const { text, block, index } of logs) {
      this.blocks.push(block)
      if (block <= earlyTo) this.early++
      if (this.#isCounting) continue
      this.#part.push({ index, length: text.length })
      this.#append(text)
    }
    return isEnough?.() === true ? 'enough' : 'more'
  }

  #append(text: Uint8Array): void {
    if (!this.#isFirst) this.queue.append(separator)
    this.#isFirst = false
    this.queue.append(text)
  }

  #overflow(logs: readonly LogText[]): LogFlow {
    // Streamed logs cannot be sorted any more.
    if (!this.#isOrdered) return 'rubbish'
    const fate = this.#options.overflow(this.queue)
    if (fate === 'enough') return fate
    if (fate === 'count') {
      this.#isCounting = true
      return this.#keep(logs)
    }
    this.#stream = fate
    this.blocks.length = 0
    return this.#send(fate, logs)
  }

  #send(stream: LogStream, logs: readonly LogText[]): LogFlow {
    this.#isPassedOn = true
    for (const { text } of logs) this.#append(text)
    stream.appended()
    if (!stream.isFull) return 'more'
    const { deadline } = this.#options
    deadline.pause()
    return stream.hasRoom().then(() => deadline.resume())
  }

  #belongs({ block }: LogText): boolean {
    const range = this.#range
    if (range === undefined) return this.#last === undefined || block === this.#last.block
    return block >= range.from && block <= range.to
  }
}

/** Orders logs by their position in the chain. */
const compare = (a: LogText, b: LogText) => a.block - b.block || a.index - b.index
