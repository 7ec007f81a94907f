import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { PeerClosedError } from '@concordat/rpc'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { type Connection, createConnection } from '../connection/create-connection.js'
import { contextOf, type MountOptions } from '../service/mount-options.js'

/** Options of {@link mountWebSocket}. The context is created once for each connection. */
export type WebSocketOptions<Context> = MountOptions<IncomingMessage, Context> & {
  /** Path of the endpoint, such as `/ws`, or `*` for all other paths. Query strings are ignored. */
  readonly path: string
  /** Messages of one connection that are handled at once; further ones are not read meanwhile. Default: 32. */
  readonly messagesAtOnce?: number
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
const forbidden = 403
const notFound = 404
const unavailable = 503

/**
 * Serves a service on WebSockets at one path of an HTTP server (RFC 6455). One message is one JSON-RPC message. A
 * message over the limit `bodyBytes` closes its connection with the code 1009, and a caller who reads nothing for
 * `answerStallSeconds` is disconnected. Other paths are left to other listeners.
 *
 * @throws TypeError if the path is taken
 */
export function mountWebSocket<Context>(
  server: Server,
  options: WebSocketOptions<Context>,
): WebSocketEndpoint {
  const { service, path, messagesAtOnce } = options
  const { limits } = service
  const contextFor = contextOf(options)
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.bodyBytes,
    perMessageDeflate: false,
  })
  const open = new Set<Connection>()
  const inHand = new Set<Promise<unknown>>()
  let isClosing = false

  function serve(socket: WebSocket, context: Context): void {
    const connection = createConnection({
      service,
      context,
      messagesAtOnce,
      send: (message) => sendWithin(socket, message, limits.answerStallSeconds * MILLISECONDS),
      onRoom() {
        if (socket.isPaused && connection.hasRoom && socket.readyState === socket.OPEN) socket.resume()
      },
    })
    open.add(connection)
    // The close event follows. Without a listener, the error would end the process.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      open.delete(connection)
      connection.close()
    })
    socket.on('message', (data) => {
      const received: Promise<unknown> = receive(connection, data).then(() => inHand.delete(received))
      inHand.add(received)
      if (!connection.hasRoom) socket.pause()
    })
  }

  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const ignore = (): void => undefined
    socket.on('error', ignore)
    try {
      const context = await contextFor(request)
      if (isClosing) refuse(socket, unavailable, '')
      else {
        socket.off('error', ignore)
        sockets.handleUpgrade(request, socket, head, (webSocket) => serve(webSocket, context))
      }
    } catch (cause) {
      const { status, body } = service.fail(cause)
      refuse(socket, status === 200 ? forbidden : status, String(body))
    }
  }

  const unmount = mountUpgrade(server, path, upgrade)

  return {
    connections: sockets.clients,
    async close() {
      isClosing = true
      for (const connection of open) connection.drain()
      await settledWithin(inHand, limits.gracefulStopSeconds * MILLISECONDS)
      unmount()
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
    const [path = ''] = (request.url ?? '').split('?', 1)
    const upgrade = paths.get(path) ?? paths.get('*')
    if (upgrade !== undefined) upgrade(request, socket, head)
    else if (server.listenerCount('upgrade') === 1) refuse(socket, notFound, '')
  })
  return paths
}

function receive(connection: Connection, data: RawData): Promise<void> {
  if (Array.isArray(data)) return connection.receive(Buffer.concat(data))
  return connection.receive(data instanceof ArrayBuffer ? new Uint8Array(data) : data)
}

/**
 * Sends a message. A caller who does not accept it within the time is disconnected. Rejects with PeerClosedError on a
 * connection that is closing or closed.
 */
function sendWithin(socket: WebSocket, message: string | Uint8Array, milliseconds: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    socket.send(message, { binary: false }, (error) => {
      clearTimeout(timer)
      if (error) reject(new PeerClosedError())
      else resolve()
    })
    if (socket.bufferedAmount > 0) timer = setTimeout(() => socket.terminate(), milliseconds)
  })
}

/** Waits for promises, at most for a time. */
async function settledWithin(promises: ReadonlySet<Promise<unknown>>, milliseconds: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([Promise.all(promises), late])
  clearTimeout(timer)
}

/** Answers an upgrade request with an HTTP error. */
function refuse(socket: Duplex, status: number, body: string): void {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
}
