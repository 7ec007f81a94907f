import { METHODS } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { bypassFastify, type DirectRequests } from './fast-lane/bypass-fastify.js'
import { takeConnections } from './fast-lane/connections.js'
import { callerContext, createHttpEdge, type HttpEdge, type HttpEdgeOptions } from './http-edge.js'
import type { ProtocolHandler } from './protocol-handler.js'
import type { EdgeReply, EdgeRequest } from './send-answer.js'

/** How a protocol handler is reached over HTTP. */
export interface RpcRoutes<Context, Request = FastifyRequest, Reply = FastifyReply>
  extends HttpEdgeOptions<Context, Request, Reply> {
  /** Fastify paths, such as `/:key`; query strings are ignored. */
  readonly paths: readonly string[]
  /**
   * True where the server is for RPC alone, beside routes for single paths: every verb on every other path is answered
   * `missingKey`. Otherwise nothing but `paths` is touched.
   */
  readonly alone?: boolean | undefined
}

/** Routes that were registered. */
export interface RegisteredRpc extends Pick<HttpEdge, 'drain'> {
  /** The connections that are open at the moment, also those that have not sent anything yet. */
  readonly connections: ReadonlySet<Socket>
  /** Closes those of them that wait for their next request. */
  closeIdle(): void
}

const SERVED_VERBS = ['POST', 'OPTIONS']
const OTHER_VERBS = METHODS.filter((verb) => !SERVED_VERBS.includes(verb) && verb !== 'CONNECT')

/**
 * Serves a protocol handler at some paths of a Fastify server made with {@link rpcServerOptions}, in a scope of its
 * own: POST and OPTIONS, 405 for every other verb. Other paths stay the application's, unless `alone` says otherwise.
 * May be called several times for different paths, before the server is ready; a path that is served already makes
 * `ready` and `listen` reject.
 */
export function registerRpc<Context>(app: FastifyInstance, routes: RpcRoutes<Context>): RegisteredRpc {
  return {
    ...register(app, routes, createHttpEdge(routes)),
    closeIdle: () => app.server.closeIdleConnections(),
  }
}

/**
 * The same, and POST requests that `direct` knows are answered without Fastify: its hooks do not see them.
 * To be called before anything else listens to the server's requests.
 */
export function registerDirectRpc<Context>(
  app: FastifyInstance,
  routes: RpcRoutes<Context, EdgeRequest, EdgeReply>,
  direct: DirectRequests,
): RegisteredRpc {
  const edge = createHttpEdge(routes)
  const { limits } = routes.protocol
  const closePlain = direct.fastLane === false ? () => undefined : takeConnections(app, direct, edge, limits)
  bypassFastify(app, direct, edge, limits.bodyBytes)
  return {
    ...register(app, routes, edge),
    closeIdle() {
      closePlain()
      app.server.closeIdleConnections()
    },
  }
}

function register(
  app: FastifyInstance,
  routes: Pick<RpcRoutes<never>, 'paths' | 'alone'> & {
    readonly protocol: Pick<ProtocolHandler<never>, 'limits'>
  },
  edge: HttpEdge<FastifyRequest, FastifyReply>,
): Omit<RegisteredRpc, 'closeIdle'> {
  // Node drops headers beyond a count of its own silently, such as a proxy's X-Forwarded-For behind forged headers.
  app.server.maxHeadersCount = 0
  for (const verb of OTHER_VERBS) if (!app.supportedMethods.includes(verb)) app.addHttpMethod(verb)

  // The plugin is asynchronous: what a synchronous one throws ends the process.
  app.register(async (scope) => {
    scope.decorateRequest(callerContext, null)
    scope.removeAllContentTypeParsers()
    const { bodyBytes: bodyLimit } = routes.protocol.limits
    // The common type by its name: Fastify finds it without a search.
    scope.addContentTypeParser(
      ['application/json', '*'],
      { parseAs: 'buffer', bodyLimit },
      (_request, body, parsed) => {
        parsed(null, body)
      },
    )
    scope.setErrorHandler(edge.unreadable)
    // Every route but POST is answered before its handler, and before a body is read.
    const unused = { handler: edge.unknownPath, exposeHeadRoute: false }
    for (const url of routes.paths) {
      scope.route({ method: 'POST', url, onRequest: edge.gate, handler: edge.post })
      scope.route({ method: 'OPTIONS', url, onRequest: edge.preflight, ...unused })
      scope.route({ method: OTHER_VERBS, url, onRequest: edge.wrongVerb, ...unused })
    }
    if (!routes.alone) return
    // An expectation that nobody understands is no reason to refuse (RFC 9110, section 10.1.1).
    app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
    // A path that lacks its key is a request without a key.
    for (const url of folders(routes.paths)) {
      scope.route({ method: 'POST', url, onRequest: edge.unknownPath, ...unused })
    }
    scope.route({ method: ['POST', ...OTHER_VERBS], url: '*', onRequest: edge.unknownPath, ...unused })
    scope.route({ method: 'OPTIONS', url: '*', onRequest: edge.preflight, ...unused })
  })
  return { drain: edge.drain, connections: trackConnections(app) }
}

/** Paths without the parameter that they end with, such as `/v2` of `/v2/:key`; none that has another, or is the root. */
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
