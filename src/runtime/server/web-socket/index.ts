import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { Connection, messagesAtOnceOf } from '../connection/connection.js'
import type { ConnectionTransport } from '../connection/transport.js'
import { type PacedBody, readPace, unpacedBytes } from '../http/body-pace.js'
import { rawResponse } from '../http/client-errors.js'
import type { Answer } from '../protocol/encode-answer.js'
import { failureError } from '../protocol/failures.js'
import { contextOf, type MountOptions } from '../service/mount-options.js'
import { createHeartbeat } from './heartbeat.js'
import { serveAsHttp } from './serve-as-http.js'

/** Options of {@link mountWebSocket}. The context is created once for each connection. */
export type WebSocketOptions<Context> = MountOptions<IncomingMessage, Context> & {
  /** Path of the endpoint, such as `/ws`, or `*` for all other paths. Query strings are ignored. */
  readonly path: string
  /** Messages of one connection that are handled at once; further ones are not read meanwhile. Default: 32. */
  readonly messagesAtOnce?: number
  /**
   * Seconds between pings. A caller who sends nothing between two pings is disconnected. `false` turns pings off.
   * Default: 30.
   */
  readonly pingSeconds?: number | false
}

/** A mounted WebSocket endpoint. */
export interface WebSocketEndpoint {
  /** The open connections. */
  readonly connections: ReadonlySet<WebSocket>
  /**
   * Refuses new connections and requests, answers the messages in hand within `gracefulStopSeconds`, and closes
   * every connection with the code 1001. Then its subscriptions end.
   */
  close(): Promise<void>
}

const MILLISECONDS = 1_000
const GOING_AWAY = 1001
const TEXT = { binary: false }
/** Proxies usually close connections that are silent for 60 seconds. */
const defaultPingSeconds = 30
const forbidden = 403
const notFound = { status: 404, headers: {}, body: null }

/**
 * Serves a service on WebSockets at one path of an HTTP server (RFC 6455). One message is one JSON-RPC message. A
 * message over the limit `bodyBytes` closes its connection with the code 1009. A caller who reads nothing for
 * `answerStallSeconds`, or does not answer a ping (`pingSeconds`), is disconnected. Other paths are left to other
 * listeners.
 *
 * @throws TypeError if the path is taken; RangeError if `pingSeconds` is not positive or does not fit a timer, and if
 * `messagesAtOnce` is no positive integer
 */
export function mountWebSocket<Context>(
  server: Server,
  options: WebSocketOptions<Context>,
): WebSocketEndpoint {
  const { service, path, pingSeconds = defaultPingSeconds } = options
  const messagesAtOnce = messagesAtOnceOf(options)
  const { limits } = service
  const contextFor = contextOf(options)
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.bodyBytes,
    perMessageDeflate: false,
    // The protocol handler checks it, and answers invalid text with an error.
    skipUTF8Validation: true,
  })
  const stallMilliseconds = limits.answerStallSeconds * MILLISECONDS
  const open = new Map<WebSocket, Served<Context>>()
  const heartbeat = createHeartbeat(pingSeconds)
  let isClosing = false

  function serve(socket: WebSocket, stream: Duplex, context: Context): void {
    heartbeat.watch(socket, stream)
    const transport = new SocketTransport(socket, stallMilliseconds)
    const connection = new Connection({ service, context, messagesAtOnce }, transport)
    open.set(socket, { connection, transport })
    // The close event follows. Without a listener, the error would end the process.
    socket.on('error', ignore)
    socket.on('close', onClose)
    socket.on('message', onMessage)
  }

  // Listeners are shared by all connections, because each function of a connection takes memory while it is idle.
  function onClose(this: WebSocket): void {
    const served = open.get(this)
    served?.connection.close()
    served?.transport.close()
    open.delete(this)
    heartbeat.forget(this)
  }

  function onMessage(this: WebSocket, data: RawData): void {
    const served = open.get(this)
    if (served === undefined) return
    const { connection, transport } = served
    const bytes = bytesOf(data)
    connection.receive(bytes)
    transport.took(bytes.byteLength, connection.hasRoom)
  }

  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    socket.on('error', ignore)
    try {
      const context = await contextFor(request)
      if (isClosing) throw failureError(service.failures.draining)
      socket.off('error', ignore)
      sockets.handleUpgrade(request, socket, head, (webSocket) => serve(webSocket, socket, context))
    } catch (cause) {
      const { method, headers } = request
      const ip = request.socket.remoteAddress
      const answer = service.fail(cause, { method, headers, ip })
      refuse(socket, answer.status === 200 ? { ...answer, status: forbidden } : answer)
    }
  }

  const unmount = mountUpgrade(server, path, upgrade)

  return {
    connections: sockets.clients,
    async close() {
      isClosing = true
      const drained = Promise.all([...open.values()].map(({ connection }) => connection.drain()))
      await settledWithin(drained, limits.gracefulStopSeconds * MILLISECONDS)
      unmount()
      heartbeat.stop()
      for (const socket of sockets.clients) {
        // A paused connection would not read the answer to its closing.
        socket.resume()
        socket.close(GOING_AWAY)
      }
      sockets.close()
    },
  }
}

