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
  readonly standings: readonly Standing[]
  /** The limit that refused the others; undefined when all are admitted. */
  readonly refusing: Standing | undefined
}

/**
 * The headers that every answer to an accepted key carries (draft-ietf-httpapi-ratelimit-headers): of the limits of
 * one period, the nearer one is told.
 * @param daySeconds the contract's `quotaWindowSeconds`
 */
export function quotaHeaders(standings: readonly Standing[], daySeconds: number): Record<string, string> {
  const told = standings.length === 1 ? standings : nearest(standings)
  return {
    'RateLimit-Policy': told.map((each) => policyOf(each, daySeconds)).join(', '),
    RateLimit: told
      .map(
        ({ period, remaining, secondsToReset }) => `"${scopes[period]}";r=${remaining};t=${secondsToReset}`,
      )
      .join(', '),
  }
}

function policyOf({ period, limit, resetAt }: Standing, daySeconds: number): string {
  return `"${scopes[period]}";q=${limit};w=${period === 'day' ? daySeconds : secondsOfMonthUntil(resetAt)}`
}

/** The length of the month that ends at `end`, ms since 1970. */
function secondsOfMonthUntil(end: number): number {
  const date = new Date(end)
  return (end - Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1)) / 1_000
}

function nearest(standings: readonly Standing[]): readonly Standing[] {
  const byPeriod = (period: Period) =>
    standings
      .filter((each) => each.period === period)
      .sort((a, b) => a.remaining - b.remaining || a.limit - b.limit)
      .slice(0, 1)
  return [...byPeriod('day'), ...byPeriod('month')]
}

/** The `data` of the error that refuses a request over a limit. */
export function quotaErrorData({ period, limit, used, resetAt }: Standing): JsonObject {
  return { limit, used, resetAt: new Date(resetAt).toISOString(), scope: scopes[period] }
}
