import type { Dispatcher } from 'undici'

/** Received bytes that wait for their reader before the node has to wait, too. */
const waitingBytes = 65_536

/** Converts `Retry-After`, which is in seconds or a date (RFC 9110, section 10.2.3), to milliseconds from now. */
function readRetryAfter(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string') return undefined
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds)
}

/**
 * The response to one POST, for undici's `dispatch`. Its body is read once, in pieces; a reader that leaves closes the
 * connection. undici's own `request` makes a stream and an abort signal for each response, which costs more than the
 * rest of a POST.
 */
export class NodeResponse implements Dispatcher.DispatchHandler {
  statusCode = 0
  /** The `content-length` in bytes; undefined without a valid one. */
  contentLength: number | undefined
  /** `Retry-After` in milliseconds from now; undefined if it is absent or invalid. */
  retryAfterMs: number | undefined
  /** Resolves when the head of the response has arrived; rejects when the connection broke before. */
  readonly head: Promise<this>
  #tellHead: (failure?: Error) => void = () => undefined
  #controller: Dispatcher.DispatchController | undefined
  readonly #chunks: Buffer[] = []
  #waiting = 0
  /** Tells a waiting reader of more bytes, of the end, or of a failure. */
  #tell: (() => void) | undefined
  #hasEnded = false
  #failure: Error | undefined

  constructor() {
    this.head = new Promise((resolve, reject) => {
      this.#tellHead = (failure) => (failure === undefined ? resolve(this) : reject(failure))
    })
  }

  /** Closes the connection, unless the response is complete. A request that was not sent is not sent. */
  close(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#failure = new Error('the request was abandoned')
    this.#controller?.abort(this.#failure)
    this.#tellHead(this.#failure)
    this.#tell?.()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#failure !== undefined) controller.abort(this.#failure)
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // An informational response precedes the response.
    if (statusCode < 200) return
    this.statusCode = statusCode
    this.contentLength = Number(headers['content-length']) || undefined
    this.retryAfterMs = readRetryAfter(headers['retry-after'])
    this.#tellHead()
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#waiting += chunk.length
    if (this.#waiting > waitingBytes) controller.pause()
    this.#tell?.()
  }

  onResponseEnd(): void {
    this.#hasEnded = true
    this.#tell?.()
  }

  onResponseError(_controller: Dispatcher.DispatchController, failure: Error): void {
    this.#hasEnded = true
    this.#failure ??= failure
    this.#tellHead(failure)
    this.#tell?.()
  }

  /** Reads the body. Throws when the connection broke. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift()
        if (chunk !== undefined) {
          this.#waiting -= chunk.length
          yield chunk
        } else if (this.#failure !== undefined) throw this.#failure
        else if (this.#hasEnded) return
        else await this.#more()
      }
    } finally {
      this.close()
    }
  }

  /** Reads the body without keeping it, so that the connection can be used again; closes it after so many bytes. */
  async drop(mostBytes: number): Promise<void> {
    let size = 0
    for await (const { length } of this) {
      size += length
      if (size > mostBytes) return
    }
  }

  #more(): Promise<void> {
    const more = new Promise<void>((resolve) => {
      this.#tell = resolve
    })
    // More bytes may arrive at once, within this call.
    this.#controller?.resume()
    return more
  }
}
