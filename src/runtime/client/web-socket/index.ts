export { connectRpc } from './connect.js'
export {
  type ConnectOptions,
  type Gap,
  type ReceivedCall,
  type ReconnectOptions,
  type SocketContract,
  type SocketOptions,
  type SocketState,
  type Subscription,
  type SubscriptionMethods,
  type SubscriptionOptions,
  socketDefaults,
  type WebSocketLike,
} from './connect-options.js'
