import { type ClientOptions, clientDefaults, type Quota } from './client-options.js'
import type { HttpAnswer } from './http/post-request.js'

/** The quota as the answers of the service state it. */
export interface QuotaMeter {
  /** Returns the latest state. Undefined if no answer stated it. */
  readonly read: () => Quota | undefined
  /** Notes an answer to a request that was sent at this time (`performance.now`). */
  readonly note: (http: HttpAnswer, sentAt: number) => void
}

/**
 * Creates a meter that reads `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). Of
 * several limits it reads the first.
 * @param options `onQuota` and `quotaThreshold`
 */
export function createQuotaMeter({
  onQuota,
  quotaThreshold = clientDefaults.quotaThreshold,
}: ClientOptions): QuotaMeter {
  let latest: Quota | undefined
  let notedAt = 0
  let firedAt = 0
  /** The time from which an answer below the threshold causes an event. */
  let firesAgainAt = 0
  const read = () => {
    const passed = (performance.now() - notedAt) / 1_000
    const left = latest?.resetSeconds
    return latest && { ...latest, resetSeconds: left && Math.ceil(Math.max(0, left - passed)) }
  }
  return {
    read,
    note: ({ headers }, sentAt) => {
      const found = statedQuota(headers.get('ratelimit'), headers.get('ratelimit-policy'))
      if (!found) return
      latest = found
      notedAt = performance.now()
      const { limit, remaining, resetSeconds = Infinity } = found
      if (limit === undefined || remaining >= limit * quotaThreshold) {
        // Answers to requests that were sent before the event are about the time before it.
        if (sentAt > firedAt) firesAgainAt = 0
      } else if (notedAt >= firesAgainAt) {
        firedAt = notedAt
        firesAgainAt = notedAt + resetSeconds * 1_000
        // An error of the callback must not fail the call.
        if (onQuota) queueMicrotask(() => onQuota(found))
      }
    },
  }
}

/** Reads headers such as `"daily";r=24993;t=3600` and `"daily";q=25000;w=86400`. */
function statedQuota(limits: string | null, policies: string | null): Quota | undefined {
  const numberIn = (header: string | null, name: string) => {
    const [, digits] = new RegExp(`;\\s*${name}=(\\d+)`).exec(header ?? '') ?? []
    return digits === undefined ? undefined : Number(digits)
  }
  const remaining = numberIn(limits, 'r')
  return remaining === undefined
    ? undefined
    : { limit: numberIn(policies, 'q'), remaining, resetSeconds: numberIn(limits, 't') }
}
