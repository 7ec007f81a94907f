import { METHODS } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createHttpEdge, type HttpEdge, type HttpEndpoint } from '../http/http-edge.js'
import { closeSocket } from '../http/listening-sockets.js'
import { createServe, type Serve } from '../http/node-endpoint.js'
import type { NodeRequest } from '../http/node-request.js'
import { folders } from '../http/path-matcher.js'
import type { ServerRequest } from '../http/send-answer.js'
import { type RegisteredRpc, trackConnections } from '../http/stop-gracefully.js'
import { failureAnswer } from '../protocol/encode-answer.js'

/** A request of a Fastify route. */
export type FastifyRpcRequest = NodeRequest<FastifyRequest>

/** The routes of an endpoint. */
export interface RpcRoutes<Request = FastifyRpcRequest> extends HttpEndpoint<Request> {
  /** Fastify paths, such as `/:key`; query strings are ignored. */
  readonly paths: readonly string[]
  /**
   * True for a server with RPC routes only, beside routes of single paths. All other paths and verbs get the
   * error `missingKey`. If false, the server handles only `paths`.
   */
  readonly alone?: boolean | undefined
}

const OTHER_VERBS = METHODS.filter((verb) => verb !== 'POST' && verb !== 'CONNECT')

/**
 * Registers an endpoint at paths of a Fastify server with {@link rpcServerOptions}, in a separate scope. POST and
 * OPTIONS are served; all other verbs get 405. Other paths belong to the application, unless `alone` is true. May be
 * called several times for different paths, before the server is ready. A duplicate path makes `ready` and `listen`
 * reject.
 */
export function registerRpc(app: FastifyInstance, routes: RpcRoutes): RegisteredRpc {
  const edge = createHttpEdge(routes)
  return {
    ...register(app, routes, edge, createServe(edge, routes)),
    closeIdle: () => app.server.closeIdleConnections(),
  }
}

function register(
  app: FastifyInstance,
  routes: Omit<RpcRoutes, 'handle'>,
  { drain, send }: Pick<HttpEdge, 'drain' | 'send'>,
  serve: Serve<FastifyRequest>,
): Omit<RegisteredRpc, 'closeIdle'> {
  const { paths, failures, fail = () => failureAnswer(failures.handlerFailed) } = routes
  // By default Node drops headers beyond a count silently, such as X-Forwarded-For after forged headers.
  app.server.maxHeadersCount = 0
  for (const verb of OTHER_VERBS) if (!app.supportedMethods.includes(verb)) app.addHttpMethod(verb)
  const answer = (problem?: 'missingKey') => (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack()
    const params = request.params as ServerRequest['params']
    serve(request.raw, reply.raw, request, { params, problem })
  }

  // The plugin is asynchronous because an error in a synchronous plugin ends the process.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // The endpoint reads the body.
    scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null))
    // The error of a hook of the application.
    scope.setErrorHandler((error, { raw, ip }, reply) => {
      reply.hijack()
      const { method, headers } = raw
      const request = { method, headers, ip, response: reply.raw }
      send({ raw, ip, response: reply.raw }, fail(error, request))
    })
    // All routes except POST are answered before the application's hooks that check a body.
    const unused = { handler: () => undefined, exposeHeadRoute: false }
    for (const url of paths) {
      scope.route({ method: 'POST', url, handler: answer() })
      scope.route({ method: OTHER_VERBS, url, onRequest: answer(), ...unused })
    }
    if (!routes.alone) return
    // An unknown expectation is no reason to refuse a request (RFC 9110, section 10.1.1).
    app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
    const unknownPath = { onRequest: answer('missingKey'), ...unused }
    // A path without its last parameter is a request without a key.
    for (const url of folders(paths)) scope.route({ method: 'POST', url, ...unknownPath })
    scope.route({ method: ['POST', ...OTHER_VERBS], url: '*', ...unknownPath })
  })
  return {
    drain,
    connections: trackConnections(app.server),
    stopListening: () => closeSocket(app.server),
  }
}
