import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type HttpOptions, serviceEndpoint } from '../http/protocol-endpoint.js'
import type { RegisteredRpc } from '../http/stop-gracefully.js'
import type { MountOptions } from '../service/mount-options.js'
import { type FastifyRpcRequest, registerRpc } from './register-rpc.js'

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
  const endpoint = serviceEndpoint(options, ({ routed }: FastifyRpcRequest) => routed)
  return registerRpc(app, { ...endpoint, paths: [options.path] })
}
