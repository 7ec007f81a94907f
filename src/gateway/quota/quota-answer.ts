import type { JsonObject } from '../../rpc/index.js'

/** What became of a request for `n` requests of a user's daily limit. */
export interface Taken {
  /** How many of them may run. */
  readonly admitted: number
  /** Requests per user and UTC day. */
  readonly limit: number
  /** Requests left today: `limit` less what is granted, and what this process holds of that. */
  readonly remaining: number
  /** Requests counted today. */
  readonly used: number
  /** When the count starts again: the next midnight, UTC. */
  readonly resetAt: Date
  /** Whole seconds until then, at least 1. */
  readonly secondsToReset: number
  /** Which limit this is. */
  readonly scope: 'daily'
}

/** The headers that every answer to an accepted key carries (draft-ietf-httpapi-ratelimit-headers). */
export function quotaHeaders(
  { limit, remaining, secondsToReset, scope }: Taken,
  windowSeconds: number,
): { readonly 'RateLimit-Policy': string; readonly RateLimit: string } {
  return {
    'RateLimit-Policy': `"${scope}";q=${limit};w=${windowSeconds}`,
    RateLimit: `"${scope}";r=${remaining};t=${secondsToReset}`,
  }
}

/** The `data` of the error that refuses a request over the limit. */
export function quotaErrorData({ limit, used, resetAt, scope }: Taken): JsonObject {
  return { limit, used, resetAt: resetAt.toISOString(), scope }
}
