export { createQuota, type Quota } from './quota.js'
export { quotaErrorData, quotaHeaders, type Standing, type Taken } from './quota-answer.js'
export { createRequestQueue, type Place, type RequestQueue } from './request-queue.js'
