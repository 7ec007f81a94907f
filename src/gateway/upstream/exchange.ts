import type { Dispatcher } from 'undici'
import type { AnswerRoom } from './answer-room.js'

/** An answer up to this size, in bytes, takes no room that is counted. */
const smallAnswerBytes = 65_536

/** What an exchange travels on, as far as it can be aborted. */
export type Abortable = Pick<Dispatcher.DispatchController, 'abort'>

/**
 * One POST to a node and its answer; it is told what comes as undici does that. It ends with exactly one word to who extends it, and
 * with none when it is cancelled.
 */
export abstract class Exchange implements Dispatcher.DispatchHandler {
  /** Told of the answer's headers, names in lower case, where somebody learns from them. */
  hearHeaders: ((headers: Readonly<Record<string, unknown>>) => void) | undefined = undefined
  readonly #mostBytes: number
  readonly #chunks: Buffer[] = []
  #controller: Abortable | undefined
  #status = 0
  #size = 0
  /** Bytes of the room that the answer has taken. */
  #held = 0
  #hasEnded = false
  readonly #room: AnswerRoom | undefined

  /**
   * @param mostBytes the largest answer that is read
   * @param room where all large answers that are being read have to fit
   */
  constructor(mostBytes: number, room?: AnswerRoom) {
    this.#mostBytes = mostBytes
    this.#room = room
  }

  /** What is sent. */
  abstract readonly body: string
  /** True for calls of constant cost, which may be asked twice. */
  abstract readonly isSmall: boolean
  /** Header that goes with it, where the request of a call in it is traced. */
  abstract readonly traceparent: string | undefined

  /** Told once, before anything else, that nothing more comes of it: also when it is cancelled. */
  protected landed(): void {
    // For those who count them.
  }

  /** Takes what came of the answer; returns what is to be kept of it. */
  protected kept(_controller: Abortable, chunk: Buffer): Buffer {
    return chunk
  }

  /** The node's whole answer came, but for what was not kept. */
  protected abstract received(status: number, text: string): void
  /** The answer is larger than may be read; the connection has been cut. */
  protected abstract receivedTooMuch(): void
  /** There is no room for the answer beside the others that are being read; the connection has been cut. */
  protected abstract receivedWithoutRoom(): void
  /** There is no answer: the connection could not be made, or ended before the answer did. */
  protected abstract broke(cause: unknown): void

  /**
   * Cuts the connection: nobody waits for the answer any more.
   * @returns false when the exchange has ended already
   */
  protected cancel(): boolean {
    if (this.#hasEnded) return false
    this.#end()
    this.#leaveRoom()
    this.#cut()
    return true
  }

  onRequestStart(controller: Abortable): void {
    this.#controller = controller
    if (this.#hasEnded) this.#cut()
  }

  onResponseStart(_controller: Abortable, status: number, headers?: Readonly<Record<string, unknown>>): void {
    this.#status = status
    if (headers !== undefined) this.hearHeaders?.(headers)
  }

  onResponseData(controller: Abortable, chunk: Buffer): void {
    if (this.#hasEnded) return
    const kept = this.kept(controller, chunk)
    this.#size += kept.length
    this.#chunks.push(kept)
    if (this.#size <= smallAnswerBytes || this.#hasEnded) return
    const isTooMuch = this.#size > this.#mostBytes
    if (!isTooMuch && this.#takeRoom()) return
    this.cancel()
    if (isTooMuch) this.receivedTooMuch()
    else this.receivedWithoutRoom()
  }

  onResponseEnd(): void {
    if (this.#hasEnded) return
    this.#end()
    const [first] = this.#chunks
    const bytes = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks)
    this.received(this.#status, bytes.toString('utf8'))
    this.#leaveRoom()
  }

  onResponseError(_controller: Abortable, cause: Error): void {
    if (this.#hasEnded) return
    this.#end()
    this.#leaveRoom()
    this.broke(cause)
  }

  #end(): void {
    this.#hasEnded = true
    this.landed()
  }

  #takeRoom(): boolean {
    if (this.#room?.take(this.#size - this.#held) === false) return false
    this.#held = this.#size
    return true
  }

  #leaveRoom(): void {
    if (this.#held === 0) return
    this.#room?.give(this.#held)
    this.#held = 0
  }

  #cut(): void {
    this.#controller?.abort(new DOMException('nobody waits for the answer', 'AbortError'))
  }
}
