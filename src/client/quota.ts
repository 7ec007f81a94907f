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
 * several limits it shows the one with the fewest remaining calls.
 * @param options `onQuota` and `quotaThreshold`
 */
export function createQuotaMeter({
  onQuota,
  quotaThreshold = clientDefaults.quotaThreshold,
}: ClientOptions): QuotaMeter {
  let latest: Quota | undefined
  let notedAt = 0
  /** The time of the event. Undefined while the quota is above the threshold. */
  let firedAt: number | undefined
  let firesAgainAt = 0
  const read = () => {
    const passed = (performance.now() - notedAt) / 1_000
    const left = latest?.resetSeconds
    return latest && { ...latest, resetSeconds: left === undefined ? left : Math.max(0, left - passed) }
  }
  return {
    read,
    note: ({ headers }, sentAt) => {
      const found = statedQuota(headers.get('ratelimit'), headers.get('ratelimit-policy') ?? '')
      if (!found) return
      latest = found
      notedAt = performance.now()
      const { limit, remaining, resetSeconds = Number.POSITIVE_INFINITY } = found
      if (limit === undefined || remaining >= limit * quotaThreshold) {
        // Answers to requests that were sent before the event are about the time before it.
        if (firedAt !== undefined && sentAt > firedAt) firedAt = undefined
      } else if (firedAt === undefined || notedAt >= firesAgainAt) {
        firedAt = notedAt
        firesAgainAt = notedAt + resetSeconds * 1_000
        // An error of the callback must not fail the call.
        if (onQuota) queueMicrotask(() => onQuota(found))
      }
    },
  }
}

/** Reads the limit with the fewest remaining calls, such as `"daily";r=24993;t=3600`. */
function statedQuota(limits: string | null, policies: string): Quota | undefined {
  const found = (limits ?? '').split(',').flatMap((text) => {
    const remaining = parameter(text, 'r')
    return remaining === undefined ? [] : [{ text, remaining }]
  })
  const [tightest] = found.sort((a, b) => a.remaining - b.remaining)
  if (!tightest) return undefined
  const { text, remaining } = tightest
  const name = nameOf(text)
  const policy = policies.split(',').find((each) => nameOf(each) === name) ?? ''
  return { limit: parameter(policy, 'q'), remaining, resetSeconds: parameter(text, 't') }
}

function nameOf(text: string): string | undefined {
  return text.split(';')[0]?.trim()
}

function parameter(text: string, name: string): number | undefined {
  const [, digits] = new RegExp(`;\\s*${name}=(\\d+)`).exec(text) ?? []
  return digits === undefined ? undefined : Number(digits)
}
