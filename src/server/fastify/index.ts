export type { DirectRequests } from '../fast-lane/connections.js'
export { type MountRpcOptions, mountRpc } from './mount-rpc.js'
export { type FastifyRpcRequest, type RpcRoutes, registerDirectRpc, registerRpc } from './register-rpc.js'
export { type RpcServerSettings, rpcServerOptions } from './rpc-server-options.js'
