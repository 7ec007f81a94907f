export type { DirectRequests } from '../fast-lane/bypass-fastify.js'
export { type MountRpcOptions, mountRpc } from './mount-rpc.js'
export { type DirectRoutes, type RpcRoutes, registerDirectRpc, registerRpc } from './register-rpc.js'
export { type RpcServerSettings, rpcServerOptions } from './rpc-server-options.js'
