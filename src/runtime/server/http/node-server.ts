import { lookup } from 'node:dns/promises'
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { type Limits, positiveInteger, serverLimits } from '../protocol/limits.js'
import { countConnection } from '../sharing/loop-clock.js'
import { createClientErrorHandler } from './client-errors.js'
import { type ConnectionLimits, createConnectionCounts } from './connection-counts.js'
import { createHttpEdge, type HttpEdge, type HttpEndpoint } from './http-edge.js'
import { fixedHeaders } from './http-headers.js'
import { listenOn } from './listening-sockets.js'
import { createServe, type Serve } from './node-endpoint.js'
import type { NodeRequest } from './node-request.js'
import { createPathMatcher, type MatchPath } from './path-matcher.js'
import type { EdgeMessage, EdgeRequest } from './send-answer.js'
import { type StopReport, stopGracefully, trackConnections } from './stop-gracefully.js'

/** How a server on Node's HTTP handles requests beside those of its endpoint. */
export interface ServerRules {
  /** Path of health checks, answered with 200, or with 503 on open connections while the server stops. Default: none. */
  readonly healthPath?: string | undefined
  /** Seconds after which a graceful stop closes unanswered requests. Default: the contract's `gracefulStopSeconds`. */
  readonly gracefulStopSeconds?: number | undefined
  /**
   * Patterns of path parameters. Default: any text. With `otherwise`, the application gets a path first if a parameter
   * does not match its pattern.
   */
  readonly paramPatterns?: Readonly<Record<string, RegExp>> | undefined
  /**
   * Handles all requests but a POST or OPTIONS to a path of the endpoint, such as pages. `next` lets the endpoint answer: a request
   * to one of its paths, or else the error `missingKey`. Default: `next`.
   */
  readonly otherwise?: Otherwise | undefined
  /**
   * Returns the group in which an address is counted, such as its /64 for IPv6, for the limits `connectionsPerAddress`
   * and `newConnectionsPerAddress`. Returns undefined for trusted proxies, which have no limit. Excess connections are
   * closed before anything is received. Default: no limits.
   */
  readonly countedAs?: ((address: string) => string | undefined) | undefined
  /** Replaces these two limits of the contract. Changes of its members apply to new connections. */
  readonly connectionLimits?: ConnectionLimits | undefined
  /** Returns the client's address, as reported by trusted proxies. Default: the address of the connection. */
  readonly addressOf?: ((message: EdgeMessage) => string) | undefined
  /** Called when the server stops, after its last new connection. Requests in flight are still answered. */
  readonly onClose?: (() => PromiseLike<unknown>) | undefined
}

/** Handles requests of an application. */
export type Otherwise = (request: IncomingMessage, response: ServerResponse, next: () => void) => void

/** The routes of a server on Node's HTTP. */
export interface NodeRoutes<Request extends NodeRequest | EdgeRequest = NodeRequest>
  extends HttpEndpoint<Request>,
    ServerRules {
  /** Paths of the endpoint. A segment that begins with `:` matches any text, such as the key in `/:key`. */
  readonly paths: readonly string[]
}

/** The address to listen on. */
export interface ListenOptions {
  /** 0 chooses a free port. */
  readonly port: number
  /** Default: `127.0.0.1`. */
  readonly host?: string
}

/** A running server. */
export interface RunningServer {
  readonly url: string
  /** Node's HTTP server, to mount WebSockets on and to limit connections (`maxConnections`, `drop`). */
  readonly server: Server
  /** The open connections, including those that have not sent anything yet. */
  readonly connections: ReadonlySet<Socket>
  /**
   * Stops the server. Requests in flight are answered first.
   * @param deadlineMilliseconds time after which unanswered requests are closed. Default: `gracefulStopSeconds`
   */
  close(deadlineMilliseconds?: number): Promise<StopReport>
}

const MILLISECONDS = 1_000
/** Number of Node's checks for overdue requests within the request timeout. */
const CHECKS_PER_TIMEOUT = 20
/** Longer than the idle timeout of common load balancers, so that they close connections first. */
const KEEP_ALIVE_MILLISECONDS = 72_000

/** Returns the options of Node's HTTP server that enforce a contract's limits of headers and time. */
export function httpServerOptions(limits: Limits): ServerOptions {
  const { headerBytes, headerTimeoutSeconds, requestTimeoutSeconds } = limits
  const requestTimeout = requestTimeoutSeconds * MILLISECONDS
  return {
    maxHeaderSize: headerBytes,
    requestTimeout,
    headersTimeout: Math.min(headerTimeoutSeconds * MILLISECONDS, requestTimeout),
    connectionsCheckingInterval: Math.ceil(requestTimeout / CHECKS_PER_TIMEOUT),
    requireHostHeader: false,
  }
}

/**
 * Serves an endpoint with Node's HTTP server. Other paths get the error `missingKey`, and other verbs than POST
 * and OPTIONS get `wrongVerb`.
 */
export const serveHttp = (routes: NodeRoutes, address: ListenOptions): Promise<RunningServer> =>
  listen(routes, createHttpEdge(routes), undefined, address)

/**
 * Handles connections before Node's HTTP server does.
 * @returns a function that closes idle connections
 */
export type TakeConnections = (server: Server, routing: Routing) => () => void

/** How the requests of taken connections find their endpoint and their caller. */
export interface Routing {
  /** Returns the path parameters of a path of the endpoint; undefined for all other URLs. */
  readonly paramsOf: MatchPath
  /** Returns the client's address, as reported by trusted proxies. */
  readonly addressOf: (message: EdgeMessage) => string
}

