import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type EdgeMessage, type EdgeRequest, type EdgeResponse, headText } from '../send-answer.js'

/** The connection of an request, which hears of its end. */
export interface RequestConnection {
  readonly socket: Socket
  /** Lines of each answer behind which the connection stays. */
  readonly stays: string
  /** The client's address, behind the proxies that are believed. */
  addressOf(message: EdgeMessage): string
  /** Ends the connection when nothing moves on it for so long, in milliseconds; 0 for ever. */
  setTimeout(milliseconds: number): void
  /** The answer is on its way. */
  ended(closes: boolean): void
}

const END = '\r\n'
const GONE = `Connection: close${END}`
const CHUNKED = `Transfer-Encoding: chunked${END}`
const HEXADECIMAL = 16

/** A request that was read from its connection whole, and its answer: one object, since there is one for each request. */
export class FastRequest implements EdgeRequest, EdgeMessage, EdgeResponse {
  readonly headers: IncomingHttpHeaders
  readonly params: Readonly<Record<string, string>>
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
    params: Readonly<Record<string, string>>,
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

  answer(status: number, lines: string, body: string | Uint8Array | null, close: boolean): void {
    const { socket } = this
    this.headersSent = true
    this.#closes = close
    const head = this.#head(status, lines, close ? GONE : this.#connection.stays)
    if (body === null) socket.write(head + END, 'latin1')
    else if (typeof body === 'string') {
      const length = Buffer.byteLength(body)
      // What is ASCII is written as it is, without being encoded.
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

  /** An answer that is sent while it is made; its lines tell neither a length nor how it is told apart from the next. */
  writeHead(status: number, lines: string[]): void {
    this.headersSent = true
    this.#closes = lines.includes('close')
    const head = this.#head(status, headText(lines), this.#closes ? '' : this.#connection.stays)
    this.socket.write(`${head}${CHUNKED}${END}`, 'latin1')
  }

  write(piece: string | Uint8Array, taken?: () => void): boolean {
    const { socket } = this
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    // A chunk without bytes would be the end of the answer.
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

  /** The connection is gone, or has taken the answer: those who listen are told once. */
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

const millisecondsPerSecond = 1_000

let current: string | undefined
const forget = () => {
  current = undefined
}

/** The time as the `Date` header has it (RFC 9110, section 6.6.1): made once a second, and only while it is asked for. */
function httpDate(): string {
  if (current === undefined) {
    const now = new Date()
    current = now.toUTCString()
    setTimeout(forget, millisecondsPerSecond - now.getMilliseconds()).unref()
  }
  return current
}
