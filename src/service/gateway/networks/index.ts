export { type OpenNetwork, openNetwork } from './open-network.js'
export { createServiceStatus, type NetworkState, type ServiceStatus } from './service-status.js'
