export { createQuota, type Quota, type Standing, type Taken } from './quota.js'
export { limitScopes } from './window.js'
