export {
  createReadRequest,
  type EnvelopeProblem,
  type EnvelopeRules,
  errorResponse,
  idTextOf,
  type JsonSource,
  RawJson,
  RawJsonStream,
  type ReadRequest,
  type RpcRequest,
  resultHead,
} from './envelope.js'
export { exponentialDelay } from './exponential-delay.js'
export type { HandlerCall, Logger, ResponseHeaders } from './handler-call.js'
export type { JsonObject, JsonValue } from './json.js'
export type {
  ErrorDescriptor,
  FailureDescriptor,
  MethodDescriptor,
  ParamDescriptor,
  ServiceDescriptor,
  ValidationProblem,
  Validator,
} from './method-descriptor.js'
export {
  type JsonScan,
  type MessageProblem,
  type ParsedMessage,
  parseMessage,
  type RawId,
  rawIds,
  scanJson,
} from './parse-message.js'
export {
  isResponse,
  type MethodTypes,
  type ParamsOf,
  Peer,
  PeerClosedError,
  type ResultOf,
  type RpcPeer,
} from './peer.js'
export { RpcError, type RpcErrorOptions } from './rpc-error.js'
