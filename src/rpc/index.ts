export { errorResponse, resultHead } from './encode-response.js'
export type { JsonObject, JsonValue } from './json.js'
export type {
  FailureDescriptor,
  MethodDescriptor,
  ParamDescriptor,
  ServiceDescriptor,
  ValidationProblem,
  Validator,
} from './method-descriptor.js'
export { type MessageProblem, type ParsedMessage, parseMessage } from './parse-message.js'
export { type RawId, rawIds } from './raw-ids.js'
export { type JsonSource, RawJson, RawJsonStream } from './raw-json.js'
export {
  createReadRequest,
  type EnvelopeProblem,
  type EnvelopeRules,
  idTextOf,
  type ReadRequest,
  type RpcRequest,
} from './read-request.js'
export { RpcError, type RpcErrorOptions } from './rpc-error.js'
export { type JsonScan, scanJson } from './scan-json.js'
