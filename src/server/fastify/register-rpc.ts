import { METHODS } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { bypassFastify, type DirectRequests } from '../fast-lane/bypass-fastify.js'
import { takeConnections } from '../fast-lane/connections.js'
import { type RegisteredRpc, trackConnections } from '../http/connections.js'
import { handleByProtocol } from '../http/handle-by-protocol.js'
import { createHttpEdge, type HandleRequest, type HttpEdge, type HttpEdgeOptions } from '../http/http-edge.js'
import type { Answer } from '../protocol/encode-answer.js'
import { failureAnswer } from '../protocol/encode-answer.js'
import type { ProtocolHandler } from '../protocol/protocol-handler.js'
import type { HttpOptions } from '../service/mount-options.js'
import { RoutedRequest, routedRequest } from './routed-request.js'

/** Paths of the routes. */
interface RpcPaths {
  /** Fastify paths, such as `/:key`; query strings are ignored. */
  readonly paths: readonly string[]
  /**
   * True for a server with RPC routes only, beside routes of single paths. All other paths and verbs get the
   * error `missingKey`. If false, the server handles only `paths`.
   */
  readonly alone?: boolean | undefined
}

/** The routes of a protocol handler. */
export interface RpcRoutes<Context> extends RpcPaths, HttpOptions {
  readonly protocol: ProtocolHandler<Context>
  /**
   * Returns the context of a request before its body is read. A thrown RpcError becomes the answer, with its
   * status and `Retry-After`. Anything else is reported and answered with `handlerFailed`.
   */
  readonly authorize: (request: FastifyRequest, reply: FastifyReply) => Context | PromiseLike<Context>
}

/** The routes of a function that handles HTTP requests. */
export interface DirectRoutes extends RpcPaths, HttpEdgeOptions {
  readonly handle: HandleRequest
}

const SERVED_VERBS = ['POST', 'OPTIONS']
const OTHER_VERBS = METHODS.filter((verb) => !SERVED_VERBS.includes(verb) && verb !== 'CONNECT')
const TOO_LARGE = 'FST_ERR_CTP_BODY_TOO_LARGE'
const ABORTED = 'ECONNRESET'

/**
 * Registers a protocol handler at paths of a Fastify server with {@link rpcServerOptions}, in a separate
 * scope. POST and OPTIONS are served; all other verbs get 405. Other paths belong to the application, unless
 * `alone` is true. May be called several times for different paths, before the server is ready. A duplicate
 * path makes `ready` and `listen` reject.
 */
export function registerRpc<Context>(app: FastifyInstance, routes: RpcRoutes<Context>): RegisteredRpc {
  const { protocol, authorize, cors, contentTypes } = routes
  const { limits, failures } = protocol
  const handle = handleByProtocol(
    protocol,
    ({ request, reply }: RoutedRequest) => authorize(request, reply),
    contentTypes,
  )
  const edge = createHttpEdge(handle, { limits, failures, cors })
  return {
    ...register(app, { ...routes, limits }, edge, protocol.fail),
    closeIdle: () => app.server.closeIdleConnections(),
  }
}

/**
 * Registers a function that handles HTTP requests. POST requests that `direct` recognises bypass Fastify and
 * its hooks. Must be called before other listeners are added to the server's requests.
 */
export function registerDirectRpc(
  app: FastifyInstance,
  routes: DirectRoutes,
  direct: DirectRequests,
): RegisteredRpc {
  const edge = createHttpEdge(routes.handle, routes)
  const closeFastLane =
    direct.fastLane === false ? () => undefined : takeConnections(app, direct, edge, routes.limits)
  bypassFastify(app, direct, edge, routes.limits.bodyBytes)
  return {
    ...register(app, routes, edge, () => failureAnswer(routes.failures.handlerFailed)),
    closeIdle() {
      closeFastLane()
      app.server.closeIdleConnections()
    },
  }
}

/** @param fail creates the answer after an error in a hook of the application */
function register(
  app: FastifyInstance,
  routes: RpcPaths & Pick<HttpEdgeOptions, 'limits'>,
  edge: HttpEdge<RoutedRequest>,
  fail: (cause: unknown) => Answer,
): Omit<RegisteredRpc, 'closeIdle'> {
  // By default Node drops headers beyond a count silently, such as X-Forwarded-For after forged headers.
  app.server.maxHeadersCount = 0
  for (const verb of OTHER_VERBS) if (!app.supportedMethods.includes(verb)) app.addHttpMethod(verb)

  // The plugin is asynchronous because an error in a synchronous plugin ends the process.
  app.register(async (scope) => {
    scope.decorateRequest(routedRequest, null)
    scope.removeAllContentTypeParsers()
    // Fastify finds the common type faster by its name.
    scope.addContentTypeParser(
      ['application/json', '*'],
      { parseAs: 'buffer', bodyLimit: routes.limits.bodyBytes },
      (_request, body, parsed) => {
        parsed(null, body)
      },
    )
    scope.setErrorHandler((error: Error & { readonly code?: string }, request, reply) => {
      const routed = RoutedRequest.of(request)
      if (error.code === ABORTED || request.raw.destroyed) {
        reply.hijack()
        routed?.disconnected()
      } else if (routed === undefined) edge.send(new RoutedRequest(request, reply), fail(error))
      else routed.bodyFailed(error.code === TOO_LARGE ? edge.bodyTooLarge() : error)
    })
    const read = (request: FastifyRequest) => RoutedRequest.of(request)?.bodyRead(request.body)
    const post: onRequestHookHandler = (request, reply, next) =>
      edge.post(RoutedRequest.begin(request, reply, next))
    const preflight: onRequestHookHandler = (request, reply) =>
      edge.preflight(new RoutedRequest(request, reply))
    const refuse =
      (problem: 'wrongVerb' | 'missingKey'): onRequestHookHandler =>
      (request, reply) =>
        edge.refuse(new RoutedRequest(request, reply), problem)
    // All routes except POST are answered before their handler, and before a body is read.
    const unused = { handler: () => undefined, exposeHeadRoute: false }
    for (const url of routes.paths) {
      scope.route({ method: 'POST', url, onRequest: post, handler: read })
      scope.route({ method: 'OPTIONS', url, onRequest: preflight, ...unused })
      scope.route({ method: OTHER_VERBS, url, onRequest: refuse('wrongVerb'), ...unused })
    }
    if (!routes.alone) return
    // An unknown expectation is no reason to refuse a request (RFC 9110, section 10.1.1).
    app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
    const unknownPath = { onRequest: refuse('missingKey'), ...unused }
    // A path without its last parameter is a request without a key.
    for (const url of folders(routes.paths)) scope.route({ method: 'POST', url, ...unknownPath })
    scope.route({ method: ['POST', ...OTHER_VERBS], url: '*', ...unknownPath })
    scope.route({ method: 'OPTIONS', url: '*', onRequest: preflight, ...unused })
  })
  return { drain: edge.drain, connections: trackConnections(app.server) }
}

/**
 * Returns the paths without their last parameter, such as `/v2` for `/v2/:key`. The root, served paths, and
 * paths with further parameters are omitted.
 */
function folders(paths: readonly string[]): readonly string[] {
  const all = paths.map((path) => path.replace(/\/:\w+$/, ''))
  return [...new Set(all)].filter((path) => path !== '' && !path.includes(':') && !paths.includes(path))
}
