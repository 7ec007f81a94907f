import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Exchange } from '../protocol/exchange.js'
import { isPromiseLike } from '../protocol/promises.js'
import type { ProtocolHandler } from '../protocol/protocol-handler.js'
import type { RpcService } from '../service/create-service.js'
import { contextOf, type HttpOptions, type MountOptions } from '../service/mount-options.js'
import { handleByProtocol } from './handle-by-protocol.js'
import { createHttpEdge, type HttpEdge } from './http-edge.js'
import { createCloseWithConnection, NodeRequest } from './node-request.js'

/** How requests of Node's HTTP server are answered. */
export interface NodeEndpoint<Context> extends HttpOptions {
  readonly protocol: ProtocolHandler<Context>
  /**
   * Returns the context of a request before its body is read. A thrown RpcError becomes the answer, with its
   * status and `Retry-After`. Anything else is reported and answered with `handlerFailed`.
   */
  readonly authorize: (request: IncomingMessage, response: ServerResponse) => Context | PromiseLike<Context>
}

/** Options of {@link createNodeHandler}. */
export type NodeHandlerOptions<Context> = MountOptions<IncomingMessage, Context> & HttpOptions

/** Answers one request of Node's HTTP server, whatever its path. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Creates a handler for Node's HTTP server, and for frameworks on top of it, such as Express. It answers POST and
 * OPTIONS, and every other verb with 405. The body must not have been read before.
 */
export function createNodeHandler<Context>(options: NodeHandlerOptions<Context>): NodeHandler {
  const { serve } = createNodeEndpoint({ ...options, ...exchangesOf(options) })
  return (request, response) => serve(request, response)
}

/** Creates the exchanges of a service's HTTP requests. */
export function exchangesOf<Context>(options: MountOptions<IncomingMessage, Context>) {
  const { service } = options
  const context = contextOf(options)
  return {
    protocol: service,
    authorize: (request: IncomingMessage, response: ServerResponse) =>
      beginExchange(service, context(request), response),
  }
}

/** Creates the exchange of an HTTP request: a connection that closes too early fires the signal of its calls. */
export function beginExchange<Context>(
  service: RpcService<Context>,
  context: Context | PromiseLike<Context>,
  response: ServerResponse,
): Exchange<Context> | PromiseLike<Exchange<Context>> {
  if (isPromiseLike(context)) return context.then((settled) => begin(service, settled, response))
  return begin(service, context, response)
}

function begin<Context>(
  service: RpcService<Context>,
  context: Context,
  response: ServerResponse,
): Exchange<Context> {
  const exchange = service.begin(context)
  response.on('close', () => {
    if (!response.writableFinished) exchange.disconnect()
  })
  return exchange
}

/** Creates the function that answers requests of Node's HTTP server. */
export function createNodeEndpoint<Context>(endpoint: NodeEndpoint<Context>): {
  readonly edge: HttpEdge<NodeRequest>
  /** @param problem the reason to refuse a request */
  serve(raw: IncomingMessage, response: ServerResponse, problem?: 'missingKey'): void
} {
  const { protocol, authorize, cors, contentTypes } = endpoint
  const { limits, failures } = protocol
  const edge = createHttpEdge(
    handleByProtocol(protocol, ({ raw, response }: NodeRequest) => authorize(raw, response), contentTypes),
    { limits, failures, cors },
  )
  const closeWithConnection = createCloseWithConnection()
  const options = {
    addressOf: ({ socket }: { readonly socket: { readonly remoteAddress?: string | undefined } }) =>
      socket.remoteAddress ?? '',
    bodyBytes: limits.bodyBytes,
    edge,
  }
  return {
    edge,
    serve(raw, response, problem) {
      closeWithConnection(response)
      const request = new NodeRequest(raw, response, {}, options)
      if (raw.method === 'OPTIONS') edge.preflight(request)
      else if (problem !== undefined) edge.refuse(request, problem)
      else if (raw.method === 'POST') edge.post(request)
      else edge.refuse(request, 'wrongVerb')
    },
  }
}
