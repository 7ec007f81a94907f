export { type MountRpcOptions, mountRpc } from './mount-rpc.js'
export { type FastifyRpcRequest, type RpcRoutes, registerRpc } from './register-rpc.js'
export { type RpcServerSettings, rpcServerOptions } from './rpc-server-options.js'
