import type { Server } from 'node:http'
import type { FastifyHttpOptions } from 'fastify'
import { createClientErrorHandler, type OnUnreadable } from '../http/client-errors.js'
import { type CorsOptions, fixedHeaders } from '../http/http-headers.js'
import { httpServerOptions } from '../http/node-server.js'
import { createSendAnswer } from '../http/send-answer.js'
import { failureAnswer } from '../protocol/encode-answer.js'
import { type Failures, serverFailures } from '../protocol/failures.js'
import { type Limits, serverLimits } from '../protocol/limits.js'

/** The contract's rules for the HTTP server; each has a default. */
export interface RpcServerSettings {
  readonly limits?: Partial<Limits> | undefined
  readonly failures?: Partial<Failures> | undefined
  readonly cors?: Partial<CorsOptions> | undefined
  /** Called for each unreadable request: too slow, headers too large, not HTTP, an invalid path. */
  readonly onUnreadable?: OnUnreadable | undefined
}

/**
 * Returns the Fastify options that {@link registerRpc} requires. They limit headers and time, and give
 * unreadable requests a JSON-RPC body. Fastify's own request log is off, because paths may contain keys.
 */
export function rpcServerOptions(settings: RpcServerSettings = {}): FastifyHttpOptions<Server> {
  const limits = serverLimits({}, settings.limits)
  const failures = serverFailures(settings.failures, limits)
  const fixed = fixedHeaders(settings.cors, limits)
  const send = createSendAnswer(fixed, limits, () => false)
  const { requestTimeout = 0, ...http } = httpServerOptions(limits)
  return {
    logger: false,
    bodyLimit: limits.bodyBytes,
    requestTimeout,
    return503OnClosing: false,
    clientErrorHandler: createClientErrorHandler(failures, fixed, limits, settings.onUnreadable),
    // Undecodable paths get the error of unknown paths.
    frameworkErrors: (_error, request, reply) => {
      const answer = failureAnswer(failures.missingKey)
      const own = settings.onUnreadable?.('missingKey', request.raw.socket)
      reply.hijack()
      const { raw, ip } = request
      send({ raw, ip, response: reply.raw }, { ...answer, headers: { ...answer.headers, ...own } })
    },
    routerOptions: { maxParamLength: limits.headerBytes },
    http,
  }
}