type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** The mounted paths of each server. */
const mounted = new WeakMap<Server, Map<string, Upgrade>>()

/**
 * Handles the upgrade requests to one path of a server. Unknown paths are answered with 404 unless the application has a
 * listener of its own.
 * @returns a function that removes the path
 * @throws TypeError if the path is taken
 */
function mountUpgrade(server: Server, path: string, upgrade: Upgrade): () => void {
  const paths = mounted.get(server) ?? listen(server)
  if (paths.has(path)) throw new TypeError(`A WebSocket endpoint is already mounted at ${path}`)
  paths.set(path, upgrade)
  return () => paths.delete(path)
}

function listen(server: Server): Map<string, Upgrade> {
  const paths = new Map<string, Upgrade>()
  mounted.set(server, paths)
  server.on('upgrade', (request, socket, head) => {
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      // Other listeners of the application may serve the protocol.
      if (server.listenerCount('upgrade') === 1) serveAsHttp(server, request, socket, head)
      return
    }
    const [path = ''] = (request.url ?? '').split('?', 1)
    const upgrade = paths.get(path) ?? paths.get('*')
    if (upgrade !== undefined) upgrade(request, socket, head)
    else if (server.listenerCount('upgrade') === 1) refuse(socket, notFound)
  })
  return paths
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data)
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data
}

/** An open connection, and its WebSocket. */
interface Served<Context> {
  readonly connection: Connection<Context>
  readonly transport: SocketTransport
}

/**
 * Sends messages on a WebSocket, and pauses reading. A caller who accepts no message within the time is disconnected.
 * Reading pauses while the connection has no room, and after a large message until {@link readPace} resumes it.
 */
class SocketTransport implements ConnectionTransport, PacedBody {
  #hasRoom = true
  #isPaced = false
  readonly #socket: WebSocket
  readonly #milliseconds: number
  #stall: ReturnType<typeof setTimeout> | undefined = undefined

  /** @param milliseconds the time in which a message is accepted */
  constructor(socket: WebSocket, milliseconds: number) {
    this.#socket = socket
    this.#milliseconds = milliseconds
  }

  send(message: string | Uint8Array, done: (error?: Error | null) => void): void {
    const socket = this.#socket
    socket.send(message, TEXT, (error) => {
      if (this.#stall !== undefined) this.#progressed(error)
      done(error)
    })
    // Only a caller who reads slowly needs a timer.
    if (this.#stall === undefined && socket.bufferedAmount > 0)
      this.#stall = setTimeout(() => socket.terminate(), this.#milliseconds)
  }

  #progressed(error: Error | null | undefined): void {
    if (!error && this.#socket.bufferedAmount > 0) {
      this.#stall?.refresh()
      return
    }
    clearTimeout(this.#stall)
    this.#stall = undefined
  }

  /**
   * Counts a received message.
   * @param hasRoom false if the connection should read no further message
   */
  took(bytes: number, hasRoom: boolean): void {
    this.#hasRoom = hasRoom
    if (bytes > unpacedBytes) readPace.took(this, bytes)
    this.#update()
  }

  onRoom(): void {
    this.#hasRoom = true
    this.#update()
  }

  pause(): void {
    this.#isPaced = true
  }

  resume(): void {
    this.#isPaced = false
    this.#update()
  }

  close(): void {
    readPace.leave(this)
  }

  #update(): void {
    const socket = this.#socket
    if (socket.readyState !== socket.OPEN) return
    if (!this.#hasRoom || this.#isPaced) socket.pause()
    else if (socket.isPaused) socket.resume()
  }
}

const ignore = (): void => undefined

/** Waits for a promise, at most for a time. */
async function settledWithin(promise: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([promise, late])
  clearTimeout(timer)
}

/** Answers an upgrade request with an HTTP error. */
function refuse(socket: Duplex, { status, headers, body }: Answer): void {
  const type = body === null ? [] : ['content-type', 'application/json']
  socket.end(rawResponse(status, String(body ?? ''), [...type, ...Object.entries(headers).flat()]))
}
