import type { Contract } from '../../contract/index.js'
import { countOf } from '../run/answer/build-request.js'
import { contractTerms } from '../run/plan/contract-terms.js'
import type { Variables } from '../scenario/fill.js'
import type { BatchStep, CallForm, CallStep, CallTemplate, Scenario } from '../scenario/scenario.js'
import { sentSteps } from '../scenario/sent-steps.js'
import { isLiteral } from './call-form.js'

/** A derived case that sends one call. */
interface Passenger {
  readonly scenario: Scenario
  readonly step: CallStep
}

/** Items of a small batch: the first, one in between, and the last. */
const smallBatch = 3

/**
 * Gives derived cases of one call the forms in which a call can travel: each path of `x-http`, with and
 * without compression, by itself and at each position of a batch, in all combinations. Their calls also fill
 * the batch of a case that states `carries: derived`. No form costs a further request.
 */
export function withForms(contract: Contract, scenarios: readonly Scenario[]): readonly Scenario[] {
  const { paths, variables } = contractTerms(contract)
  // Cases with the same call share its answer, which costs less than a form.
  const asked = new Map<string, number>()
  for (const step of scenarios.flatMap(({ steps }) => sentSteps(steps))) {
    if (step.kind === 'call' && step.share) asked.set(callText(step), (asked.get(callText(step)) ?? 0) + 1)
  }
  const passengers = scenarios.flatMap((scenario): readonly Passenger[] => {
    const step = onlyCall(scenario)
    return step === undefined || asked.get(callText(step)) !== 1 ? [] : [{ scenario, step }]
  })
  const carrier = scenarios.find(({ steps }) => steps.some(carriesOthers))
  const size = carrier && carriedItems(carrier, variables(undefined))
  const carried = size === undefined ? [] : spread(passengers, size)
  const forms = new Map<string, CallForm>()
  const items = carried.map(({ step }) => step.call)
  for (const [position, { scenario }] of carried.entries()) {
    const batch = { items, position, isCarried: true }
    forms.set(scenario.id, { path: undefined, acceptsGzip: false, batch })
  }
  const left = passengers.filter(({ scenario }) => !forms.has(scenario.id))
  const requests = (paths.length === 0 ? [undefined] : paths).flatMap((path) =>
    [false, true].map((acceptsGzip) => ({ path, acceptsGzip })),
  )
  for (let at = 0; at < left.length; ) {
    for (const request of requests) {
      const own = left[at++]
      if (own) forms.set(own.scenario.id, { ...request, batch: undefined })
    }
    for (const request of requests) {
      const together = left.slice(at, at + smallBatch)
      at += smallBatch
      if (together.length < smallBatch) continue
      const calls = together.map(({ step }) => step.call)
      for (const [position, { scenario }] of together.entries()) {
        forms.set(scenario.id, { ...request, batch: { items: calls, position, isCarried: false } })
      }
    }
  }
  return scenarios.map((scenario) => {
    if (scenario === carrier && items.length > 0) return filled(scenario, items)
    const form = forms.get(scenario.id)
    return form === undefined
      ? scenario
      : { ...scenario, steps: scenario.steps.map((step) => ({ ...step, form })) }
  })
}

/** Returns the step of a derived case that consists of one call without variables, whatever the target is. */
function onlyCall({ origin, effect, networks, followsHead, steps }: Scenario): CallStep | undefined {
  const [step] = steps
  if (origin !== 'derived' || effect !== 'read' || networks.length > 0 || followsHead) return undefined
  if (steps.length !== 1 || step?.kind !== 'call' || step.call.id !== undefined) return undefined
  if (step.expect?.status !== undefined || !isLiteral(step.call.method) || !isLiteral(step.call.params)) {
    return undefined
  }
  return step
}

function callText({ call: { method, params } }: CallStep): string {
  return JSON.stringify([method, params])
}

function carriesOthers(step: Scenario['steps'][number]): step is BatchStep {
  return step.kind === 'batch' && step.carries === true
}

/** Number of items of the batch that carries others. */
function carriedItems({ steps }: Scenario, variables: Variables): number {
  const items = steps.filter(carriesOthers).flatMap((step) => step.items)
  return items.reduce((sum, { times }) => sum + (times === undefined ? 1 : countOf(times, variables)), 0)
}

/** Chooses a number of items at equal distances; none if there are too few. */
function spread<Item>(list: readonly Item[], count: number): readonly Item[] {
  if (list.length < count) return []
  return Array.from({ length: count }, (_, at) => list[Math.floor((at * list.length) / count)]).filter(
    (item) => item !== undefined,
  )
}

function filled(scenario: Scenario, calls: readonly CallTemplate[]): Scenario {
  const items = calls.map((call) => ({ ...call, times: undefined }))
  return {
    ...scenario,
    steps: scenario.steps.map((step) => (carriesOthers(step) ? { ...step, items, share: true } : step)),
  }
}
