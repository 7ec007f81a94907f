import { limits } from '@concordat/node-access-contract/contract'
import { failure } from '@concordat/node-access-contract/errors'
import type { RpcError } from '@concordat/rpc'
import type { Admission, Admit } from '@concordat/server'
import { limitScopes, type Quota, type Standing, type Taken } from '../quota/index.js'
import type { RequestContext } from './request-context.js'

/** Creates the step that refuses requests of a spent limit before their bodies are read. */
export const createRefuseSpent =
  (quota: Pick<Quota, 'spent'>) =>
  ({ key, origin }: Pick<RequestContext, 'key' | 'origin'>): Admission | undefined => {
    const spent = quota.spent(key)
    return spent && admission(spent, origin)
  }

/**
 * Creates the step that charges requests to a key and its user. Refused messages are free of charge.
 * @throws RpcError noQuotaLease
 */
export function createAdmit(quota: Pick<Quota, 'take'>): Admit<Pick<RequestContext, 'key' | 'origin'>> {
  return ({ context: { key, origin }, calls }) => {
    const taken = quota.take(key, calls)
    return taken instanceof Promise
      ? taken.then((settled) => admission(settled, origin))
      : admission(taken, origin)
  }
}

function admission(taken: Taken, origin: string | undefined): Admission {
  const { admitted, refusing } = taken
  const quota: Admission['headers'] = quotaHeaders(taken)
  // Only pages of this origin may read the answer (Fetch standard, CORS protocol).
  const headers =
    origin === undefined ? quota : { ...quota, 'access-control-allow-origin': origin, vary: 'Origin' }
  if (refusing === undefined) return { admitted, headers }
  return { admitted, error: quotaError(refusing, admitted > 0), headers }
}

/**
 * Returns the error for a spent limit. Clients sleep for the whole of `Retry-After`, in seconds, so it is sent only when
 * the limit resets soon (`retryAfterMaximumSeconds`).
 * @param isPartial true if earlier calls of the batch run
 */
function quotaError(refusing: Standing, isPartial: boolean): RpcError {
  const isSoon = refusing.secondsToReset <= limits.retryAfterMaximumSeconds
  const data = quotaErrorData(refusing)
  return failure(isPartial ? 'quotaSpentInBatch' : 'quotaSpent', {
    values: data,
    data,
    retryAfterSeconds: isSoon ? refusing.secondsToReset : undefined,
  })
}

/**
 * Returns the rate-limit headers of answers to an accepted key (draft-ietf-httpapi-ratelimit-headers). If several
 * limits apply, they show the one that refused the request, otherwise the one with the fewest remaining requests.
 */
function quotaHeaders({ standings, refusing }: Pick<Taken, 'standings' | 'refusing'>): {
  readonly 'RateLimit-Policy': string
  readonly RateLimit: string
} {
  const { period, limit, remaining, resetAt, secondsToReset } = refusing ?? nearest(standings)
  const scope = limitScopes[period]
  const window = period === 'day' ? limits.quotaWindowSeconds : secondsOfMonthUntil(resetAt)
  return {
    'RateLimit-Policy': `"${scope}";q=${limit};w=${window}`,
    RateLimit: `"${scope}";r=${remaining};t=${secondsToReset}`,
  }
}

/** Length in seconds of the month that ends at `end`, in milliseconds since 1970. */
function secondsOfMonthUntil(end: number): number {
  const date = new Date(end)
  return (end - Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1)) / 1_000
}

function nearest(standings: Taken['standings']): Standing {
  let found = standings[0]
  for (const other of standings) if (other.remaining < found.remaining) found = other
  return found
}

/** Returns the `data` of the error for an exceeded limit. */
function quotaErrorData({ period, limit, used, resetAt }: Standing) {
  return { limit, used, resetAt: new Date(resetAt).toISOString(), scope: limitScopes[period] }
}
