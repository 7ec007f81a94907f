import type { IncomingMessage } from 'node:http'
import { takeConnections } from './fast-lane/connections.js'
import { createHttpEdge } from './http/http-edge.js'
import { type NodeHandlerOptions, nodeService } from './http/node-endpoint.js'
import {
  type ListenOptions,
  listen,
  type NodeRoutes,
  type RunningServer,
  type ServerRules,
  serveHttp,
} from './http/node-server.js'
import { type HttpOptions, serviceEndpoint } from './http/protocol-endpoint.js'
import type { EdgeRequest, ServerRequest } from './http/send-answer.js'
import type { Methods } from './protocol/protocol-options.js'
import { createService, type ServiceOptions } from './service/create-service.js'
import type { ContextOption, MountOptions } from './service/mount-options.js'

/** Options of a server, besides those of its service. */
export interface PathOptions extends ServerRules {
  /** Path of the endpoint, or several. A segment that begins with `:` is a parameter. Default: `/`. */
  readonly path?: string | readonly string[] | undefined
}

/** Options of a server. */
export type ServerOptions<Context, M extends Methods = Methods> = ContextOption<IncomingMessage, Context> &
  ServiceOptions<Context, M> &
  HttpOptions &
  PathOptions

/** Options of a server with the fast lane, whose context function gets the same request with it and without it. */
export type HttpServerOptions<Context> = MountOptions<ServerRequest, Context> &
  HttpOptions &
  PathOptions & {
    /** If true, plain requests are read from their sockets, without Node's parser. Default: true. */
    readonly fastLane?: boolean | undefined
  }

/** A server that is not listening yet. */
export interface RpcServer {
  listen(options: ListenOptions): Promise<RunningServer>
}

/**
 * Creates an HTTP server of a contract: a service ({@link createService}) on Node's HTTP server.
 *
 * @throws MissingHandlerError if a method of the contract has no handler; RangeError for a limit or a
 * `batchCallsAtOnce` outside the supported range
 */
export function createServer<Context = unknown, M extends Methods = Methods>(
  options: ServerOptions<Context, M>,
): RpcServer {
  const mounted = { ...options, service: createService(options) } as NodeHandlerOptions<Context>
  const routes = { ...options, ...nodeService(mounted), paths: pathsOf(options) }
  return { listen: (address) => serveHttp(routes, address) }
}

/** Creates an HTTP server of a service, with the fast lane unless it is turned off. */
export function createHttpServer<Context>(options: HttpServerOptions<Context>): RpcServer {
  const endpoint = serviceEndpoint(options, (request: EdgeRequest): ServerRequest => request)
  const routes = { ...options, ...endpoint, paths: pathsOf(options) }
  const serve = options.fastLane === false ? serveHttp : serveFast
  return { listen: (address) => serve(routes, address) }
}

/** Serves an endpoint with the fast lane: plain requests are read from their sockets, without Node's parser. */
async function serveFast(routes: NodeRoutes<EdgeRequest>, address: ListenOptions): Promise<RunningServer> {
  const edge = createHttpEdge(routes)
  const { limits } = routes
  return listen(
    routes,
    edge,
    (server, routing) => takeConnections(server, { ...routing, edge, limits }),
    address,
  )
}

const pathsOf = ({ path = '/' }: PathOptions): readonly string[] => (typeof path === 'string' ? [path] : path)
