import { connect, type NetConnectOpts, type Socket } from 'node:net'
import type { Exchange } from './exchange.js'
import { readPlainAnswerHead } from './plain-answer-head.js'

/** An idle connection is closed after so many milliseconds: before most servers do. */
const IDLE_MS = 4_000
/** After a connection that could not be made, in milliseconds. */
const RETRY_MS = 1_000
/** Longest head of an answer, in bytes. */
const HEAD_BYTES = 16_384
const PRINTABLE = /^[\t\x20-\x7e]*$/

/** What plain connections are made with. */
export interface PlainConnectionsOptions {
  readonly url: URL
  /** Headers of each request, names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly connectMs: number
  /** As many at most; what finds none of them free travels another way. */
  readonly connections: number
  /** Sends an exchange another way: its answer was none that is read here, or the connection ended before it. */
  readonly again: (exchange: Exchange) => void
}

/** What the connections of a node have in common. */
interface Owner {
  free(connection: PlainConnection): void
  gone(connection: PlainConnection): void
  unplain(): void
  readonly again: (exchange: Exchange) => void
}

/**
 * Connections to a node over http for calls that may be asked twice: a request is one write, and an answer in the
 * plainest form is read as it comes, for less than a client that knows all of HTTP takes. They are made once the node
 * has answered in that form; the first answer in another one is asked for again, another way, as are all that follow.
 */
export class PlainConnections implements Owner {
  readonly again: (exchange: Exchange) => void
  readonly #target: NetConnectOpts
  readonly #connectMs: number
  readonly #connections: number
  readonly #head: string
  readonly #free: PlainConnection[] = []
  readonly #all = new Set<PlainConnection>()
  /** Undefined before it is known how the node answers. */
  #isPlain: boolean | undefined
  #notBefore = 0

  constructor({ url, headers, connectMs, connections, again }: PlainConnectionsOptions) {
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    this.#target = { host, port: Number(url.port === '' ? 80 : url.port), noDelay: true }
    this.#connectMs = connectMs
    this.#connections = connections
    this.again = again
    const lines = Object.entries({ host: url.host, ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    this.#head = `POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}`
    const canBe = url.protocol === 'http:' && lines.every((line) => PRINTABLE.test(line.slice(0, -2)))
    this.#isPlain = canBe ? undefined : false
  }

  /** Hears how an answer came that was read another way, by its headers. */
  readonly learn = (headers: Readonly<Record<string, unknown>>): void => {
    if (this.#isPlain !== undefined) return
    this.#isPlain = 'content-length' in headers && !('transfer-encoding' in headers)
    if (this.#isPlain) this.#open()
  }

  /**
   * Sends an exchange's body; the exchange is told how that ends.
   * @returns false when no connection is free
   */
  post(exchange: Exchange): boolean {
    if (this.#isPlain === undefined) exchange.hearHeaders = this.learn
    if (this.#isPlain !== true) return false
    const connection = this.#free.pop()
    if (connection === undefined) {
      this.#open()
      return false
    }
    const { body, traceparent } = exchange
    const length = Buffer.byteLength(body)
    const trace = traceparent === undefined ? '' : `traceparent: ${traceparent}\r\n`
    const text = `${this.#head}${trace}content-length: ${length}\r\n\r\n${body}`
    connection.send(exchange, text, length === body.length ? 'latin1' : 'utf8')
    return true
  }

  free(connection: PlainConnection): void {
    this.#free.push(connection)
  }

  gone(connection: PlainConnection): void {
    this.#all.delete(connection)
    const at = this.#free.indexOf(connection)
    if (at >= 0) this.#free.splice(at, 1)
  }

  unplain(): void {
    this.#isPlain = false
    for (const connection of this.#free.splice(0)) connection.close()
  }

  /** Cuts the connections. */
  close(): void {
    this.#isPlain = false
    for (const connection of this.#all) connection.close()
  }

  #open(): void {
    if (this.#all.size >= this.#connections || performance.now() < this.#notBefore) return
    this.#notBefore = performance.now() + RETRY_MS
    const socket = connect(this.#target)
    const connection = new PlainConnection(socket, this)
    this.#all.add(connection)
    socket.setTimeout(this.#connectMs)
    socket.once('connect', () => {
      this.#notBefore = 0
      socket.setTimeout(IDLE_MS)
      this.free(connection)
    })
  }
}

/** One connection, with one request under way at most. */
class PlainConnection {
  readonly #socket: Socket
  readonly #owner: Owner
  #exchange: Exchange | undefined
  /** What came of a head that is not there to its end. */
  #begun: Buffer | undefined
  /** Bytes of the answer's body that are still to come; undefined before its head was read. */
  #left: number | undefined
  #stays = true
  #error: Error | undefined

  constructor(socket: Socket, owner: Owner) {
    this.#socket = socket
    this.#owner = owner
    socket.on('data', (chunk) => this.#take(chunk))
    socket.on('end', () => owner.gone(this))
    socket.on('timeout', () => {
      if (this.#exchange === undefined) this.close()
    })
    socket.on('error', (error) => {
      this.#error = error
    })
    socket.on('close', () => this.#closed())
  }

  send(exchange: Exchange, text: string, encoding: 'latin1' | 'utf8'): void {
    this.#exchange = exchange
    this.#left = undefined
    exchange.onRequestStart(this)
    this.#socket.write(text, encoding)
  }

  /** Nobody waits for the answer any more. */
  abort(): void {
    this.#exchange = undefined
    this.close()
  }

  close(): void {
    this.#owner.gone(this)
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    if (this.#exchange === undefined) this.close()
    else if (this.#left === undefined) this.#takeHead(this.#exchange, chunk)
    else this.#takeBody(this.#exchange, chunk, this.#left)
  }

  #takeHead(exchange: Exchange, chunk: Buffer): void {
    const bytes = this.#begun === undefined ? chunk : Buffer.concat([this.#begun, chunk])
    const head = readPlainAnswerHead(bytes.toString('latin1', 0, HEAD_BYTES))
    if (head === 'more' && bytes.length < HEAD_BYTES) {
      this.#begun = bytes
      return
    }
    this.#begun = undefined
    if (head === 'more' || head === undefined) {
      this.#owner.unplain()
      this.abort()
      this.#owner.again(exchange)
      return
    }
    this.#stays = head.stays
    exchange.onResponseStart(this, head.status)
    this.#takeBody(exchange, bytes.subarray(head.bodyAt), head.bodyBytes)
  }

  #takeBody(exchange: Exchange, chunk: Buffer, left: number): void {
    this.#left = left - chunk.length
    if (chunk.length > 0) exchange.onResponseData(this, this.#left < 0 ? chunk.subarray(0, left) : chunk)
    if (this.#left > 0 || this.#exchange === undefined) return
    this.#exchange = undefined
    // What comes behind the answer belongs to nothing.
    if (this.#left < 0 || !this.#stays || this.#socket.readyState !== 'open') this.close()
    else this.#owner.free(this)
    exchange.onResponseEnd()
  }

  #closed(): void {
    this.#owner.gone(this)
    const exchange = this.#exchange
    this.#exchange = undefined
    if (exchange === undefined) return
    // Idle connections are closed by nodes at any time: what was sent just then is asked again.
    if (this.#left === undefined && this.#begun === undefined) this.#owner.again(exchange)
    else
      exchange.onResponseError(this, this.#error ?? new Error('the connection was closed within the answer'))
  }
}
