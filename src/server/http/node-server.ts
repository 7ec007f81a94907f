import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Limits } from '../protocol/limits.js'
import { createClientErrorHandler } from './client-errors.js'
import { createHttpEdge, type HttpEndpoint } from './http-edge.js'
import { fixedHeaders } from './http-headers.js'
import { createServe } from './node-endpoint.js'
import type { NodeRequest } from './node-request.js'
import { stopGracefully, stopListening, trackConnections } from './stop-gracefully.js'

/** The routes of a server on Node's HTTP. */
export interface NodeRoutes extends HttpEndpoint<NodeRequest> {
  /** Paths of the endpoint. A segment that begins with `:` matches any text, such as the key in `/:key`. */
  readonly paths: readonly string[]
  /** Path of health checks, answered with 200, or with 503 on open connections while the server stops. Default: none. */
  readonly healthPath?: string | undefined
  /** Seconds after which a graceful stop closes unanswered requests. Default: the contract's `gracefulStopSeconds`. */
  readonly gracefulStopSeconds?: number
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
  /** Node's HTTP server, to mount WebSockets on. */
  readonly server: Server
  /** Stops the server. Requests in flight are answered first, within `gracefulStopSeconds`. */
  close(): Promise<void>
}

const MILLISECONDS = 1_000
/** Number of Node's checks for overdue requests within the request timeout. */
const CHECKS_PER_TIMEOUT = 20
/** Longer than the idle timeout of common load balancers, so that they close connections first. */
/**
 * Connections that the system completes before the server accepts them. With Node's 511, a busy event loop makes the
 * system drop new connections, which are tried again after a second and more. The system lowers it to its own limit.
 */
export const listenBacklog = 4_096

const KEEP_ALIVE_MILLISECONDS = 72_000

/** Returns the options of Node's HTTP server that enforce a contract's limits of headers and time. */
export function httpServerOptions({ headerBytes, requestTimeoutSeconds }: Limits): ServerOptions {
  const requestTimeout = requestTimeoutSeconds * MILLISECONDS
  return {
    maxHeaderSize: headerBytes,
    requestTimeout,
    headersTimeout: requestTimeout,
    connectionsCheckingInterval: Math.ceil(requestTimeout / CHECKS_PER_TIMEOUT),
    requireHostHeader: false,
  }
}

/**
 * Serves an endpoint with Node's HTTP server. Other paths get the error `missingKey`, and other verbs than POST
 * and OPTIONS get `wrongVerb`.
 */
export async function serveHttp(
  routes: NodeRoutes,
  { port, host = '127.0.0.1' }: ListenOptions,
): Promise<RunningServer> {
  const { limits, failures, paths, healthPath } = routes
  const edge = createHttpEdge(routes)
  const serveRpc = createServe(edge, routes)
  const server = createServer({ ...httpServerOptions(limits), keepAliveTimeout: KEEP_ALIVE_MILLISECONDS })
  // By default Node drops headers beyond a count silently.
  server.maxHeadersCount = 0
  const fixed = fixedHeaders(routes.cors, limits)
  server.on('clientError', createClientErrorHandler(failures, fixed, limits, routes.onUnreadable))
  const isServed = pathMatcher(paths)
  let isStopping = false
  const serve = (raw: IncomingMessage, response: ServerResponse): void => {
    const { url = '' } = raw
    if (healthPath !== undefined && raw.method === 'GET' && url.split('?', 1)[0] === healthPath)
      answerHealth(response, isStopping)
    else serveRpc(raw, response, undefined, isServed(url) ? undefined : { problem: 'missingKey' })
  }
  server.on('request', serve)
  // An unknown expectation is no reason to refuse a request (RFC 9110, section 10.1.1).
  server.on('checkExpectation', serve)
  const connections = trackConnections(server)
  // A host name may have several addresses; the server listens on the first one.
  const { address, family } = await lookup(host)
  server.listen({ port, host: address, backlog: listenBacklog })
  await once(server, 'listening')
  const { port: taken } = server.address() as AddressInfo
  const rpc = {
    drain: edge.drain,
    connections,
    stopListening: () => stopListening(server),
    closeIdle: () => server.closeIdleConnections(),
  }
  const app = { close: () => new Promise<void>((resolve) => server.close(() => resolve())) }
  const seconds = routes.gracefulStopSeconds ?? limits.gracefulStopSeconds
  return {
    server,
    url: new URL(paths[0] ?? '/', `http://${family === 6 ? `[${address}]` : address}:${taken}`).href,
    async close() {
      isStopping = true
      await stopGracefully({ app, rpc, deadlineMilliseconds: seconds * MILLISECONDS })
    },
  }
}

function answerHealth(response: ServerResponse, isStopping: boolean): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  response.writeHead(isStopping ? 503 : 200, headers)
  response.end(JSON.stringify({ status: isStopping ? 'stopping' : 'ok' }))
}

/** Creates a function that returns true for the URL of a served path. Query strings are ignored. */
function pathMatcher(paths: readonly string[]): (url: string) => boolean {
  const patterns = paths.map((path) => path.split('/'))
  return (url) => {
    const [path = ''] = url.split('?', 1)
    if (paths.includes(path)) return true
    const parts = decoded(path)?.split('/') ?? []
    return patterns.some(
      (pattern) =>
        pattern.length === parts.length &&
        pattern.every((part, at) => (part.startsWith(':') ? parts[at] !== '' : part === parts[at])),
    )
  }
}

/** Decodes a path; undefined if its percent-encoding is invalid. */
function decoded(path: string): string | undefined {
  try {
    return decodeURI(path)
  } catch {
    return undefined
  }
}
