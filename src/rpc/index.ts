export type { JsonObject, JsonValue } from './json.js'
export type { MethodDescriptor, ParamDescriptor, ValidationProblem, Validator } from './method-descriptor.js'
export { RpcError, type RpcErrorOptions } from './rpc-error.js'
