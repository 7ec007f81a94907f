import type { JsonObject } from '../../rpc/index.js'
import { type Period, scopes } from './window.js'

/** How one limit stands. */
export interface Standing {
  readonly period: Period
  /** Requests that may be made in the period. */
  readonly limit: number
  /** Requests left: `limit` less what is granted, and what this process holds of that. */
  readonly remaining: number
  /** Requests counted so far. */
  readonly used: number
  /** When the count starts again, ms since 1970. */
  readonly resetAt: number
  /** Whole seconds until then, at least 1. */
  readonly secondsToReset: number
}

/** What became of a request for `n` requests. */
export interface Taken {
  /** How many of them may run. */
  readonly admitted: number
  /** Every limit that they were counted against. */
  readonly standings: readonly [Standing, ...Standing[]]
  /** The limit that refused the others; undefined when all are admitted. */
  readonly refusing: Standing | undefined
}

/**
 * The headers that every answer to an accepted key carries (draft-ietf-httpapi-ratelimit-headers): of several limits the
 * one that refused is told, else the nearest.
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

/** The length of the month that ends at `end`, ms since 1970. */
function secondsOfMonthUntil(end: number): number {
  const date = new Date(end)
  return (end - Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1)) / 1_000
}

function nearest(standings: Taken['standings']): Standing {
  let found = standings[0]
  for (const other of standings) if (other.remaining < found.remaining) found = other
  return found
}

/** The `data` of the error that refuses a request over a limit. */
export function quotaErrorData({ period, limit, used, resetAt }: Standing): JsonObject {
  return { limit, used, resetAt: new Date(resetAt).toISOString(), scope: scopes[period] }
}
