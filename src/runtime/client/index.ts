export type { JsonObject, JsonValue } from '@concordat/rpc'
export { exponentialDelay, RpcError } from '@concordat/rpc'
export { CallError, type DeclaredError, isCallError, type UndeclaredCode } from './call-error.js'
export type { CallKind, OptionsOf, Returned } from './call-kind.js'
export type { ClientContract, ClientMethod, ClientParam } from './client-contract.js'
export { type OwnMethod, sendRequest, tolerances } from './client-members.js'
export {
  type AnswerBody,
  type BatchLimits,
  type CallOptions,
  type ClientOptions,
  type Codec,
  clientDefaults,
  type Fetch,
  type FetchAnswer,
  type FetchRequest,
  type Middleware,
  type MiddlewareCall,
  type Next,
  type Quota,
  type ResultValidator,
  type RetryOptions,
} from './client-options.js'
export { createCodec, type DecodePlan, type QuantityTable } from './create-codec.js'
export {
  createPlainRpcClient,
  type PlainCallOptions,
  type PlainClientOptions,
} from './create-plain-rpc-client.js'
export {
  createResultValidator,
  type ResultValidatorOptions,
  type ResultValidators,
} from './create-result-validator.js'
export { type BatchCall, createRpcClient, type Outcomes } from './create-rpc-client.js'
export type { Tolerances } from './http/read-response.js'
export type { Outcome } from './pipeline/explicit-batch.js'
export { isTransportError, TransportError, type TransportTrouble } from './transport-error.js'
export type { WireParams } from './wire-params.js'
