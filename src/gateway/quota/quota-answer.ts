import type { JsonObject } from '../../rpc/index.js'
import { type Period, scopes } from './window.js'

/** State of one limit. */
export interface Standing {
  readonly period: Period
  /** Allowed requests per period. */
  readonly limit: number
  /** Remaining requests: the limit minus the granted requests, plus the unused requests of this process's lease. */
  readonly remaining: number
  /** Counted requests. */
  readonly used: number
  /** Time of the reset, in milliseconds since 1970. */
  readonly resetAt: number
  /** Whole seconds until the reset, at least 1. */
  readonly secondsToReset: number
}

/** The result of a charge. */
export interface Taken {
  /** Number of admitted requests. */
  readonly admitted: number
  /** All limits that were charged. */
  readonly standings: readonly [Standing, ...Standing[]]
  /** The limit that refused requests; undefined if all were admitted. */
  readonly refusing: Standing | undefined
}

/**
 * Returns the rate-limit headers of answers to an accepted key (draft-ietf-httpapi-ratelimit-headers). Of several limits
 * they show the one that refused, otherwise the one with the fewest remaining requests.
 * @param daySeconds the contract's `quotaWindowSeconds`
 */
export function quotaHeaders(
  { standings, refusing }: Pick<Taken, 'standings' | 'refusing'>,
  daySeconds: number,
): { readonly 'RateLimit-Policy': string; readonly RateLimit: string } {
  const { period, limit, remaining, resetAt, secondsToReset } = refusing ?? nearest(standings)
  const scope = scopes[period]
  const window = period === 'day' ? daySeconds : secondsOfMonthUntil(resetAt)
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
  return { limit, used, resetAt: new Date(resetAt).toISOString(), scope: scopes[period] }
}
