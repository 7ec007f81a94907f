import type { CallReport } from '@concordat/server'
import type { RequestContext } from '../request/index.js'

/** The outcome of a call of an accepted request. */
export interface Outcome extends Pick<CallReport, 'method' | 'error' | 'milliseconds'> {
  /** Number of calls that were sent to nodes for it, including repeated attempts. */
  readonly nodeCalls: number
}

/** Calls a function with the outcome of each call: now, or at the end of its stream. */
export function forEachOutcome(
  context: RequestContext,
  calls: readonly CallReport[],
  note: (outcome: Outcome) => void,
): void {
  calls.forEach(({ method, error, milliseconds, ended }, index) => {
    if (ended === undefined) note({ method, error, milliseconds, nodeCalls: context.nodeCallsOf(index) })
    else ended.then((end) => note({ method, ...end, nodeCalls: context.nodeCallsOf(index) }))
  })
}
