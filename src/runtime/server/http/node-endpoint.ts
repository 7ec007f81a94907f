import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { MountOptions } from '../service/mount-options.js'
import { createHttpEdge, type HttpEdge, type HttpEndpoint } from './http-edge.js'
import { NodeRequest } from './node-request.js'
import { type HttpOptions, serviceEndpoint } from './protocol-endpoint.js'
import type { EdgeMessage, ServerRequest } from './send-answer.js'

/** Options of {@link createNodeHandler}. */
export type NodeHandlerOptions<Context> = MountOptions<IncomingMessage, Context> & HttpOptions

/** Answers one request of Node's HTTP server, whatever its path. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Creates a handler for Node's HTTP server, and for frameworks on top of it, such as Express. It answers POST and
 * OPTIONS, and every other verb with 405. The body must not have been read before.
 */
export function createNodeHandler<Context>(options: NodeHandlerOptions<Context>): NodeHandler {
  const endpoint = nodeService(options)
  const serve = createServe(createHttpEdge(endpoint), endpoint)
  return (request, response) => serve(request, response, undefined)
}

/** The requests of Node's HTTP server, handled with a service. */
export const nodeService = <Context>(options: NodeHandlerOptions<Context>): HttpEndpoint<NodeRequest> =>
  serviceEndpoint(options, ({ raw }: NodeRequest) => raw)

/**
 * Answers a request that Node has parsed.
 * @param routed the request of the framework
 * @param own its path parameters, and the reason to refuse it
 */
export type Serve<Routed> = (
  raw: IncomingMessage,
  response: ServerResponse,
  routed: Routed,
  own?: {
    readonly params?: ServerRequest['params'] | undefined
    readonly problem?: 'missingKey' | undefined
  },
) => void

/**
 * Creates the function that passes requests to an edge.
 * @param addressOf returns the client's address, as reported by trusted proxies. Default: that of the connection
 */
export function createServe<Routed = undefined>(
  edge: HttpEdge<NodeRequest<Routed>>,
  { limits, failures }: Pick<HttpEndpoint, 'limits' | 'failures'>,
  addressOf: (message: EdgeMessage) => string = ({ socket }) => socket.remoteAddress ?? '',
): Serve<Routed> {
  const closeWithConnection = createCloseWithConnection()
  const options = { addressOf, limits, failures }
  return (raw, response, routed, { params = {}, problem } = {}) => {
    closeWithConnection(response)
    edge.receive(new NodeRequest(raw, response, routed, params, options), problem)
  }
}

/**
 * Creates the step that closes a response after a disconnect. With pipelined requests, Node closes only the
 * current response. The later responses would never get the event, and would keep their memory.
 */
function createCloseWithConnection(): (response: ServerResponse) => void {
  const waiting = new WeakMap<Socket, Set<ServerResponse>>()
  const begin = (socket: Socket): Set<ServerResponse> => {
    const responses = new Set<ServerResponse>()
    waiting.set(socket, responses)
    socket.once('close', () => {
      for (const response of responses) {
        if (response.socket !== null) continue
        response.destroy()
        response.emit('close')
      }
    })
    return responses
  }
  return (response) => {
    // The current response of a connection has its socket.
    if (response.socket !== null) return
    const { socket } = response.req
    const responses = waiting.get(socket) ?? begin(socket)
    responses.add(response)
    response.on('close', () => responses.delete(response))
  }
}
