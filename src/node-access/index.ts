export {
  type BatchCalls,
  type Client,
  createClient,
  isRpcError,
  type MethodError,
  type ServiceError,
  type ServiceErrorName,
} from '../../generated/client.js'
export type * from '../../generated/types.js'
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
} from '../client/index.js'
export {
  createProvider,
  type Provider,
  type ProviderListener,
  type ProviderRequest,
} from './create-provider.js'
export { ProviderError } from './provider-error.js'
