import { limits } from '../../../generated/contract.js'
import { RpcError } from '../../rpc/index.js'
import type { Admission } from '../../server/index.js'
import { serverFailures } from '../telemetry/server-failures.js'
import type { Payer, Quota } from './quota.js'
import { quotaErrorData, quotaHeaders, type Standing, type Taken } from './quota-answer.js'

/**
 * Charges requests to a key and its user: how many may run, the headers that every answer carries, and the error of
 * the others. Asked for 0 requests it gives the headers.
 */
export type Charge = (payer: Payer, requests: number) => Admission | Promise<Admission>

/** Makes the charge of a quota. */
export function createCharge(quota: Quota): Charge {
  return (payer, requests) => {
    const taken = quota.take(payer, requests)
    return taken instanceof Promise ? taken.then(admission) : admission(taken)
  }
}

function admission(taken: Taken): Admission {
  const { admitted, refusing } = taken
  const headers: Readonly<Record<string, string>> = quotaHeaders(taken, limits.quotaWindowSeconds)
  return refusing === undefined ? { admitted, headers } : { admitted, error: spent(refusing), headers }
}

/** Clients sleep for the whole of `Retry-After`, so it is said only when the count starts again soon. */
function spent(refusing: Standing): RpcError {
  const isNear = refusing.secondsToReset <= limits.retryAfterMaximumSeconds
  return new RpcError({
    ...serverFailures.quotaSpent,
    data: quotaErrorData(refusing),
    retryAfterSeconds: isNear ? refusing.secondsToReset : undefined,
  })
}
