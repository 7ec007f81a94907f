import { isAscii } from 'node:buffer'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { HttpEdge } from '../http-edge.js'
import type { Limits } from '../limits.js'
import type { EdgeMessage } from '../send-answer.js'
import type { DirectRequests } from './bypass-fastify.js'
import { FastRequest, type RequestConnection } from './fast-request.js'
import { type RequestHead, readRequestHead, URL_AT } from './request-head.js'

const MILLISECONDS = 1_000
/** A request up to this size, in bytes, may be held as long as its connection: its head is likely to come again. */
const BYTES_HELD = 2_048

/** What arrives beyond so many bytes while a request is answered is not read; up to them a disconnect is noticed. */
const BYTES_AHEAD = 16_384

/** What all plain connections of a server have in common. */
interface Lane {
  readonly server: Server
  /** Those who took the server's connections before: Node's HTTP. */
  readonly others: ReturnType<Server['listeners']>
  readonly direct: DirectRequests
  readonly edge: HttpEdge
  readonly limits: Pick<Limits, 'headerBytes' | 'headerCount'>
  readonly connections: Set<FastConnection>
}

/**
 * Takes connections before Node's HTTP does, whose parser, messages and streams cost more than all that is done for a
 * local answer. A request to an RPC path that arrives in one piece and in the plainest form is read and answered here.
 * With the first one that is not, its connection is given to Node's HTTP for good, which sees it from that request's
 * first byte: what is unusual, slow or wrong is answered there.
 * @returns closes the connections that wait for their next request
 */
export function takeConnections(
  app: FastifyInstance,
  direct: DirectRequests,
  edge: HttpEdge,
  limits: Lane['limits'],
): () => void {
  const { server } = app
  const others = server.listeners('connection')
  server.removeAllListeners('connection')
  const connections = new Set<FastConnection>()
  const lane = { server, others, direct, edge, limits, connections }
  server.on('connection', (socket: Socket) => connections.add(new FastConnection(socket, lane)))
  const closeIdle = () => {
    for (const connection of connections) connection.closeIfIdle()
  }
  app.addHook('preClose', (done) => {
    closeIdle()
    done()
  })
  return closeIdle
}

/** A connection as long as what comes on it is plain. It has no state between requests but what waits. */
class FastConnection implements RequestConnection {
  readonly socket: Socket
  readonly stays: string
  readonly #lane: Lane
  /** The request that is being answered. */
  #request: FastRequest | undefined = undefined
  /** What came while it was. */
  #waiting: Buffer | undefined = undefined
  #hasServed = false
  /** The head of a request before. */
  #head: RequestHead | undefined = undefined
  /** Time-out of the connection in force, in milliseconds. */
  #timeout = 0
  readonly #onData = (chunk: Buffer) => this.#take(chunk)
  readonly #onTimeout = () => this.#timedOut()
  readonly #onClose = () => this.#closed()
  readonly #onEnd = () => {
    // Who ends its side has left, as for Node's HTTP: what it still waits for is given up.
    this.socket.end()
  }
  readonly #onError = () => {
    // The connection closes behind it.
  }

  constructor(socket: Socket, lane: Lane) {
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
    return this.#lane.direct.addressOf(message)
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
    const { direct, edge, limits } = this.#lane
    const text = chunk.toString('latin1', 0, Math.min(chunk.length, limits.headerBytes))
    const head = readRequestHead(text, this.#head, limits.headerCount)
    const params = head && direct.paramsOf(head.url, chunk, URL_AT)
    if (params === undefined || head === undefined || head.bodyAt + head.bodyBytes !== chunk.length) {
      this.#handOver(chunk)
      return
    }
    // Text that is ASCII is read already.
    const body =
      text.length === chunk.length && isAscii(chunk) ? text.slice(head.bodyAt) : chunk.subarray(head.bodyAt)
    const request = new FastRequest(this, head.headers, params, body)
    this.#request = request
    this.#hasServed = true
    if (head.lines !== this.#head?.lines && chunk.length <= BYTES_HELD) this.#head = head
    edge.post(request)
  }

  /** Node's HTTP goes on, from the first byte that was not answered. */
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
