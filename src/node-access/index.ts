export {
  type CallOptions,
  type ClientOptions,
  clientDefaults,
  type Fetch,
  isTransportError,
  type Outcome,
  sendRequest,
  TransportError,
  type TransportTrouble,
} from '@concordat/client'
export {
  type BatchCalls,
  type Client,
  createClient,
  isRpcError,
  type MethodError,
  type ServiceError,
  type ServiceErrorName,
} from '@concordat/node-access-contract/client'
export type * from '@concordat/node-access-contract/types'
export {
  createProvider,
  type Provider,
  type ProviderListener,
  type ProviderRequest,
} from './create-provider.js'
export { ProviderError } from './provider-error.js'
