export { createServer, type RpcServer, type ServerOptions } from './create-server.js'
export type { HandleRequest, HttpEndpoint, RequestProblem } from './http/http-edge.js'
export { type CorsOptions, defaultCors } from './http/http-headers.js'
export { bodyProblem } from './http/json-body.js'
export { createNodeHandler, type NodeHandler, type NodeHandlerOptions } from './http/node-endpoint.js'
export type { NodeRequest } from './http/node-request.js'
export {
  type ListenOptions,
  listenBacklog,
  type NodeRoutes,
  type RunningServer,
  serveHttp,
} from './http/node-server.js'
export { protocolEndpoint } from './http/protocol-endpoint.js'
export type { EdgeMessage, EdgeRequest, EdgeResponse } from './http/send-answer.js'
export {
  type RegisteredRpc,
  type StopOptions,
  type StopReport,
  stopGracefully,
} from './http/stop-gracefully.js'
export {
  type AnsweredMessage,
  type AnswerMessage,
  type Body,
  billedItems,
  createAnswerMessage,
  type ItemHandler,
  readMessage,
} from './protocol/answer-message.js'
export { discoverMethod } from './protocol/discover.js'
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
} from './protocol/encode-answer.js'
export { Exchange, type RequestFacts, type ServerCall } from './protocol/exchange.js'
export {
  defaultFailures,
  type Failure,
  type FailureId,
  type Failures,
  failureError,
} from './protocol/failures.js'
export {
  type HandlersOf,
  handlersToCall,
  type Methods,
  MissingHandlerError,
} from './protocol/handlers-to-call.js'
export { defaultLimits, type Limits } from './protocol/limits.js'
export { createProtocolHandler, type ProtocolHandler } from './protocol/protocol-handler.js'
export type {
  Admission,
  Call,
  CallResult,
  DocumentOption,
  ErrorReport,
  PositionalParams,
  ProtocolOptions,
} from './protocol/protocol-options.js'
export { createCallReader, type InvalidCall, type ValidCall } from './protocol/read-call.js'
export type { AdmissionRequest, Admit } from './service/admission.js'
export {
  createService,
  type Middleware,
  type ResponseReport,
  type RpcService,
  type RunCall,
  type ServiceOptions,
} from './service/create-service.js'
export type { ContextOption, HttpOptions, MountOptions } from './service/mount-options.js'
export type { CallReport, OnRequest, RequestReport } from './service/request-report.js'
