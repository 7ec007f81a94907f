import type { IncomingMessage } from 'node:http'
import { type NodeHandlerOptions, nodeService } from './http/node-endpoint.js'
import { type ListenOptions, type RunningServer, serveHttp } from './http/node-server.js'
import type { Methods } from './protocol/handlers-to-call.js'
import { createService, type ServiceOptions } from './service/create-service.js'
import type { ContextOption, HttpOptions } from './service/mount-options.js'

/** Options of a server. */
export type ServerOptions<M extends Methods, Context> = ContextOption<IncomingMessage, Context> &
  ServiceOptions<M, Context> &
  HttpOptions & {
    /** Path of the endpoint. A segment that begins with `:` matches any text. Default: `/`. */
    readonly path?: string
    /** Path of health checks, answered with 200, or with 503 while the server stops. Default: none. */
    readonly healthPath?: string
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
export function createServer<M extends Methods, Context = unknown>(
  options: ServerOptions<M, Context>,
): RpcServer {
  const { path = '/', healthPath } = options
  const mounted = { ...options, service: createService(options) } as NodeHandlerOptions<Context>
  const routes = { ...nodeService(mounted), paths: [path], healthPath }
  return { listen: (address) => serveHttp(routes, address) }
}
