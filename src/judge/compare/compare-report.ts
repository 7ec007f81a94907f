import type { Difference } from '../oracles/pairs/differences.js'
import type { Head } from '../report/index.js'

/**
 * Result of comparing one request.
 *
 * - `alike`: the answers are equal
 * - `different`: the answers differ
 * - `unanswered`: a deployment gave no complete JSON-RPC answer
 * - `inconclusive`: the data that the request reads changed meanwhile
 * - `not-compared`: the contract allows different answers
 * - `not-run`: the request was not sent
 */
export type Comparison = 'alike' | 'different' | 'unanswered' | 'inconclusive' | 'not-compared' | 'not-run'

/** One request with the comparison of its two answers. */
export interface ComparedRequest {
  /** Id of the case. */
  readonly case: string
  /** Methods of its calls; several for a batch. */
  readonly methods: readonly string[]
  /** Parameters of its calls, as sent. */
  readonly params: readonly unknown[]
  readonly comparison: Comparison
  /** Reason in one sentence; undefined for `alike` and `different`. */
  readonly reason: string | undefined
  readonly differences: readonly Difference[]
  /** True when errors differ only in their message. */
  readonly isWording: boolean
  /**
   * Shell commands with `$URL_A` and `$URL_B`, without that of a stored side; undefined for `alike` and
   * `not-compared`.
   */
  readonly curl: { readonly a?: string; readonly b?: string } | undefined
}

/** One of the two deployments. */
export interface ComparedSide {
  readonly url: string
  /** The report whose answers were compared instead of new ones; undefined if requests were sent. */
  readonly stored?: { readonly file: string; readonly started: string }
  readonly head: Head | undefined
  readonly requests: { readonly http: number; readonly billed: number; readonly limited: number }
}

/** A comparison of two deployments. */
export interface CompareReport {
  /** Version of the report format. */
  readonly schema: 'concordat-compare-report/1'
  readonly tool: { readonly name: string; readonly version: string }
  readonly contract: { readonly title: string; readonly version: string; readonly sha256: string }
  readonly a: ComparedSide
  readonly b: ComparedSide
  /** Block that both deployments have, to which calls are pinned. Undefined without a known common block. */
  readonly pinned: Head | undefined
  /** Notes in full sentences, such as the reason for a missing common block. */
  readonly notes: readonly string[]
  /** ISO 8601, UTC. */
  readonly started: string
  readonly milliseconds: number
  readonly counts: Readonly<Record<Comparison, number>>
  readonly requests: readonly ComparedRequest[]
}

/**
 * Computes the exit code of a comparison.
 *
 * - 0: all answers are alike
 * - 1: answers differ or are missing
 * - 2: nothing was compared
 * - 3: inconclusive or skipped requests although a complete comparison was required
 */
export function compareExitCode(
  { counts }: Pick<CompareReport, 'counts'>,
  requireComplete: boolean,
): 0 | 1 | 2 | 3 {
  if (counts.different + counts.unanswered > 0) return 1
  if (counts.alike === 0) return 2
  return requireComplete && counts.inconclusive + counts['not-run'] > 0 ? 3 : 0
}

/** Counts requests by comparison result. */
export function comparisonCounts(requests: readonly ComparedRequest[]): CompareReport['counts'] {
  const counts: Record<Comparison, number> = {
    alike: 0,
    different: 0,
    unanswered: 0,
    inconclusive: 0,
    'not-compared': 0,
    'not-run': 0,
  }
  for (const { comparison } of requests) counts[comparison]++
  return counts
}
