import { limits } from '@concordat/node-access-contract/contract'
import { type JsonObject, RpcError } from '@concordat/rpc'
import type { Admission } from '@concordat/server'
import { limitScopes, type Quota, type Standing, type Taken } from '../quota/index.js'
import { contractFailures } from './contract-failures.js'
import type { Caller } from './handled-request.js'

/**
 * Charges requests to a key and its user. The result contains the number of admitted requests, the error of
 * the refused ones, and the headers of the answer.
 * @param refusal an error that refuses all requests, free of charge
 * @throws RpcError noQuotaLease
 */
export type Charge = (
  caller: Pick<Caller, 'key' | 'origin'>,
  requests: number,
  refusal?: RpcError,
) => Admission | Promise<Admission>

/** Returns the refusal of a caller whose limit is known to be spent; undefined if a charge may admit requests. */
export type FindSpent = (caller: Pick<Caller, 'key' | 'origin'>) => Admission | undefined

/** Creates the step that refuses requests of a spent limit before their bodies are read. */
export const createFindSpent =
  (quota: Pick<Quota, 'spent'>): FindSpent =>
  ({ key, origin }) => {
    const spent = quota.spent(key)
    return spent && admission(spent, origin, undefined)
  }

/** Creates the step that charges requests. */
export function createCharge(quota: Pick<Quota, 'take'>): Charge {
  return ({ key, origin }, requests, refusal) => {
    const taken = quota.take(key, refusal === undefined ? requests : 0)
    return taken instanceof Promise
      ? taken.then((settled) => admission(settled, origin, refusal))
      : admission(taken, origin, refusal)
  }
}

function admission(taken: Taken, origin: string | undefined, refusal: RpcError | undefined): Admission {
  const { admitted, refusing } = taken
  const quota: Admission['headers'] = quotaHeaders(taken)
  // Only pages of this origin may read the answer (Fetch standard, CORS protocol).
  const headers =
    origin === undefined ? quota : { ...quota, 'access-control-allow-origin': origin, vary: 'Origin' }
  if (refusal !== undefined) return { admitted: 0, error: refusal, headers }
  return refusing === undefined ? { admitted, headers } : { admitted, error: spent(refusing), headers }
}

/** Clients sleep for the whole of `Retry-After`, so it is sent only when the limit resets soon. */
function spent(refusing: Standing): RpcError {
  const isSoon = refusing.secondsToReset <= limits.retryAfterMaximumSeconds
  return new RpcError({
    ...contractFailures.quotaSpent,
    failure: 'quotaSpent',
    data: quotaErrorData(refusing),
    retryAfterSeconds: isSoon ? refusing.secondsToReset : undefined,
  })
}

/**
 * Returns the rate-limit headers of answers to an accepted key (draft-ietf-httpapi-ratelimit-headers). Of several limits
 * they show the one that refused, otherwise the one with the fewest remaining requests.
 */
export function quotaHeaders({ standings, refusing }: Pick<Taken, 'standings' | 'refusing'>): {
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
export function quotaErrorData({ period, limit, used, resetAt }: Standing): JsonObject {
  return { limit, used, resetAt: new Date(resetAt).toISOString(), scope: limitScopes[period] }
}
