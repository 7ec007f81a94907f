export { createFailoverClient, type FailoverOptions, failoverDefaults } from './create-failover-client.js'
