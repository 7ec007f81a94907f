import { METHODS } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Answer } from './encode-answer.js'
import { failureAnswer } from './encode-answer.js'
import { bypassFastify, type DirectRequests } from './fast-lane/bypass-fastify.js'
import { takeConnections } from './fast-lane/connections.js'
import { handleByProtocol } from './handle-by-protocol.js'
import { createHttpEdge, type HandleRequest, type HttpEdge, type HttpEdgeOptions } from './http-edge.js'
import type { ProtocolHandler } from './protocol-handler.js'
import { RoutedRequest, routedRequest } from './routed-request.js'

/** Where requests are served. */
interface RpcPaths {
  /** Fastify paths, such as `/:key`; query strings are ignored. */
  readonly paths: readonly string[]
  /**
   * True for a server that serves RPC only, beside routes for single paths: every other path and verb is answered
   * `missingKey`. Otherwise only `paths` are touched.
   */
  readonly alone?: boolean | undefined
}

/** The routes of a protocol handler. */
export interface RpcRoutes<Context> extends RpcPaths, Pick<HttpEdgeOptions, 'cors'> {
  readonly protocol: ProtocolHandler<Context>
  /**
   * Returns the context of a request before its body is read. A thrown RpcError is the answer, with its status and
   * `Retry-After`; anything else is reported and answered `handlerFailed`.
   */
  readonly authorize: (request: FastifyRequest, reply: FastifyReply) => Context | PromiseLike<Context>
}

/** The routes of a function that handles HTTP requests. */
export interface DirectRoutes extends RpcPaths, HttpEdgeOptions {
  readonly handle: HandleRequest
}

/** Registered routes. */
export interface RegisteredRpc extends Pick<HttpEdge, 'drain'> {
  /** The open connections, including those that have not sent anything yet. */
  readonly connections: ReadonlySet<Socket>
  /** Closes the connections that wait for their next request. */
  closeIdle(): void
}

const SERVED_VERBS = ['POST', 'OPTIONS']
const OTHER_VERBS = METHODS.filter((verb) => !SERVED_VERBS.includes(verb) && verb !== 'CONNECT')
const TOO_LARGE = 'FST_ERR_CTP_BODY_TOO_LARGE'
const ABORTED = 'ECONNRESET'

/**
 * Serves a protocol handler at paths of a Fastify server made with {@link rpcServerOptions}, in a scope of its own:
 * POST and OPTIONS, 405 for every other verb. Other paths belong to the application, unless `alone` is true. May be
 * called several times for different paths, before the server is ready. A path that is served already makes `ready` and
 * `listen` reject.
 */
export function registerRpc<Context>(app: FastifyInstance, routes: RpcRoutes<Context>): RegisteredRpc {
  const { protocol, authorize, cors } = routes
  const { limits, failures } = protocol
  const handle = handleByProtocol(protocol, ({ request, reply }: RoutedRequest) => authorize(request, reply))
  const edge = createHttpEdge(handle, { limits, failures, cors })
  return {
    ...register(app, { ...routes, limits }, edge, protocol.fail),
    closeIdle: () => app.server.closeIdleConnections(),
  }
}

/**
 * Serves a function that handles HTTP requests. POST requests that `direct` recognises are handled without Fastify: its
 * hooks do not see them. Must be called before anything else listens to the server's requests.
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

/** @param fail answers a request for which one of the application's hooks threw */
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
    // Every route but POST is answered before its handler, and before a body is read.
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
    // A path that lacks its key is a request without a key.
    for (const url of folders(routes.paths)) scope.route({ method: 'POST', url, ...unknownPath })
    scope.route({ method: ['POST', ...OTHER_VERBS], url: '*', ...unknownPath })
    scope.route({ method: 'OPTIONS', url: '*', onRequest: preflight, ...unused })
  })
  return { drain: edge.drain, connections: trackConnections(app) }
}

/** The paths without their last parameter, such as `/v2` for `/v2/:key`; without those that have another or are the root. */
function folders(paths: readonly string[]): readonly string[] {
  const all = paths.map((path) => path.replace(/\/:\w+$/, ''))
  return [...new Set(all)].filter((path) => path !== '' && !path.includes(':') && !paths.includes(path))
}

function trackConnections({ server }: FastifyInstance): ReadonlySet<Socket> {
  const connections = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return connections
}
