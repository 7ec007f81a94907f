import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RegisteredRpc } from '../http/connections.js'
import { beginExchange } from '../http/node-handler.js'
import { contextOf, type HttpOptions, type MountOptions } from '../service/mount-options.js'
import { registerRpc } from './register-rpc.js'

/** Options of {@link mountRpc}. */
export type MountRpcOptions<Context> = MountOptions<FastifyRequest, Context> &
  HttpOptions & {
    /** Fastify path of the endpoint, such as `/rpc` or `/:tenant`. */
    readonly path: string
  }

/**
 * Mounts a service at a path of a Fastify server that was created with the options `rpcServerOptions(service)`. May be
 * called several times for different paths, before the server is ready.
 */
export function mountRpc<Context>(app: FastifyInstance, options: MountRpcOptions<Context>): RegisteredRpc {
  const { service, path, cors, contentTypes } = options
  const context = contextOf(options)
  return registerRpc(app, {
    paths: [path],
    protocol: service,
    authorize: (request, reply) => beginExchange(service, context(request), reply.raw),
    cors,
    contentTypes,
  })
}
