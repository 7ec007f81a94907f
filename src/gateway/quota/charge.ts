import { limits } from '../../../generated/contract.js'
import { RpcError } from '../../rpc/index.js'
import type { Admission } from '../../server/index.js'
import { serverFailures } from '../server-failures.js'
import type { Quota } from './quota.js'
import { quotaErrorData, quotaHeaders, type Taken } from './quota-answer.js'

/**
 * Charges requests to a user: how many may run, the headers that every answer carries, and the error of the others.
 * Asked for 0 requests it gives the headers.
 */
export type Charge = (userId: string, requests: number) => Admission | Promise<Admission>

/** Makes the charge of a quota. */
export function createCharge(quota: Quota): Charge {
  return (userId, requests) => {
    const taken = quota.take(userId, requests)
    return taken instanceof Promise
      ? taken.then((settled) => admission(settled, requests))
      : admission(taken, requests)
  }
}

function admission(taken: Taken, requests: number): Admission {
  const headers = quotaHeaders(taken, limits.quotaWindowSeconds)
  return taken.admitted < requests
    ? { admitted: taken.admitted, error: spent(taken), headers: { ...headers } }
    : { admitted: taken.admitted, headers: { ...headers } }
}

/** Clients sleep for the whole of `Retry-After`, so it is said only when the next day is near. */
function spent(taken: Taken): RpcError {
  const isNear = taken.secondsToReset <= limits.retryAfterMaximumSeconds
  return new RpcError({
    ...serverFailures.quotaSpent,
    data: quotaErrorData(taken),
    retryAfterSeconds: isNear ? taken.secondsToReset : undefined,
  })
}
