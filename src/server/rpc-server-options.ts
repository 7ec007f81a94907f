import type { Server } from 'node:http'
import type { FastifyHttpOptions } from 'fastify'
import { createClientErrorHandler, type OnUnreadable } from './client-errors.js'
import { defaultFailures, type Failures } from './failures.js'
import { type CorsOptions, defaultCors, fixedHeaders } from './http-headers.js'
import { defaultLimits, type Limits } from './limits.js'
import { createSender } from './send-answer.js'
import { failureAnswer } from './single-answer.js'

/** What a contract says about the HTTP server under it; what is left out is the default. */
export interface RpcServerSettings {
  readonly limits?: Partial<Limits> | undefined
  readonly failures?: Partial<Failures> | undefined
  readonly cors?: Partial<CorsOptions> | undefined
  /** Told of each request that could not be read: too slow, headers too large, no HTTP, a path that is none. */
  readonly onUnreadable?: OnUnreadable | undefined
}

const MILLISECONDS = 1_000
/** How often Node looks for requests that are overdue, as a part of the time that they have. */
const CHECKS_PER_TIMEOUT = 20

/**
 * The Fastify options under which {@link registerRpc} keeps its promises: bounds on headers and time, and a
 * JSON-RPC body for what never becomes a request. The server's own request log is off: paths may hold keys.
 */
export function rpcServerOptions(settings: RpcServerSettings = {}): FastifyHttpOptions<Server> {
  const limits = { ...defaultLimits, ...settings.limits }
  const failures = { ...defaultFailures, ...settings.failures }
  const fixed = fixedHeaders({ ...defaultCors, ...settings.cors }, limits.corsMaxAgeSeconds)
  const sender = createSender(fixed, limits, () => false)
  const requestTimeout = limits.requestTimeoutSeconds * MILLISECONDS
  return {
    logger: false,
    bodyLimit: limits.bodyBytes,
    requestTimeout,
    return503OnClosing: false,
    clientErrorHandler: createClientErrorHandler(failures, fixed, settings.onUnreadable),
    // A path that cannot be decoded is one that nothing serves.
    frameworkErrors: (_error, request, reply) => {
      const answer = failureAnswer(failures.missingKey)
      const own = settings.onUnreadable?.('missingKey', request.raw.socket)
      sender.sendUnread(request, reply, { ...answer, headers: { ...answer.headers, ...own } })
    },
    routerOptions: { maxParamLength: limits.headerBytes },
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: Math.ceil(requestTimeout / CHECKS_PER_TIMEOUT),
      requireHostHeader: false,
    },
  }
}
