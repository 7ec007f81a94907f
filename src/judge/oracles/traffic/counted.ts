import type { ChargedRequest } from './charges.js'
import type { Seen } from './seen.js'

/** A request of the run with its charge, and what its answer states of the limit. */
export interface Counted extends ChargedRequest {
  readonly seen: Seen
  /** Remaining requests; undefined for an answer that does not state them. */
  readonly left: number | undefined
  /** Key and scope of the limit; empty without a statement. */
  readonly group: string
  /**
   * When the limit resets, in milliseconds since 1970 UTC: `earliest` if the service counts the stated seconds from the
   * request, `latest` if it counts them from the answer. Undefined if the answer states no reset.
   */
  readonly reset: { readonly earliest: number; readonly latest: number } | undefined
}
