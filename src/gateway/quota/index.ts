export { createQuota, type Quota, type Standing, type Taken } from './quota.js'
export { createRequestQueue, type Place, type RequestQueue } from './request-queue.js'
export { limitScopes } from './window.js'
export { createWorkGate, type WorkGate } from './work-gate.js'
