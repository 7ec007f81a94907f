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
   * Time of the reset in milliseconds since 1970 UTC: the earliest one, if the seconds were stated when the request arrived,
   * and the latest one, if they were stated with the answer. Undefined if the answer does not state it.
   */
  readonly reset: { readonly earliest: number; readonly latest: number } | undefined
}
