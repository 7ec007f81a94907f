import type { Reply } from './exchange.js'

/**
 * Returns the wait that a response asks for, in milliseconds, or undefined. A `Retry-After` date is compared
 * with the response's own `Date`, because clocks differ (RFC 9110, section 10.2.3).
 * @param now current time in milliseconds since 1970
 */
export function retryAfter({ headers }: Reply, now: number): number | undefined {
  const value = headers['retry-after']?.trim() ?? ''
  if (/^\d+$/.test(value)) return Number(value) * 1000
  // HTTP dates begin with a weekday. JavaScript would also accept other texts as dates.
  const until = /^[A-Z][a-z]{2}/.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(until)) return undefined
  const since = Date.parse(headers['date'] ?? '')
  return Math.max(0, until - (Number.isNaN(since) ? now : since))
}
