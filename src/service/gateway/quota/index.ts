export { returnLeasesOfDead } from './lease-journal.js'
export { createQuota, type Quota, type Standing, type Taken } from './quota.js'
export { createQuotaNotices } from './quota-notices.js'
export { limitScopes } from './window.js'
