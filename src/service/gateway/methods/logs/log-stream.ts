import type { JsonSource } from '@concordat/rpc'
import type { ByteQueue } from './byte-queue.js'

/** Minimum size of a chunk to the caller, in bytes: a full block of the queue. */
const pieceBytes = 65_536

/** Maximum buffered size before reading from nodes pauses, in bytes. */
const aheadBytes = 262_144

const opening = Buffer.from('[')
const closing = Buffer.from(']')

/** A streamed answer with logs. It buffers only a limited amount ahead of the caller. */
export class LogStream implements JsonSource {
  /** Resolves when the answer was read to its end, has failed, or was cancelled. */
  readonly closed: Promise<void>
  readonly #queue: ByteQueue
  readonly #onCancel: () => void
  readonly #onSent: (bytes: number) => void
  #close: () => void = () => undefined
  #hasBegun = false
  #isComplete = false
  #failure: { readonly reason: unknown } | undefined
  #isClosed = false
  /** The last chunk that the caller received. */
  #sent: Buffer | undefined
  #wakeReader: (() => void) | undefined
  #wakeWriter: (() => void) | undefined

  /**
   * @param queue the logs, separated by commas; more may be appended
   * @param onCancel called when the caller stops reading
   * @param onSent called with the bytes that leave the queue
   */
  constructor(queue: ByteQueue, onCancel: () => void, onSent: (bytes: number) => void = () => undefined) {
    this.#queue = queue
    this.#onCancel = onCancel
    this.#onSent = onSent
    this.closed = new Promise((resolve) => {
      this.#close = resolve
    })
  }

  /** True while enough data is buffered for the caller. */
  get isFull(): boolean {
    return this.#queue.size >= aheadBytes && !this.#isClosed
  }

  /** Notifies the stream of new logs in the queue. */
  appended(): void {
    if (this.#isClosed) this.#queue.truncate(0)
    else this.#wakeReader?.()
  }

  /** Resolves when the buffer has room for more logs. */
  hasRoom(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeWriter = resolve
    })
  }

  /** Marks the answer as complete. */
  end(): void {
    this.#isComplete = true
    this.#wakeReader?.()
  }

  /** Fails the stream, because the remaining logs are unavailable. */
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
    this.#onSent(this.#sent?.length ?? 0)
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
