import type { Dispatcher } from 'undici'

/**
 * One POST to a node and its answer; undici tells it what comes. It ends with exactly one word to who extends it, and
 * with none when it is cancelled.
 */
export abstract class Exchange implements Dispatcher.DispatchHandler {
  readonly #mostBytes: number
  readonly #chunks: Buffer[] = []
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #size = 0
  #hasEnded = false

  /** @param mostBytes the largest answer that is read */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** What is sent. */
  abstract readonly body: string
  /** Header that goes with it, where the request of a call in it is traced. */
  abstract readonly traceparent: string | undefined

  /** Takes what came of the answer; returns what is to be kept of it. */
  protected kept(_controller: Dispatcher.DispatchController, chunk: Buffer): Buffer {
    return chunk
  }

  /** The node's whole answer came, but for what was not kept. */
  protected abstract received(status: number, text: string): void
  /** The answer is larger than may be read; the connection has been cut. */
  protected abstract receivedTooMuch(): void
  /** There is no answer: the connection could not be made, or ended before the answer did. */
  protected abstract broke(cause: unknown): void

  /**
   * Cuts the connection: nobody waits for the answer any more.
   * @returns false when the exchange has ended already
   */
  protected cancel(): boolean {
    if (this.#hasEnded) return false
    this.#hasEnded = true
    this.#cut()
    return true
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#hasEnded) this.#cut()
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#hasEnded) return
    const kept = this.kept(controller, chunk)
    this.#size += kept.length
    this.#chunks.push(kept)
    if (this.#size <= this.#mostBytes || this.#hasEnded) return
    this.cancel()
    this.receivedTooMuch()
  }

  onResponseEnd(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const [first] = this.#chunks
    const bytes = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks)
    this.received(this.#status, bytes.toString('utf8'))
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.broke(cause)
  }

  #cut(): void {
    this.#controller?.abort(new DOMException('nobody waits for the answer', 'AbortError'))
  }
}
