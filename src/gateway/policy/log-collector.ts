import type { LogFlow, LogReceiver, LogText } from '../node-call.js'
import type { LogDeadline } from './log-deadline.js'
import type { LogStream } from './log-stream.js'

/** Blocks of a part, by number, both ends included. */
export interface PartRange {
  readonly from: bigint
  readonly to: bigint
}

/** What logs are collected with. */
export interface CollectorOptions {
  /** Takes bytes that are to be held; false when there is no room for them. */
  readonly hold: (bytes: number) => boolean
  /**
   * Says what becomes of logs for which there is no room: they are sent with those that were held, only counted from now
   * on, or not needed.
   */
  readonly overflow: (held: LogText[]) => LogStream | 'count' | 'enough'
  /** The time that nodes have stands still while the caller takes what was found. */
  readonly deadline: Pick<LogDeadline, 'pause' | 'resume'>
  /** A part with more logs than this need not be read to its end. */
  readonly mostInPart?: number | undefined
}

const nothing = new Uint8Array(0)

/** Collects the logs of a range, part by part: checks that they belong to it, and puts them in order. */
export class LogCollector implements LogReceiver {
  readonly #options: CollectorOptions
  readonly #logs: LogText[] = []
  #range: PartRange | undefined
  /** Where the part that is read begins. */
  #partFrom = 0
  #partBytes = 0
  #last: LogText | undefined
  #isOrdered = true
  #isCounting = false
  #stream: LogStream | undefined
  /** True when logs of the part may have been sent. */
  #isPassedOn = false

  constructor(options: CollectorOptions) {
    this.#options = options
  }

  /** What was found, in order; without texts where it is only counted. */
  get logs(): readonly LogText[] {
    return this.#logs
  }

  /**
   * What follows are the logs of a part behind those before it.
   * @param range its blocks; undefined for one block that is known by its hash
   */
  beginPart(range: PartRange | undefined): void {
    this.#range = range
    this.#partFrom = this.#logs.length
    this.#partBytes = 0
    this.#last = undefined
    this.#isOrdered = true
    this.#isPassedOn = false
  }

  /** The part is complete. */
  endPart(): void {
    if (this.#isOrdered) return
    const part = this.#logs.splice(this.#partFrom).sort(compare)
    for (const log of part) this.#logs.push(log)
  }

  take(logs: readonly LogText[]): LogFlow {
    let bytes = 0
    for (const log of logs) {
      if (!this.#belongs(log)) return 'rubbish'
      if (this.#last !== undefined && compare(this.#last, log) > 0) this.#isOrdered = false
      this.#last = log
      bytes += log.text.length + 1
    }
    if (this.#stream !== undefined) return this.#isOrdered ? this.#send(this.#stream, logs) : 'rubbish'
    if (this.#isCounting) {
      this.#count(logs)
      return this.#flow()
    }
    if (!this.#options.hold(bytes)) return this.#overflow(logs)
    this.#partBytes += bytes
    for (const log of logs) this.#logs.push(log)
    return this.#flow()
  }

  restart(): boolean {
    if (this.#isPassedOn) return false
    this.#options.hold(-this.#partBytes)
    this.#logs.length = this.#partFrom
    this.beginPart(this.#range)
    return true
  }

  #flow(): LogFlow {
    const { mostInPart = Number.POSITIVE_INFINITY } = this.#options
    return this.#isOrdered && this.#logs.length - this.#partFrom > mostInPart ? 'enough' : 'more'
  }

  #overflow(logs: readonly LogText[]): LogFlow {
    // What is sent cannot be put in order any more.
    if (!this.#isOrdered) return 'rubbish'
    const fate = this.#options.overflow(this.#logs)
    if (fate === 'enough') return fate
    if (fate === 'count') {
      this.#isCounting = true
      this.#count(logs)
      return this.#flow()
    }
    this.#stream = fate
    return this.#send(fate, logs)
  }

  #count(logs: readonly LogText[]): void {
    for (const { block, index } of logs) this.#logs.push({ text: nothing, block, index })
  }

  #send(stream: LogStream, logs: readonly LogText[]): LogFlow {
    this.#isPassedOn = true
    stream.add(logs)
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

const compare = (a: LogText, b: LogText) => a.block - b.block || a.index - b.index
