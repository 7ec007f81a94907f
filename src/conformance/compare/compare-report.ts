import type { Head } from '../run/result/report.js'
import type { Difference } from './differences.js'

/**
 * What became of one request that both got: `alike`; `different`; `unanswered` where a deployment gave no whole JSON-RPC
 * answer, which is never agreement; `inconclusive` where what was asked about changed meanwhile; `not-compared` where
 * the contract says that answers need not be alike; `not-run` where it was not sent.
 */
export type Comparison = 'alike' | 'different' | 'unanswered' | 'inconclusive' | 'not-compared' | 'not-run'

/** One request, and its two answers. */
export interface ComparedRequest {
  /** The case that it belongs to. */
  readonly case: string
  /** Methods of its calls: several for a batch. */
  readonly methods: readonly string[]
  /** Parameters of its calls, as they were sent. */
  readonly params: readonly unknown[]
  readonly comparison: Comparison
  /** Why, for all but alike and different: one sentence. */
  readonly reason: string | undefined
  readonly differences: readonly Difference[]
  /** True where errors differ in their message alone. */
  readonly isWording: boolean
  /** Lines for a shell, with `$URL_A` and `$URL_B`; undefined where both are alike. */
  readonly curl: { readonly a: string; readonly b: string } | undefined
}

/** One of the two deployments. */
export interface ComparedSide {
  readonly url: string
  readonly head: Head | undefined
  readonly requests: { readonly http: number; readonly billed: number; readonly limited: number }
}

/** A comparison of two deployments. */
export interface CompareReport {
  /** Version of this form. */
  readonly schema: 'concordat-compare-report/1'
  readonly tool: { readonly name: string; readonly version: string }
  readonly contract: { readonly title: string; readonly version: string; readonly sha256: string }
  readonly a: ComparedSide
  readonly b: ComparedSide
  /** What both have, and what calls were asked about; undefined where nothing says, or there is none. */
  readonly pinned: Head | undefined
  /** Why there is no such place, or another thing to know: sentences. */
  readonly notes: readonly string[]
  /** ISO 8601, UTC. */
  readonly started: string
  readonly milliseconds: number
  readonly counts: Readonly<Record<Comparison, number>>
  readonly requests: readonly ComparedRequest[]
}

/**
 * 0 alike; 1 different, or not answered; 2 nothing was compared; 3 where all was asked for, and something is
 * inconclusive or did not run.
 */
export function compareExitCode(
  { counts }: Pick<CompareReport, 'counts'>,
  requireComplete: boolean,
): 0 | 1 | 2 | 3 {
  if (counts.different + counts.unanswered > 0) return 1
  if (counts.alike === 0) return 2
  return requireComplete && counts.inconclusive + counts['not-run'] > 0 ? 3 : 0
}

/** How many requests became what. */
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
