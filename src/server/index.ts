export {
  type AnsweredMessage,
  type Body,
  billedItems,
  createAnswerMessage,
  type ItemHandler,
  readMessage,
} from './answer-message.js'
export {
  createServer,
  type ListenOptions,
  type RpcServer,
  type RunningServer,
  type ServerOptions,
} from './create-server.js'
export {
  type Answer,
  type AnswerText,
  errorAnswer,
  type ItemAnswer,
  isSource,
  reportEnd,
  resultAnswer,
  resultText,
  singleAnswer,
} from './encode-answer.js'
export { defaultFailures, type Failure, type FailureId, type Failures, failureError } from './failures.js'
export type { DirectRequests } from './fast-lane/bypass-fastify.js'
export { handleByProtocol } from './handle-by-protocol.js'
export { type HandlersOf, handlersToCall, type Methods, MissingHandlerError } from './handlers-to-call.js'
export { bodyProblem, type HandleRequest } from './http-edge.js'
export { type CorsOptions, defaultCors } from './http-headers.js'
export { defaultLimits, type Limits } from './limits.js'
export { createProtocolHandler, type ProtocolHandler } from './protocol-handler.js'
export type {
  Admission,
  Admit,
  Call,
  CallResult,
  ErrorReport,
  PositionalParams,
  ProtocolOptions,
} from './protocol-options.js'
export { createCallReader, discoverMethod, type InvalidCall, type ValidCall } from './read-call.js'
export {
  type DirectRoutes,
  type RegisteredRpc,
  type RpcRoutes,
  registerDirectRpc,
  registerRpc,
} from './register-rpc.js'
export { type RpcServerSettings, rpcServerOptions } from './rpc-server-options.js'
export type { EdgeMessage, EdgeRequest, EdgeResponse } from './send-answer.js'
export { type StopOptions, type StopReport, stopGracefully } from './stop-gracefully.js'