/**
 * Listens with Node's HTTP server.
 * @param takeConnections called before anything else listens to the server. Default: Node handles all connections
 */
export async function listen(
  routes: Omit<NodeRoutes, 'handle'>,
  edge: HttpEdge<NodeRequest>,
  takeConnections: TakeConnections | undefined,
  { port, host = '127.0.0.1' }: ListenOptions,
): Promise<RunningServer> {
  const { limits, failures, paths, connectionLimits } = routes
  if (connectionLimits !== undefined)
    for (const name of ['connectionsPerAddress', 'newConnectionsPerAddress'] as const)
      positiveInteger(`connectionLimits.${name}`, connectionLimits[name])
  const { gracefulStopSeconds } = serverLimits(limits, { gracefulStopSeconds: routes.gracefulStopSeconds })
  const { addressOf = ({ socket }: EdgeMessage) => socket.remoteAddress ?? '' } = routes
  const server = createServer({ ...httpServerOptions(limits), keepAliveTimeout: KEEP_ALIVE_MILLISECONDS })
  // By default Node drops headers beyond a count silently.
  server.maxHeadersCount = 0
  const fixed = fixedHeaders(routes.cors, limits)
  server.on('clientError', createClientErrorHandler(failures, fixed, limits, routes.onUnreadable))
  const matchPath = createPathMatcher(paths)
  const ownPath = ownPathOf(matchPath, routes)
  const state = { isStopping: false }
  const serve = createServeAll(routes, createServe(edge, routes, addressOf), matchPath, ownPath, state)
  server.on('request', serve)
  // An unknown expectation is no reason to refuse a request (RFC 9110, section 10.1.1).
  server.on('checkExpectation', serve)
  const closeLane = takeConnections?.(server, { paramsOf: ownPath, addressOf })
  const connections = trackConnections(server)
  if (routes.countedAs !== undefined) limitConnections(server, routes.countedAs, connectionLimits ?? limits)
  server.prependListener('connection', countConnection)
  // A host name may have several addresses; the server listens on the first one.
  const { address, family } = await lookup(host)
  const sockets = await listenOn(server, connections, { port, host: address })
  const rpc = {
    drain: edge.drain,
    connections,
    stopListening: sockets.close,
    closeIdle() {
      closeLane?.()
      server.closeIdleConnections()
    },
  }
  const app = {
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      await routes.onClose?.()
      await closed
    },
  }
  return {
    server,
    connections,
    url: new URL(paths[0] ?? '/', `http://${family === 6 ? `[${address}]` : address}:${sockets.port}`).href,
    close(deadlineMilliseconds = gracefulStopSeconds * MILLISECONDS) {
      state.isStopping = true
      return stopGracefully({ app, rpc, deadlineMilliseconds })
    },
  }
}

/** Closes excess connections before any listener receives them. The server emits `drop` for each closed connection. */
function limitConnections(
  server: Server,
  countedAs: NonNullable<ServerRules['countedAs']>,
  limits: ConnectionLimits,
): void {
  const counts = createConnectionCounts(limits)
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const address = countedAs(socket.remoteAddress ?? '')
    const leave = address === undefined ? undefined : counts.open(address)
    if (address !== undefined && leave === undefined) {
      // A reset skips the TIME_WAIT state, in which the system keeps a closed connection for a minute.
      socket.resetAndDestroy()
      server.emit('drop')
      return
    }
    if (leave !== undefined) socket.once('close', leave)
    for (const listener of listeners) listener.call(server, socket)
  })
}

/** Creates the listener of all requests: health, the endpoint, the application. */
function createServeAll(
  { healthPath, otherwise }: ServerRules,
  serveRpc: Serve<undefined>,
  matchPath: MatchPath,
  ownPath: MatchPath,
  state: { readonly isStopping: boolean },
) {
  return (raw: IncomingMessage, response: ServerResponse): void => {
    const { url = '' } = raw
    if (healthPath !== undefined && raw.method === 'GET' && url.split('?', 1)[0] === healthPath) {
      answerHealth(response, state.isStopping)
      return
    }
    // The application serves other verbs at these paths first, such as a page for browsers.
    const isOwnVerb = raw.method === 'POST' || raw.method === 'OPTIONS'
    const own = otherwise === undefined || !isOwnVerb ? undefined : ownPath(url)
    if (own !== undefined) {
      serveRpc(raw, response, undefined, { params: own })
      return
    }
    const next = () => {
      const params = matchPath(url)
      serveRpc(raw, response, undefined, params === undefined ? { problem: 'missingKey' } : { params })
    }
    if (otherwise === undefined) next()
    else otherwise(raw, response, next)
  }
}

/** The matcher of the paths whose parameters have their patterns. */
function ownPathOf(matchPath: MatchPath, { paramPatterns = {} }: ServerRules): MatchPath {
  const patterns = Object.entries(paramPatterns)
  return (url) => {
    const params = matchPath(url)
    if (params === undefined) return undefined
    for (const [name, pattern] of patterns) if (!pattern.test(params[name] ?? '')) return undefined
    return params
  }
}

function answerHealth(response: ServerResponse, isStopping: boolean): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  response.writeHead(isStopping ? 503 : 200, headers)
  response.end(JSON.stringify({ status: isStopping ? 'stopping' : 'ok' }))
}
