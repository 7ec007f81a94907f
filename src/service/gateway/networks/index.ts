export { type OpenNetwork, openNetwork } from './open-network.js'
export {
  createServiceStatus,
  type NetworkNodes,
  type NetworkState,
  type ServiceStatus,
} from './service-status.js'
