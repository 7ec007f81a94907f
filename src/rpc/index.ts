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
export type { JsonObject, JsonValue } from './json.js'
export type {
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
export { RpcError, type RpcErrorOptions } from './rpc-error.js'
