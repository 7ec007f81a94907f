import type { Unsent } from '../requests/not-sent.js'
import type { Scenario } from '../scenario/scenario.js'
import { sentSteps } from '../scenario/sent-steps.js'
import type { ComparedRequest } from './compare-report.js'

/** True for cases with plain calls only. Raw bodies, headers, paths and keys test HTTP instead of answers. */
export function isComparable({ effect, steps, alone }: Scenario): boolean {
  const sent = sentSteps(steps)
  return (
    effect === 'read' &&
    alone !== true &&
    sent.length > 0 &&
    sent.every((step) => step.kind !== 'raw' && isPlain(step))
  )
}

function isPlain({ headers, verb, path, key }: ReturnType<typeof sentSteps>[number]): boolean {
  return Object.keys(headers).length === 0 && verb === undefined && path === undefined && key === undefined
}

/** Returns the entry of a case whose requests were not all sent. It is `unanswered` if a run gave up. */
export function notRun({ id, steps }: Scenario, why: Pick<Unsent, 'verdict' | 'reason'>): ComparedRequest {
  const methods = sentSteps(steps).flatMap((step) => (step.kind === 'call' ? [step.call.method] : []))
  return notRunCase(id, methods, why)
}

/** As `notRun`, for a case of which only the id and the methods are known. */
export function notRunCase(
  id: string,
  methods: readonly string[],
  { verdict, reason }: Pick<Unsent, 'verdict' | 'reason'>,
): ComparedRequest {
  return {
    case: id,
    methods,
    params: [],
    comparison: verdict === 'gave-up' ? 'unanswered' : 'not-run',
    reason,
    differences: [],
    isWording: false,
    curl: undefined,
  }
}
