export {
  createServer,
  type ListenOptions,
  type RpcServer,
  type RunningServer,
  type ServerOptions,
} from './create-server.js'
export { defaultFailures, type Failure, type FailureId, type Failures, failureError } from './failures.js'
export type { DirectRequests } from './fast-lane/bypass-fastify.js'
export { type HandlersOf, handlersToCall, type Methods, MissingHandlerError } from './handlers-to-call.js'
export { type CorsOptions, defaultCors } from './http-headers.js'
export { defaultLimits, type Limits } from './limits.js'
export { createProtocolHandler, type ProtocolHandler } from './protocol-handler.js'
export type {
  Admission,
  Admit,
  Answer,
  Call,
  CallResult,
  ErrorReport,
  PositionalParams,
  ProtocolOptions,
} from './protocol-options.js'
export { type RegisteredRpc, type RpcRoutes, registerDirectRpc, registerRpc } from './register-rpc.js'
export { type RpcServerSettings, rpcServerOptions } from './rpc-server-options.js'
export type { EdgeMessage, EdgeReply, EdgeRequest, EdgeResponse } from './send-answer.js'
export { type StopOptions, type StopReport, stopGracefully } from './stop-gracefully.js'
