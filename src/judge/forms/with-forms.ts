import type { Contract } from '../../toolkit/contract/index.js'
import { countOf } from '../requests/build-request.js'
import type { Variables } from '../scenario/fill.js'
import type { BatchStep, CallForm, CallStep, CallTemplate, Scenario } from '../scenario/scenario.js'
import { sentSteps } from '../scenario/sent-steps.js'
import { callStyle } from '../terms/call-style.js'
import { contractTerms } from '../terms/contract-terms.js'
import { discovery, isLiteral } from './call-form.js'
import { requestForms } from './request-forms.js'

/** A derived case that sends one call. */
interface SingleCall {
  readonly scenario: Scenario
  readonly step: CallStep
}

/** Items of a small batch: the first, one in between, and the last. */
const smallBatch = 3

/**
 * Gives derived cases of one call the forms in which a call can travel. They combine each path of `x-http`, each key,
 * with and without compression, by itself and at each position of a batch. Their calls also fill the batch of a case
 * that states `fill: derived`. No form costs a further request.
 */
export function withForms(contract: Contract, scenarios: readonly Scenario[]): readonly Scenario[] {
  const { paths, variables } = contractTerms(contract)
  const { isBatchable } = callStyle(contract)
  const canBeItem = ({ step }: SingleCall) => isBatchable(step.call.method)
  // Cases with the same call share its answer, which costs less than a form.
  const asked = new Map<string, number>()
  for (const step of scenarios.flatMap(({ steps }) => sentSteps(steps))) {
    if (step.kind === 'call' && step.share) asked.set(callText(step), (asked.get(callText(step)) ?? 0) + 1)
  }
  const singles = scenarios.flatMap((scenario): readonly SingleCall[] => {
    const step = onlyCall(scenario)
    return step === undefined || asked.get(callText(step)) !== 1 ? [] : [{ scenario, step }]
  })
  const filledCase = scenarios.find(({ steps }) => steps.some(isFilled))
  const size = filledCase && itemCount(filledCase, variables(undefined))
  const chosen = size === undefined ? [] : spread(singles.filter(canBeItem), size)
  const forms = new Map<string, CallForm>()
  const items = chosen.map(({ step }) => step.call)
  for (const [position, { scenario }] of chosen.entries()) {
    const batch = { items, position, isOfOtherCase: true }
    forms.set(scenario.id, { path: undefined, acceptsGzip: false, key: undefined, batch })
  }
  const left = singles.filter(({ scenario }) => !forms.has(scenario.id))
  const requests = requestForms(paths)
  for (let at = 0; at < left.length; ) {
    for (const request of requests) {
      const own = left[at++]
      if (own) forms.set(own.scenario.id, request)
    }
    for (const request of requests) {
      const together = left.slice(at).filter(canBeItem).slice(0, smallBatch)
      if (together.length < smallBatch) break
      for (const item of together) left.splice(left.indexOf(item, at), 1)
      const calls = together.map(({ step }) => step.call)
      for (const [position, { scenario }] of together.entries()) {
        forms.set(scenario.id, { ...request, batch: { items: calls, position, isOfOtherCase: false } })
      }
    }
  }
  return scenarios.map((scenario) => {
    if (scenario === filledCase && items.length > 0) return withItems(scenario, items)
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
  if (step.call.method === discovery || step.expect?.status !== undefined) return undefined
  if (!isLiteral(step.call.method) || !isLiteral(step.call.params)) {
    return undefined
  }
  return step
}

function callText({ call: { method, params } }: CallStep): string {
  return JSON.stringify([method, params])
}

function isFilled(step: Scenario['steps'][number]): step is BatchStep {
  return step.kind === 'batch' && step.isFilled === true
}

/** Number of items of the batch that derived calls fill. */
function itemCount({ steps }: Scenario, variables: Variables): number {
  const items = steps.filter(isFilled).flatMap((step) => step.items)
  return items.reduce((sum, { times }) => sum + (times === undefined ? 1 : countOf(times, variables)), 0)
}

/** Chooses a number of items at equal distances; none if there are too few. */
function spread<Item>(list: readonly Item[], count: number): readonly Item[] {
  if (list.length < count) return []
  return Array.from({ length: count }, (_, at) => list[Math.floor((at * list.length) / count)]).filter(
    (item) => item !== undefined,
  )
}

function withItems(scenario: Scenario, calls: readonly CallTemplate[]): Scenario {
  const items = calls.map((call) => ({ ...call, times: undefined }))
  return {
    ...scenario,
    steps: scenario.steps.map((step) => (isFilled(step) ? { ...step, items, share: true } : step)),
  }
}
