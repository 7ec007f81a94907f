import type { JsonSource } from '../../../rpc/index.js'
import type { ByteQueue } from './byte-queue.js'

/** What waits for the caller before it is sent, in bytes: a whole block. */
const pieceBytes = 65_536

/** What waits for the caller before no more is asked for, in bytes. */
const aheadBytes = 262_144

const opening = Buffer.from('[')
const closing = Buffer.from(']')

/** An answer of logs that is sent while it is made: it holds no more than the caller is about to take. */
export class LogStream implements JsonSource {
  /** Fulfilled once the answer was taken to its end, or nobody takes it any more. */
  readonly closed: Promise<void>
  readonly #queue: ByteQueue
  readonly #onCancel: () => void
  #close: () => void = () => undefined
  #hasBegun = false
  #isComplete = false
  #failure: { readonly reason: unknown } | undefined
  #isClosed = false
  /** What the caller was given last. */
  #sent: Buffer | undefined
  #wakeReader: (() => void) | undefined
  #wakeWriter: (() => void) | undefined

  /**
   * @param queue the logs, with commas between them; more may be appended
   * @param onCancel told that the caller takes no more
   */
  constructor(queue: ByteQueue, onCancel: () => void) {
    this.#queue = queue
    this.#onCancel = onCancel
    this.closed = new Promise((resolve) => {
      this.#close = resolve
    })
  }

  /** True while enough waits for the caller. */
  get isFull(): boolean {
    return this.#queue.size >= aheadBytes && !this.#isClosed
  }

  /** Logs were appended to the queue. */
  appended(): void {
    if (this.#isClosed) this.#queue.truncate(0)
    else this.#wakeReader?.()
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
    if (this.#sent !== undefined) this.#queue.reuse(this.#sent)
    this.#sent = undefined
    if (!this.#hasBegun && !this.#isClosed) {
      this.#hasBegun = true
      return opening
    }
    while (!this.#isClosed) {
      if (this.#failure !== undefined) {
        this.#end()
        throw this.#failure.reason
      }
      if (this.#queue.size > pieceBytes || (this.#isComplete && this.#queue.size > 0)) return this.#piece()
      if (this.#isComplete) {
        this.#end()
        return closing
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

  #piece(): Uint8Array | undefined {
    this.#sent = this.#queue.take()
    if (!this.isFull) this.#wakeWriter?.()
    return this.#sent
  }

  #end(): void {
    this.#isClosed = true
    this.#queue.truncate(0)
    this.#wakeReader?.()
    this.#wakeWriter?.()
    this.#close()
  }
}
