export {
  createHttpServer,
  createServer,
  type HttpServerOptions,
  type PathOptions,
  type RpcServer,
  type ServerOptions,
} from './create-server.js'
export type { HttpEndpoint } from './http/http-edge.js'
export { type CorsOptions, defaultCors } from './http/http-headers.js'
export { createNodeHandler, type NodeHandler, type NodeHandlerOptions } from './http/node-endpoint.js'
export type { NodeRequest } from './http/node-request.js'
export {
  type ListenOptions,
  type NodeRoutes,
  type Otherwise,
  type RunningServer,
  type ServerRules,
  serveHttp,
} from './http/node-server.js'
export { type HttpOptions, protocolEndpoint } from './http/protocol-endpoint.js'
export type { EdgeRequest, ServerRequest } from './http/send-answer.js'
export type { StopReport } from './http/stop-gracefully.js'
export type { Body } from './protocol/answer-message.js'
export { discoverMethod } from './protocol/discover.js'
export type { Answer, AnswerText } from './protocol/encode-answer.js'
export {
  defaultFailures,
  type Failure,
  type FailureId,
  type Failures,
  failureError,
} from './protocol/failures.js'
export type { RequestFacts } from './protocol/http-source.js'
export { defaultLimits, type Limits } from './protocol/limits.js'
export { createProtocolHandler, type ProtocolHandler } from './protocol/protocol-handler.js'
export type {
  Admission,
  Call,
  CallResult,
  DocumentOption,
  ErrorReport,
  Methods,
  PositionalParams,
  ProtocolOptions,
} from './protocol/protocol-options.js'
export type { AdmissionRequest, Admit } from './service/admission.js'
export type { Middleware, RunCall } from './service/create-call.js'
export {
  createService,
  type ResponseReport,
  type RpcService,
  type ServiceOptions,
} from './service/create-service.js'
export { Exchange, type ServerCall } from './service/exchange.js'
export {
  type HandlersOf,
  handlersToCall,
  MissingHandlerError,
} from './service/handlers-to-call.js'
export type { ContextOption, MountOptions } from './service/mount-options.js'
export type { CallReport, OnRequest, RequestReport } from './service/request-report.js'
export { acceptsCoding } from './sharing/compress-answer.js'
export {
  FairLimiter,
  type FairLimits,
  Holder,
  type LeaveSignal,
  type WaitEnd,
  type WaitOptions,
} from './sharing/fair-limiter.js'
export { createMemoryLimiter } from './sharing/memory-budget.js'
export { RecentCounts } from './sharing/recent-counts.js'
export type { SharedMemory, SharingOptions } from './sharing/share.js'
