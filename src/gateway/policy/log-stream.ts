import type { JsonSource } from '../../rpc/index.js'
import type { LogText } from '../node-call.js'

/** Size of the pieces that an answer is sent in, in bytes. */
const pieceBytes = 65_536

/** Logs that wait for the caller while more are asked for, in bytes. */
const aheadBytes = 1_048_576

const opening = Buffer.from('[')
const separator = Buffer.from(',')
const closing = Buffer.from(']')

/** A list of logs as one JSON text. */
export function logsText(logs: readonly LogText[]): Uint8Array {
  return Buffer.concat([...between(logs, opening), ...(logs.length === 0 ? [opening] : []), closing])
}

/** Logs with what stands before each of them in the list. */
function between(logs: readonly LogText[], first: Uint8Array): Uint8Array[] {
  return logs.flatMap(({ text }, index) => [index === 0 ? first : separator, text])
}

/** An answer of logs that is sent while it is made: it holds no more than the caller is about to take. */
export class LogStream implements JsonSource {
  /** Fulfilled once the answer was taken to its end, or nobody takes it any more. */
  readonly closed: Promise<void>
  readonly #onCancel: () => void
  #close: () => void = () => undefined
  #waiting: LogText[]
  /** Those of them that were taken already. */
  #taken = 0
  #bytes: number
  #before: Uint8Array = opening
  #isComplete = false
  #failure: { readonly reason: unknown } | undefined
  #isClosed = false
  #wakeReader: (() => void) | undefined
  #wakeWriter: (() => void) | undefined

  /**
   * @param logs the first ones
   * @param onCancel told that the caller takes no more
   */
  constructor(logs: LogText[], onCancel: () => void) {
    this.#waiting = logs
    this.#bytes = logs.reduce((sum, { text }) => sum + text.length, 0)
    this.#onCancel = onCancel
    this.closed = new Promise((resolve) => {
      this.#close = resolve
    })
  }

  /** True while logs enough wait for the caller. */
  get isFull(): boolean {
    return this.#bytes >= aheadBytes && !this.#isClosed
  }

  /** Adds logs behind the others. */
  add(logs: readonly LogText[]): void {
    if (this.#isClosed) return
    for (const log of logs) {
      this.#waiting.push(log)
      this.#bytes += log.text.length
    }
    this.#wakeReader?.()
  }

  /** Waits until the caller has taken enough for more to be asked for. */
  hasRoom(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeWriter = resolve
    })
  }

  /** There are no more logs. */
  end(): void {
    this.#isComplete = true
    this.#wakeReader?.()
  }

  /** The rest is not to be had. */
  fail(reason: unknown): void {
    this.#failure = { reason }
    this.#wakeReader?.()
  }

  async next(): Promise<Uint8Array | undefined> {
    while (!this.#isClosed) {
      if (this.#failure !== undefined) {
        this.#end()
        throw this.#failure.reason
      }
      if (this.#bytes >= pieceBytes || (this.#isComplete && this.#bytes > 0)) return this.#piece()
      if (this.#isComplete) {
        this.#end()
        return this.#before === opening ? Buffer.from('[]') : closing
      }
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve
      })
    }
    return undefined
  }

  cancel(): void {
    if (this.#isClosed) return
    this.#end()
    this.#onCancel()
  }

  #piece(): Uint8Array {
    let size = 0
    const from = this.#taken
    while (this.#taken < this.#waiting.length && size < pieceBytes) {
      size += this.#waiting[this.#taken]?.text.length ?? 0
      this.#taken++
    }
    const piece = Buffer.concat(between(this.#waiting.slice(from, this.#taken), this.#before))
    this.#before = separator
    this.#bytes -= size
    if (this.#bytes === 0 || this.#taken * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#taken)
      this.#taken = 0
    }
    if (!this.isFull) this.#wakeWriter?.()
    return piece
  }

  #end(): void {
    this.#isClosed = true
    this.#waiting = []
    this.#bytes = 0
    this.#wakeReader?.()
    this.#wakeWriter?.()
    this.#close()
  }
}
