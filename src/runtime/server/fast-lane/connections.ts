import { isAscii } from 'node:buffer'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpEdge } from '../http/http-edge.js'
import type { Routing } from '../http/node-server.js'
import type { EdgeMessage } from '../http/send-answer.js'
import type { Limits } from '../protocol/limits.js'
import { FastRequest, type RequestConnection } from './fast-request.js'
import { type RequestHead, readRequestHead } from './request-head.js'

const MILLISECONDS = 1_000
/** Size up to which a request is kept with its connection, in bytes, because clients usually repeat their headers. */
const BYTES_HELD = 2_048
/** Bytes that are read ahead while a request is answered, to notice a disconnect. */
const BYTES_AHEAD = 16_384

/** The requests of a server that are read here. */
export interface Lane extends Routing {
  readonly edge: HttpEdge
  readonly limits: Pick<Limits, 'headerBytes' | 'headerCount'>
}

/** State shared by all plain connections of a server. */
interface SharedLane extends Lane {
  readonly server: Server
  /** The previous connection listeners: Node's HTTP. */
  readonly others: ReturnType<Server['listeners']>
  readonly connections: Set<FastConnection>
}

/**
 * Handles connections before Node's HTTP, whose parser, messages and streams cost more than a whole local
 * answer. A POST to a path of the endpoint is handled here if it arrives in one chunk and in the simplest form. At
 * the first other request, Node's HTTP takes over the connection permanently, from the first byte of that
 * request. So Node handles all unusual, slow and invalid requests.
 * @returns a function that closes idle connections
 */
export function takeConnections(server: Server, lane: Lane): () => void {
  const others = server.listeners('connection')
  server.removeAllListeners('connection')
  const connections = new Set<FastConnection>()
  const shared = { ...lane, server, others, connections }
  server.on('connection', (socket: Socket) => connections.add(new FastConnection(socket, shared)))
  return () => {
    for (const connection of connections) connection.closeIfIdle()
  }
}

/**
 * A connection with only plain requests so far. Between requests it keeps only unread data and the last head.
 */
class FastConnection implements RequestConnection {
  readonly socket: Socket
  readonly stays: string
  readonly #lane: SharedLane
  /** The request in progress. */
  #request: FastRequest | undefined = undefined
  /** Data that arrived during the request in progress. */
  #waiting: Buffer | undefined = undefined
  #hasServed = false
  /** The head of an earlier request. */
  #head: RequestHead | undefined = undefined
  /** Current timeout of the connection, in milliseconds. */
  #timeout = 0
  readonly #onData = (chunk: Buffer) => this.#take(chunk)
  readonly #onTimeout = () => this.#timedOut()
  readonly #onClose = () => this.#closed()
  readonly #onEnd = () => {
    // A half-closed connection counts as a disconnect, as in Node's HTTP: the pending answer is cancelled.
    this.socket.end()
  }
  readonly #onError = () => {
    // The `close` event follows.
  }

  constructor(socket: Socket, lane: SharedLane) {
    this.socket = socket
    this.#lane = lane
    const { keepAliveTimeout, headersTimeout } = lane.server
    const seconds = Math.floor(keepAliveTimeout / MILLISECONDS)
    this.stays = `Connection: keep-alive\r\n${seconds > 0 ? `Keep-Alive: timeout=${seconds}\r\n` : ''}`
    this.setTimeout(headersTimeout)
    socket.on('data', this.#onData)
    socket.on('timeout', this.#onTimeout)
    socket.on('end', this.#onEnd)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
  }

  addressOf(message: EdgeMessage): string {
    return this.#lane.addressOf(message)
  }

  setTimeout(milliseconds: number): void {
    if (milliseconds === this.#timeout) return
    this.#timeout = milliseconds
    this.socket.setTimeout(milliseconds)
  }

  ended(closes: boolean): void {
    const { server } = this.#lane
    this.#request = undefined
    if (closes || !server.listening) {
      this.socket.destroySoon()
      return
    }
    this.setTimeout(server.keepAliveTimeout)
    const waiting = this.#waiting
    if (waiting === undefined) return
    this.#waiting = undefined
    this.socket.resume()
    this.#take(waiting)
  }

  closeIfIdle(): void {
    if (this.#hasServed && this.#request === undefined) this.socket.destroy()
  }

  #take(chunk: Buffer): void {
    if (this.#request !== undefined) {
      this.#waiting = this.#waiting === undefined ? chunk : Buffer.concat([this.#waiting, chunk])
      if (this.#waiting.length > BYTES_AHEAD) this.socket.pause()
      return
    }
    const { edge, limits, paramsOf } = this.#lane
    const text = chunk.toString('latin1', 0, Math.min(chunk.length, limits.headerBytes))
    const head = readRequestHead(text, this.#head, limits.headerCount)
    const params = head && paramsOf(head.url)
    if (params === undefined || head === undefined || head.bodyAt + head.bodyBytes !== chunk.length) {
      this.#handOver(chunk)
      return
    }
    // ASCII text needs no further decoding.
    const body =
      text.length === chunk.length && isAscii(chunk) ? text.slice(head.bodyAt) : chunk.subarray(head.bodyAt)
    const request = new FastRequest(this, head.headers, params, body)
    this.#request = request
    this.#hasServed = true
    if (head.lines !== this.#head?.lines && chunk.length <= BYTES_HELD) this.#head = head
    edge.receive(request)
  }

  /** Passes the connection to Node's HTTP, from the first unanswered byte. */
  #handOver(chunk: Buffer): void {
    const { socket } = this
    const { connections, server, others } = this.#lane
    connections.delete(this)
    socket.off('data', this.#onData)
    socket.off('timeout', this.#onTimeout)
    socket.off('end', this.#onEnd)
    socket.off('error', this.#onError)
    socket.off('close', this.#onClose)
    this.setTimeout(0)
    socket.unshift(chunk)
    for (const listener of others) listener.call(server, socket)
    socket.resume()
  }

  #timedOut(): void {
    const { socket } = this
    if (this.#request !== undefined && socket.writableLength === 0) return
    if (this.#hasServed) socket.destroy()
    else {
      const error = Object.assign(new Error('nothing was sent'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      this.#lane.server.emit('clientError', error, socket)
    }
  }

  #closed(): void {
    this.#lane.connections.delete(this)
    this.#request?.close()
  }
}
