import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import {
  type EdgeMessage,
  type EdgeRequest,
  type EdgeResponse,
  headText,
  type ServerRequest,
} from '../http/send-answer.js'

/** The connection of a request. */
export interface RequestConnection {
  readonly socket: Socket
  /** Header lines of answers that keep the connection open. */
  readonly stays: string
  /** Returns the client's address, as reported by trusted proxies. */
  addressOf(message: EdgeMessage): string
  /** Closes the connection after this idle time, in milliseconds; 0 disables the timeout. */
  setTimeout(milliseconds: number): void
  /**
   * Called after the operating system has accepted the answer.
   * @param closes whether the connection closes
   */
  ended(closes: boolean): void
}

const END = '\r\n'
const GONE = `Connection: close${END}`
const CHUNKED = `Transfer-Encoding: chunked${END}`
const HEXADECIMAL = 16

const millisecondsPerSecond = 1_000

/** The header value for the current second; undefined if it must be formatted. */
let current: string | undefined
const forget = () => {
  current = undefined
}

/** Returns the value of the `Date` header (RFC 9110, section 6.6.1), cached for the current second. */
function httpDate(): string {
  if (current === undefined) {
    const now = new Date()
    current = now.toUTCString()
    setTimeout(forget, millisecondsPerSecond - now.getMilliseconds()).unref()
  }
  return current
}

/**
 * A completely received request and its answer. They are one object to save an allocation for each request.
 */
export class FastRequest implements EdgeRequest, EdgeMessage, EdgeResponse {
  readonly headers: IncomingHttpHeaders
  readonly params: ServerRequest['params']
  readonly #body: Uint8Array | string
  headersSent = false
  writableFinished = false
  closed = false
  readonly #connection: RequestConnection
  #listeners: (() => void)[] | undefined = undefined
  #closes = false

  constructor(
    connection: RequestConnection,
    headers: IncomingHttpHeaders,
    params: ServerRequest['params'],
    body: Uint8Array | string,
  ) {
    this.#connection = connection
    this.headers = headers
    this.params = params
    this.#body = body
  }

  get raw(): this {
    return this
  }

  get response(): this {
    return this
  }

  get socket(): Socket {
    return this.#connection.socket
  }

  get method(): string {
    return 'POST'
  }

  get httpVersion(): string {
    return '1.1'
  }

  get complete(): boolean {
    return true
  }

  get ip(): string {
    return this.#connection.addressOf(this)
  }

  get destroyed(): boolean {
    return this.closed || this.socket.destroyed
  }

  get writableLength(): number {
    return this.socket.writableLength
  }

  readBody(): Uint8Array | string {
    return this.#body
  }

  arrivedBody(): Uint8Array | string {
    return this.#body
  }

  answer(status: number, lines: string, body: string | Uint8Array | null, close: boolean): void {
    const { socket } = this
    this.headersSent = true
    this.#closes = close
    const head = this.#head(status, lines, close ? GONE : this.#connection.stays)
    if (body === null) socket.write(head + END, 'latin1')
    else if (typeof body === 'string') {
      const length = Buffer.byteLength(body)
      // ASCII text is written without encoding it.
      const encoding = length === body.length ? 'latin1' : 'utf8'
      socket.write(`${head}content-length: ${length}${END}${END}${body}`, encoding)
    } else {
      socket.cork()
      socket.write(`${head}content-length: ${body.length}${END}${END}`, 'latin1')
      socket.write(body)
      socket.uncork()
    }
    this.#finish()
  }

  /**
   * Starts a streamed answer. The lines contain neither a length nor a transfer encoding; this method adds
   * chunked encoding.
   */
  writeHead(status: number, lines: string[]): void {
    this.headersSent = true
    this.#closes = lines.includes('close')
    const head = this.#head(status, headText(lines), this.#closes ? '' : this.#connection.stays)
    this.socket.write(`${head}${CHUNKED}${END}`, 'latin1')
  }

  write(piece: string | Uint8Array, taken?: () => void): boolean {
    const { socket } = this
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    // An empty chunk would end the answer.
    if (bytes.length === 0) return socket.write('', 'latin1', taken)
    socket.cork()
    socket.write(`${bytes.length.toString(HEXADECIMAL)}${END}`, 'latin1')
    socket.write(bytes)
    const isTaken = socket.write(END, 'latin1', taken)
    socket.uncork()
    return isTaken
  }

  end(piece?: string | Uint8Array): void {
    if (piece !== undefined) this.write(piece)
    this.socket.write(`0${END}${END}`, 'latin1')
    this.#finish()
  }

  destroy(): void {
    this.socket.destroy()
  }

  setTimeout(milliseconds: number): void {
    this.#connection.setTimeout(milliseconds)
  }

  once(_event: 'close', listener: () => void): void {
    this.#listeners ??= []
    this.#listeners.push(listener)
  }

  off(_event: 'close', listener: () => void): void {
    this.#listeners = this.#listeners?.filter((one) => one !== listener)
  }

  /** Notifies the listeners once: the connection closed, or accepted the whole answer. */
  close(): void {
    if (this.closed) return
    this.closed = true
    const listeners = this.#listeners
    this.#listeners = undefined
    if (listeners !== undefined) for (const listener of listeners) listener()
  }

  #head(status: number, lines: string, connection: string): string {
    return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}${END}${lines}Date: ${httpDate()}${END}${connection}`
  }

  #finish(): void {
    const { socket } = this
    if (socket.writableLength === 0) this.#finished()
    else socket.write('', 'latin1', () => this.#finished())
  }

  #finished(): void {
    if (this.closed) return
    this.writableFinished = true
    this.close()
    this.#connection.ended(this.#closes)
  }
}
