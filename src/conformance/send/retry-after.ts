import type { Reply } from './exchange.js'

/**
 * How long an answer asks to wait, in milliseconds: `Retry-After` as seconds or as a date, which is read against the
 * answer's own `Date`, since clocks differ (RFC 9110, section 10.2.3). Undefined where it does not say.
 */
export function retryAfter({ headers }: Reply, now: number): number | undefined {
  const value = headers['retry-after']?.trim() ?? ''
  if (/^\d+$/.test(value)) return Number(value) * 1000
  // A date begins with the name of its day; whatever else JavaScript would take for a date is none.
  const until = /^[A-Z][a-z]{2}/.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(until)) return undefined
  const since = Date.parse(headers['date'] ?? '')
  return Math.max(0, until - (Number.isNaN(since) ? now : since))
}
